import { type Command, changesSomething } from '../commands/index.ts';
import { type Spoken, isArticle, putsOff, saysRole, turnsRound } from './spoken.ts';
import type { Thing } from './plain-things.ts';
import type { Place, Said } from './things.ts';
import { isName } from '../commands/kit/action.ts';
import type { Field } from '../commands/kit/fields.ts';
import { isSmall } from './lexicon.ts';

/** A line that a command is filled with. */
export type SpokenLine = {
  readonly words: readonly Spoken[];
  /** The reason at its end, in their own words; empty if there is none. */
  readonly why: readonly Spoken[];
  /** Whether it asks something, rather than for something. */
  readonly isQuestion: boolean;
  readonly said: Said;
  readonly place: Place;
  /** Words of the phrase that says which command is meant. */
  readonly called: ReadonlySet<number>;
  /** Words of any phrase that says so. */
  readonly explained: ReadonlySet<number>;
};

/** What is still free to be taken, and what was taken. */
export type Filling = SpokenLine & {
  readonly path: string;
  readonly command: Command;
  readonly free: Set<Thing>;
  readonly used: Set<number>;
  /** Words such as `no` and `without` whose meaning was taken. */
  readonly meant: Set<number>;
  /** Things of which a word was taken. */
  readonly split: Set<Thing>;
  /** Words that are the choice of a field. */
  readonly chosen: Set<number>;
  readonly shown: Map<string, string>;
  /** How many words were taken as somebody's own, such as a reason. */
  ownWords: number;
  /** Whether a name was taken that nobody has quite so. */
  isGuessed: boolean;
  isImplied: boolean;
  isOfThread: boolean;
};

export const beginFilling = (path: string, command: Command, line: SpokenLine): Filling => ({
  ...line,
  path,
  command,
  free: new Set(line.said.things),
  used: new Set(line.called),
  meant: new Set(line.explained),
  split: new Set(),
  chosen: new Set(),
  shown: new Map(),
  ownWords: 0,
  isGuessed: false,
  isImplied: false,
  isOfThread: false,
});

/** Takes a thing, and its words with it. */
export function take(filling: Filling, thing: Thing): void {
  filling.free.delete(thing);
  for (let at = thing.at; at < thing.end; at += 1) filling.used.add(at);
}

/**
 * Whether every word has its place: in the phrase that calls the command, in what a field took, or as a small word that
 * says nothing. Only then is a report answered at once.
 */
export function isWhole(filling: Filling): boolean {
  const { words, used, said, free, ownWords, why, isGuessed } = filling;
  if (free.size > 0 || ownWords > 0 || why.length > 0 || isGuessed || isTurned(filling)) return false;
  const isPlaced = (word: Spoken, at: number): boolean => used.has(at) || said.covered.has(at) || isQuiet(word);
  return words.every((word, at) => !word.isMarked && isPlaced(word, at));
}

export const isDestructive = (command: Command): boolean =>
  command.shape === 'action' && command.risk === 'destructive';

/** Words that are small, and yet say which of something, or when. */
const loud = /^(?:only|just|either|or|actually|was|were|will|then|over|app|team|us|my)$/i;
const isQuiet = (word: Spoken): boolean => isSmall(word) && !loud.test(word.text);

const joint = /^(?:and|&|plus|also|both)$/i;

/** Whether two places of a line belong to one list: nothing but `and` or a comma stands between them. */
export function isJoined(
  { words, said, command }: Pick<Filling, 'words' | 'said' | 'command'>,
  one: { readonly end: number },
  next: { readonly at: number },
): boolean {
  const isOr = !changesSomething(command);
  return words
    .slice(one.end, next.at)
    .every(
      ({ text }, index) =>
        said.covered.has(one.end + index) || joint.test(text) || isArticle(text) || (isOr && /^or$/i.test(text)),
    );
}

/** Whether a word was left that can turn it round, or it does not say which of two names is which. */
export function isTurned({ words, meant, said, command }: Filling): boolean {
  // `no 4` is a number.
  const isNumber = (at: number): boolean =>
    said.things.some((thing) => thing.kind === 'number' && thing.at <= at && at < thing.end);
  if (words.some((word, at) => !meant.has(at) && !isNumber(at) && turnsRound(word))) return true;
  const named = said.things.filter((thing) => thing.kind === 'environment');
  const [first, second] = named;
  const isOfTwo = Object.values<Field>(command.fields).filter((field) => isName(field) && !field.optional).length > 1;
  if (!isOfTwo || first === undefined || second === undefined) return false;
  // Which of two is overwritten must be said: by words right before them, or as it is typed, one after the other.
  const roles = new Set(named.map(({ role }) => role));
  if (roles.size === 2) return false;
  const isBetween = (at: number): boolean => at >= first.end && at < second.at && !said.covered.has(at);
  const isJoint = ({ text }: Spoken): boolean => /^(?:and|the|site|environment)$/i.test(text);
  return !roles.has(undefined) || words.some((word, at) => saysRole(word.text) || (isBetween(at) && !isJoint(word)));
}

/**
 * Whether it may be about a part of what is named, or something beside it (`delete the database of the shop`), or is to be
 * done at a time that no field takes.
 */
export function isVague(filling: Filling, left: readonly Spoken[]): boolean {
  const { words, command, said, used, isOfThread, explained } = filling;
  const clauses = new Set([...explained].map((at) => words[at]?.clause));
  const isLater = words.some((word, at) => !used.has(at) && clauses.has(word.clause) && putsOff(word));
  if (command.shape === 'action' && isLater) return true;
  // A word that nobody knows may be the name of another environment than the thread's.
  if (isOfThread && left.length > 0) return true;
  const names = Object.values<Field>(command.fields).filter(isName);
  if (isDestructive(command) && names.length === 1 && left.length > 0) return true;
  const isOpen = (at: number): boolean => {
    const word = words[at];
    return word !== undefined && !used.has(at) && !said.covered.has(at) && !isSmall(word);
  };
  const isBare = said.things.some(
    ({ kind, end }) => kind === 'site' && isOpen(end) && words[end - 1]?.clause === words[end]?.clause,
  );
  return changesSomething(command) && isBare;
}
