import { changesSomething } from '../commands/index.ts';
import type { Meant } from './called.ts';
import { fill, type Filled } from './fill.ts';
import type { SpokenLine } from './filling.ts';
import type { Match } from './lexicon.ts';
import type { Said } from './things.ts';
import { argsOf, takesRest } from './usage.ts';

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
  readonly isEmergency: boolean;
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
  const isEmergency = of.command.shape === 'builtin' && of.command.emergency === true && score > 1;
  // Of what can't be done, nothing is filled; and the brake is meant, whatever else is said.
  const missed = { ...filled, ...(of.says && { free: [] }), ...(isEmergency && { ownWords: 0 }) };
  // Only what changes something can be run dry.
  const worth = 2 * score + (extra.dryRun === true ? 2 : 0);
  return {
    of,
    filled,
    said: line.said,
    score: worth + (things.length - free.length) * 0.5 - against(missed),
    worth,
    explained,
    isEmergency,
    isTooLittle: !isEmergency && score < plainly && isTooLittle(filled, match, line),
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
