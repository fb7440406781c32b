import { changesSomething } from '../../commands/index.ts';
import { rightOf } from '../../commands/rights.ts';
import { offering, Refusal, type Offer } from '../../errors.ts';
import { didYouMean } from '../../nearest-words.ts';
import { code, say, type Text } from '../../text.ts';
import { withoutForbidden } from '../access/may-run.ts';
import type { Person } from '../access/access-check.ts';
import type { ParsedCommand } from '../language/parsed-command.ts';
import type { Guess, Reading } from '../language/guesses.ts';
import { read } from '../language/reader.ts';
import type { Place } from '../language/things.ts';
import type { Request } from './conversation.ts';
import type { PipelineContext } from './context.ts';

/** A line that is no command as it is typed, and why it was refused. */
export type Unread = {
  readonly line: string;
  readonly refusal: Refusal;
  /** What it is as it is typed, if that can be read too. */
  readonly parsed?: ParsedCommand | undefined;
  readonly person: Person;
  readonly place: Place;
  /** Whether a form can be opened at once. */
  readonly opens: boolean;
  /** Whether a report may be run at once, in the turn that this line has. */
  readonly answers: (guess: ParsedCommand) => boolean;
};

/** What comes of it: a command that only shows something, or, with `first` and what to say there, a form or review. */
export type Understood = {
  readonly parsed: ParsedCommand;
  readonly first?: NonNullable<Request['first']>;
  readonly says?: Text;
};

/**
 * Guesses what a line means. A guess never sends, locks, pauses, binds or shares: what changes something waits for its
 * form, its review or a button. Throws `Refusal`, with buttons for what may be meant.
 */
export function understand(context: PipelineContext, unread: Unread): Understood {
  const { line, refusal, person, place, parsed } = unread;
  const told = (of: Refusal): Refusal => withoutForbidden(of, context.policy(), person);
  const reading = read(line, context.names(person), place);
  if (reading?.kind === 'clear') {
    const understood = understandGuess(reading, unread);
    if (!(understood instanceof Refusal)) return understood;
    throw told(understood);
  }
  if (reading?.kind === 'cannot')
    throw told(new Refusal(say`${reading.says} Nothing was done.`, { offers: reading.guesses.map(offerOf) }));
  if (reading) throw told(offering(refusal, reading.guesses.map(offerOf), hintOf(reading.guesses)));
  if (parsed) return { parsed };
  throw told(refusal);
}

function understandGuess(
  { guess, isTyped = false }: Extract<Reading, { readonly kind: 'clear' }>,
  { refusal, opens, answers }: Unread,
): Understood | Refusal {
  const { parsed, isComplete, isWhole } = guess;
  if (isWhole && mayBeAnswered(guess) && answers(parsed)) return { parsed: { ...parsed, readAs: guess.line } };
  // What is wrong with a typed command is said, and not passed over.
  if (isTyped) return refusal.offers.length > 0 ? refusal : offering(refusal, [offerOf(guess)]);
  const hasForm = Object.keys(parsed.command.fields).length > 0;
  if (!opens || !isWhole || !hasForm) return offering(refusal, [offerOf(guess)], hintOf([guess]));
  const first = isComplete && parsed.command.shape === 'action' ? 'review' : 'fields';
  return { parsed, first, says: readAs(guess.line) };
}

/** How a line was read, beside what came of it. */
export const readAs = (line: string): Text => say`Read as ${code(`/site ${line}`.slice(0, 300))}`;

const hintOf = (guesses: readonly Guess[]): Text =>
  didYouMean(guesses.map(({ line }) => code(`/site ${line}`.slice(0, 200))));

/** Whether a guess may be answered at once: it shows something to whoever asked, which anybody may read. */
const mayBeAnswered = ({ parsed: { path, command }, isComplete }: Guess): boolean =>
  isComplete && !changesSomething(command) && rightOf(path, command).risk === 'read';

/** The button for a guess. What changes something opens its form, except the emergency brake. */
function offerOf({ args, line, parsed: { path, command }, isComplete }: Guess): Offer {
  const runs =
    isComplete && (!changesSomething(command) || (command.shape === 'builtin' && command.emergency === true));
  const label = line === path ? command.button : line;
  return runs ? { label, args } : { label, args, opens: 'form' };
}
