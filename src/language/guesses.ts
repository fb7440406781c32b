import { catalogue, changesSomething, type Command } from '../commands/index.ts';
import type { CannotDo } from '../commands/cannot.ts';
import { attempt, type Args } from '../base/errors.ts';
import type { Candidate } from './candidates.ts';
import type { Filled } from './fill.ts';
import { parseArgs } from './parse.ts';
import type { ParsedCommand } from './parsed-command.ts';
import { resolve, type KnownNames } from './resolve.ts';
import { join } from './tokenize.ts';
import { argsOf, takesRest } from './usage.ts';

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
