import { changesSomething } from '../../commands/index.ts';
import type { Meant } from './called.ts';
import { fill, type Filled } from './fill.ts';
import type { SpokenLine } from './filling.ts';
import type { Match } from './lexicon.ts';
import { argsOf, takesRest } from './usage.ts';

/** A command that may be meant, with what it takes of a line. */
export type Candidate = {
  readonly of: Meant;
  readonly filled: Filled;
  readonly score: number;
  /** What the words that call it add to the score. */
  readonly called: number;
  readonly explained: ReadonlySet<number>;
  /** Whether it is called the emergency brake, by two words or more. */
  readonly isEmergency: boolean;
  /** Whether the line is mostly about something else. */
  readonly isTooLittle: boolean;
};

/** What the words of a phrase add to the score if it is plain what is meant, whatever else is said: three of them. */
const plainly = 6;

export function candidateOf({ of, explains, score }: Match<Meant>, line: Omit<SpokenLine, 'explained'>): Candidate {
  const filled = fill(of.path, of.command, { ...line, explained: explains });
  const { missing, things, unused, left, ownWords, isImplied } = filled;
  // A thing that a command has no field for speaks against it, a word that it doesn't know a little.
  // Only what changes something can be run dry.
  const called = 2 * score + (filled.extra.dryRun === true ? 2 : 0);
  const isEmergency = of.command.shape === 'builtin' && of.command.emergency === true && called > 2;
  const against =
    (of.says ? 0 : unused * 2) +
    left.length * 0.75 +
    (isEmergency ? 0 : ownWords * 0.25) +
    Math.min(missing, 1) * 0.5 +
    (isImplied ? 0.1 : 0);
  const isPlain = isEmergency || called >= plainly;
  // What is certainly said to me asks for something; a name alone doesn't say for what.
  const isTooLittle = line.place.isAddressed
    ? explains.size === 0 && left.length > things
    : !isPlain && left.length + (things === 0 ? ownWords : 0) > explains.size + things;
  return {
    of,
    filled,
    score: called + (things - unused) * 0.5 - against,
    called,
    explained: explains,
    isEmergency,
    isTooLittle,
  };
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
  const { given, shown, unused, free } = inner.filled;
  const left = inner.filled.left.filter((word) => filled.left.includes(word));
  const args = argsOf(inner.of.path, inner.of.command.fields, (name) => given[name] ?? []);
  const whole = {
    ...filled,
    given: { ...filled.given, [field]: args },
    shown,
    free,
    unused: Math.max(0, unused - (filled.things - filled.unused)),
    left,
    isWhole: left.length === 0,
  };
  return { ...candidate, filled: whole, score: candidate.called + inner.score };
}
