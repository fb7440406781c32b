import { catalogue, changesSomething, type Command } from '../commands/index.ts';
import type { CannotDo } from '../commands/cannot.ts';
import { attempt, type Args } from '../base/errors.ts';
import { type Filled, fill } from './fill.ts';
import { parseArgs } from './parse.ts';
import type { ParsedCommand } from './bind-arguments.ts';
import { resolve, type KnownNames } from './resolve.ts';
import { join } from './tokenize.ts';
import { argsOf, takesRest } from './usage.ts';
import type { Meant, Match } from './lexicon.ts';
import type { SpokenLine } from './filling.ts';
import type { Said } from './things.ts';

/** A command that was probably meant, with everything that was said filled in. */
export type Guess = {
  readonly parsed: ParsedCommand;
  readonly args: Args;
  /** The line as it would be typed, with names. */
  readonly line: string;
  /** Whether nothing is missing. */
  readonly isComplete: boolean;
  /** Whether every word says something of it. */
  readonly isWhole: boolean;
};

/** What a line probably means. */
export type Reading =
  /**
   * It is one command, by a clear margin. `isTyped`: it begins with the command as it is typed, so only what follows is
   * wrong.
   */
  | {
      readonly kind: 'clear';
      readonly guess: Guess;
      readonly isTyped?: boolean;
    }
  /** It may be any of these, best first; at most three. */
  | { readonly kind: 'unclear'; readonly guesses: readonly Guess[] }
  /** It is nothing that a command does. */
  | { readonly kind: 'cannot'; readonly says: CannotDo['says']; readonly guesses: readonly Guess[] };

const maxGuesses = 3;
/** How much better the best one has to be to be the only one. */
const margin = 0.75;

/** What the candidates come to, best first. */
export function readingOf(all: readonly Candidate[], names: KnownNames): Reading | undefined {
  const candidates = all.filter((one) => !isDeed(one));
  const [best] = candidates;
  // Of a line that is mostly about something else, nothing is made.
  if (best === undefined || best.isTooLittle) return undefined;
  const near = candidates.filter(({ score }) => score > best.score - margin);
  const told = near.find(({ of }) => of.says);
  if (told?.of.says)
    return { kind: 'cannot', says: told.of.says, guesses: [guessOf(told, names)].flatMap((one) => one ?? []) };
  const guesses = near.flatMap((one) => guessOf(one, names) ?? []).slice(0, maxGuesses);
  const [guess, another] = guesses;
  // Whatever else was near is not what was probably meant.
  if (guess === undefined || isUnfit(best.filled, best.of.command)) return undefined;
  if (another !== undefined) return { kind: 'unclear', guesses };
  return { kind: 'clear', guess };
}

/** Whether it leaves out something that was said, or may be about something else. */
const isUnfit = ({ free, left, isTurned, isVague }: Filled, command: Command): boolean =>
  free.length > 0 ||
  isTurned ||
  isVague ||
  // It may be somebody's name.
  (takesRest(command) && left.length > 0);

/** Whether a question is answered by doing something. */
const isDeed = ({ of, filled }: Candidate): boolean =>
  of.says === undefined && filled.isQuestion && changesSomething(of.command);

/** The guess, if it would be understood as it stands and drops nothing that was understood. */
function guessOf({ of: { path, command, says }, filled }: Candidate, names: KnownNames): Guess | undefined {
  if (says === undefined && isUnfit(filled, command)) return undefined;
  const args = argsOf(path, command.fields, (name) => filled.given[name] ?? [], filled.extra);
  const parsed = attempt(() => parseArgs(args, catalogue));
  if (parsed === undefined) return undefined;
  const { problems, missing, input } = resolve(parsed, names);
  if (problems.length > 0) return undefined;
  const wrong = missing.length > 0 || command.shape === 'builtin' ? undefined : command.invalid?.(input);
  if (wrong && !wrong.unsaid) return undefined;
  const shown = args.map((word) => word.replaceAll(/[^,=]+/g, (part) => filled.shown.get(part) ?? part));
  return { parsed, args, line: join(shown), isComplete: missing.length === 0 && !wrong, isWhole: filled.isWhole };
}

