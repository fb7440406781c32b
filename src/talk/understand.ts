import { wordAlone } from '../commands/cannot.ts';
import { catalogue, changesSomething } from '../commands/index.ts';
import { rightOf } from '../commands/rights.ts';
import { offering, Refusal, type Args, type Offer } from '../base/errors.ts';
import { didYouMean } from '../words/similar-names.ts';
import { say, typed, type Text } from '../words/text.ts';
import { mayNotUse, mayRunSomewhere, withoutForbidden } from '../access/may-run.ts';
import type { Person } from '../access/access-check.ts';
import type { ParsedCommand } from '../language/bind-arguments.ts';
import { known, isSmall } from '../language/lexicon.ts';
import type { Guess, Reading } from '../language/guesses.ts';
import { parseArgs } from '../language/parse.ts';
import { read } from '../language/reader.ts';
import { spokenIn, type Spoken } from '../language/spoken.ts';
import { join } from '../language/tokenize.ts';
import type { Place } from '../language/things.ts';
import type { PipelineContext } from './context.ts';
import { offeringHinted } from './typed-offers.ts';

/** A line that is no command as it is typed, and why it was refused. */
export type Unread = {
  readonly line: string;
  readonly refusal: Refusal;
  /** What it is as it is typed, if that can be read too. */
  readonly parsed?: ParsedCommand | undefined;
  readonly person: Person;
  readonly place: Place;
  /** Whether a report may be run at once, in the turn that this line has. */
  readonly answers: (guess: ParsedCommand) => boolean;
};

/**
 * The report that a line asks for. A guess never sends, locks, pauses, binds, shares or opens: what changes something
 * is a button that says what it would be. Throws `Refusal`, with buttons for what may be meant.
 */
export function understand(context: PipelineContext, unread: Unread): ParsedCommand {
  const { line, person, place } = unread;
  const readIn = (words: string): Reading | undefined => read(words, context.names(person), place);
  const reading = readIn(line);
  const mayRun = ({ parsed: { path, command } }: Guess): boolean =>
    mayRunSomewhere(context.policy(), person, path, command) !== 'no';
  const meant = helpMeant(line, reading, readIn) ?? meantBy(unread, reading, mayRun);
  if (!(meant instanceof Refusal)) return meant;
  const allowed = withoutForbidden(meant, context.policy(), person);
  // What is said in a mention may not be meant for me.
  throw place.isAddressed ? offeringHinted(allowed, context.policy(), person) : allowed;
}

function meantBy(
  unread: Unread,
  reading: Reading | undefined,
  mayRun: (guess: Guess) => boolean,
): ParsedCommand | Refusal {
  const { line, refusal, parsed } = unread;
  // What is wrong with a typed command is said first.
  if (reading?.kind === 'clear' && !mayRun(reading.guess))
    return reading.isTyped || wordAlone(line) ? refusal : new Refusal(mayNotUse(reading.guess.parsed.path));
  if (reading?.kind === 'clear') return understandGuess(reading, unread);
  if (reading?.kind === 'cannot') return cannot(reading);
  const guesses = reading?.guesses.filter(mayRun) ?? [];
  if (guesses.length > 0) return offering(refusal, guesses.map(offerOf), hintOf(guesses));
  return parsed ?? refusal;
}

/** What comes of asking for help on what no command is called. Undefined: the line asks for something else. */
function helpMeant(
  line: string,
  reading: Reading | undefined,
  readIn: (words: string) => Reading | undefined,
): ParsedCommand | Refusal | undefined {
  if (reading?.kind !== 'clear' || reading.guess.line !== 'help') return undefined;
  const { topic, isHow } = topicOf(line);
  const meant = topic.length > 0 ? readIn(join(topic)) : undefined;
  if (meant?.kind === 'cannot') return cannot(meant, say`**There's no command for that.** `);
  return isHow || topic.length === 0 ? undefined : parseArgs(['help', '--', ...topic], catalogue);
}

const cannot = ({ says, guesses }: Extract<Reading, { readonly kind: 'cannot' }>, first: Text = []): Refusal =>
  new Refusal(say`${first}${says} Nothing was done.`, { offers: guesses.map(offerOf) });

const helpWord = /^(?:-{0,2}h(?:elp)?|\?|how)$/i;

/** What help is asked on that no command is called: `help plsuh`, `restore --help`, `how do I restore`. */
function topicOf(line: string): { readonly topic: Args; readonly isHow: boolean } {
  const words = spokenIn(line, known);
  const isHelp = (word: Spoken | undefined): boolean => word !== undefined && helpWord.test(word.typed);
  const isAsked = isHelp(words[0]) || isHelp(words.at(-1));
  const others = words.filter((word) => !isHelp(word) && !isSmall(word));
  return { topic: isAsked ? others.map(({ text }) => text) : [], isHow: words[0]?.key === 'how' };
}

function understandGuess(
  { guess, isTyped = false }: Extract<Reading, { readonly kind: 'clear' }>,
  { refusal, answers }: Unread,
): ParsedCommand | Refusal {
  const { parsed, line, isWhole } = guess;
  if (isWhole && mayBeAnswered(guess) && answers(parsed)) return { ...parsed, readAs: line };
  // What is wrong with a typed command is said, and not passed over.
  if (isTyped) return refusal.offers.length > 0 ? refusal : offering(refusal, [offerOf(guess)]);
  return new Refusal(say`${hintOf([guess])} Nothing was done.`, { offers: [offerOf(guess)] });
}

/** How a line was read, beside what came of it. */
export const readAs = (line: string): Text => say`Read as ${typed(line.slice(0, 300))}`;

const hintOf = (guesses: readonly Guess[]): Text => didYouMean(guesses.map(({ line }) => typed(line.slice(0, 200))));

/** Whether a guess may be answered at once: it shows something to whoever asked, which anybody may read. */
const mayBeAnswered = ({ parsed: { path, command }, isComplete }: Guess): boolean =>
  isComplete && !changesSomething(command) && rightOf(path, command).risk === 'read';

/** The button for a guess. What changes something opens its form, except the emergency brake. */
function offerOf({ args, line, parsed: { path, command }, isComplete }: Guess): Offer {
  const runs = isComplete && (!changesSomething(command) || (command.shape === 'builtin' && command.brake === true));
  const label = line === path ? command.button : line;
  return runs ? { label, args } : { label, args, opens: 'form' };
}
