import { changesSomething } from '../../commands/index.ts';
import { rightOf } from '../../commands/rights.ts';
import { offering, Refusal, type Offer } from '../../errors.ts';
import { didYouMean } from '../../nearest-words.ts';
import { code, say, type Text } from '../../text.ts';
import { withoutForbidden } from '../access/may-run.ts';
import type { Person } from '../access/access-check.ts';
import type { ParsedCommand } from '../language/parsed-command.ts';
import { read, type Guess } from '../language/reader.ts';
import type { Place } from '../language/things.ts';
import type { Request } from './conversation.ts';
import type { PipelineContext } from './context.ts';

/** A line that is no command as it is typed, and why it was refused. */
export type Unread = {
  readonly line: string;
  readonly refusal: Refusal;
  readonly person: Person;
  readonly place: Place;
  /** Whether a form can be opened at once. */
  readonly opens: boolean;
  /** Whether a report may be run at once, in the turn that this line has. */
  readonly answers: (guess: ParsedCommand) => boolean;
};

/** What comes of it: a command to run, which only shows something, or a form or review to open. Else a refusal. */
export type Understood =
  | { readonly kind: 'answer'; readonly parsed: ParsedCommand }
  | {
      readonly kind: 'open';
      readonly parsed: ParsedCommand;
      readonly first: NonNullable<Request['first']>;
      readonly says: Text;
    }
  | { readonly kind: 'tell'; readonly refusal: Refusal };

/**
 * Guesses what a line means. A guess never sends, locks, pauses, binds or shares: what changes something waits for its
 * form, its review or a button.
 */
export function understand(context: PipelineContext, unread: Unread): Understood {
  const { line, refusal, person, place } = unread;
  const tell = (told: Refusal): Understood => ({
    kind: 'tell',
    refusal: withoutForbidden(told, context.policy(), person),
  });
  const reading = read(line, context.names(person), place);
  if (reading === undefined) return tell(refusal);
  if (reading.kind === 'cannot')
    return tell(new Refusal(say`${reading.says} Nothing was done.`, { offers: reading.guesses.map(offerOf) }));
  if (reading.kind === 'unclear') return tell(offering(refusal, reading.guesses.map(offerOf), hintOf(reading.guesses)));
  const { guess, isWhole, isCertain, isTyped = false } = reading;
  const { parsed, isComplete } = guess;
  if ((isTyped ? isWhole : isCertain) && mayBeAnswered(guess) && unread.answers(parsed))
    return { kind: 'answer', parsed: { ...parsed, readAs: guess.line } };
  // What is wrong with a typed command is said, and not passed over.
  if (isTyped) return tell(refusal.offers.length > 0 ? refusal : offering(refusal, [offerOf(guess)]));
  const hasForm = Object.keys(parsed.command.fields).length > 0;
  if (!unread.opens || !isCertain || !hasForm) return tell(offering(refusal, [offerOf(guess)], hintOf([guess])));
  const first = isComplete && parsed.command.shape === 'action' ? 'review' : 'fields';
  return { kind: 'open', parsed, first, says: readAs(guess.line) };
}

/** How a line was read, beside what came of it. */
export const readAs = (line: string): Text => say`Read as ${code(`/site ${line}`.slice(0, 300))}`;

const hintOf = (guesses: readonly Guess[]): Text =>
  didYouMean(guesses.map(({ line }) => code(`/site ${line}`.slice(0, 200))));

/** Whether a guess may be answered at once: it shows something to whoever asked, which anybody may read. */
const mayBeAnswered = ({ parsed: { path, command }, isComplete }: Guess): boolean =>
  isComplete && !changesSomething(command) && rightOf(path, command).risk === 'read' && !path.endsWith(' export');

/** The button for a guess. What changes something opens its form, except the emergency brake. */
function offerOf({ args, line, parsed: { path, command }, isComplete }: Guess): Offer {
  const runs =
    isComplete && (!changesSomething(command) || (command.shape === 'builtin' && command.emergency === true));
  const label = line === path ? command.button : line;
  return runs ? { label, args } : { label, args, opens: 'form' };
}