/** A reading of a part of a line: it is offered, and neither answered nor opened. */
export function asPart(reading: Reading | undefined): Reading | undefined {
  if (reading?.kind === 'clear') return { ...reading, guess: { ...reading.guess, isWhole: false } };
  return reading;
}

/** A command that may be meant, with what it takes of a line. */
export type Candidate = {
  readonly of: Meant;
  readonly filled: Filled;
  readonly said: Said;
  readonly score: number;
  /** What the words that call it add to the score. */
  readonly worth: number;
  readonly explained: ReadonlySet<number>;
  /** Whether it is called the emergency brake, by two words or more. */
  readonly isBrake: boolean;
  /** Whether the line is mostly about something else. */
  readonly isTooLittle: boolean;
};

/** How many words of a phrase make it plain what is meant, whatever else is said. */
const plainly = 3;

/**
 * A thing that a command has no place for speaks against it more than a word that calls it speaks for it, a word that it
 * has no place for nearly as much, and what is missing a little.
 */
const against = ({ free, left, ownWords, missing, isImplied }: Filled): number =>
  free.length * 2 + left.length * 0.75 + ownWords * 0.25 + Math.min(missing, 1) * 0.5 + (isImplied ? 0.1 : 0);

export function candidateOf(match: Match<Meant>, line: Omit<SpokenLine, 'called' | 'explained'>): Candidate {
  const { of, explains: explained, called, score } = match;
  const filled = fill(of.path, of.command, { ...line, called, explained });
  const { free, extra } = filled;
  const { things } = line.said;
  const isBrake = of.command.shape === 'builtin' && of.command.brake === true && score > 1;
  // Of what can't be done, nothing is filled; and the brake is meant, whatever else is said.
  const missed = { ...filled, ...(of.says && { free: [] }), ...(isBrake && { ownWords: 0 }) };
  // Only what changes something can be run dry.
  const worth = 2 * score + (extra.dryRun === true ? 2 : 0);
  return {
    of,
    filled,
    said: line.said,
    score: worth + (things.length - free.length) * 0.5 - against(missed),
    worth,
    explained,
    isBrake,
    isTooLittle: !isBrake && score < plainly && isTooLittle(filled, match, line),
  };
}

function isTooLittle(
  { left, ownWords }: Filled,
  { called, explains }: Match<Meant>,
  { place, said, words }: Omit<SpokenLine, 'called' | 'explained'>,
): boolean {
  const { length } = said.things;
  // What is certainly said to me asks for something; a name alone doesn't say for what.
  if (place.isAddressed) return explains.size === 0 && left.length > length;
  // In a mention, a name asks for something only if nothing else is said.
  if (called.size === 0 && words.some((_, at) => !said.covered.has(at))) return true;
  return left.length + (length === 0 ? ownWords : 0) > explains.size + length;
}

export const byScore = (one: Candidate, other: Candidate): number => other.score - one.score;

/** A command that ends in another command: that is read from the words that are left. */
export function withInner(
  candidate: Candidate,
  candidatesIn: (free: (at: number) => boolean) => readonly Candidate[],
): Candidate {
  const { of, filled, explained } = candidate;
  const [field] = Object.entries(of.command.fields).find(([, one]) => one.kind === 'plain' && one.rest) ?? [];
  if (field === undefined) return candidate;
  const inner = candidatesIn((at) => !explained.has(at)).find(
    ({ of: { command: one } }) => !takesRest(one) && (one.shape !== 'builtin' || changesSomething(one)),
  );
  if (inner === undefined || inner.of.says) return candidate;
  const { given, shown, isTurned } = inner.filled;
  const left = inner.filled.left.filter((word) => filled.left.includes(word));
  const args = argsOf(inner.of.path, inner.of.command.fields, (name) => given[name] ?? []);
  // What both have no place for has none.
  const free = inner.filled.free.filter((thing) => filled.free.includes(thing));
  const whole = {
    ...filled,
    given: { ...filled.given, [field]: args },
    shown,
    free,
    left,
    isTurned,
    isWhole: left.length === 0 && free.length === 0 && !isTurned,
  };
  return { ...candidate, filled: whole, score: candidate.worth + inner.score };
}
