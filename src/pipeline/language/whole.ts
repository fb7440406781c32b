import { isName } from '../../commands/kit/action.ts';
import type { Field } from '../../commands/kit/fields.ts';
import { changesSomething, type Command } from '../../commands/index.ts';
import type { Filling } from './filling.ts';
import { isSmall } from './lexicon.ts';
import type { Spoken } from './spoken.ts';
import { isArticle, limits, saysRole, turnsRound } from './talk.ts';
import { isArrow } from './tokenize.ts';

/** Whether a guess says all that was said, and nothing else. */

/**
 * Whether every word has its place: in the phrase that calls the command, in what a field took, or as grammar between
 * them. Only then is it answered or opened at once.
 */
export function isWhole(filling: Filling): boolean {
  const { words, called, explained, used, said, free, ownWords, why, hasWhy, command, isGuessed } = filling;
  if (free.size > 0 || ownWords > 0 || isGuessed || isTurned(filling)) return false;
  if (words.some(({ isMarked }) => isMarked)) return false;
  if (why.length > 0 && (!hasWhy || why.some(limits))) return false;
  const isChange = changesSomething(command);
  // `The cache was cleared` asks for nothing.
  if (isChange && [...called].some((at) => /[a-z]ed$/i.test(words[at]?.text ?? ''))) return false;
  if (isDestructive(command) && (filling.isImplied || filling.isOfThread)) return false;
  const isPlaced = (at: number): boolean =>
    used.has(at) || said.covered.has(at) || (!isChange && explained.has(at)) || isOfFlag(filling, at);
  return words.every((word, at) => isPlaced(at) || (isChange ? isGrammar(words, at, isPlaced) : isQuiet(word)));
}

export const isDestructive = (command: Command): boolean =>
  command.shape === 'action' && command.risk === 'destructive';

/** `files only`, `just the files`: the other flags are left out, as they are. */
const isOfFlag = ({ words, flags }: Filling, at: number): boolean =>
  /^(?:only|just)$/i.test(words[at]?.text ?? '') && [-1, 1, 2].some((off) => flags.has(at + off));

/** Words that are small, and yet say which of something, or when. */
const loud = /^(?:only|just|either|or|actually|was|were|will|then|over|app|team|us|my)$/i;
const isQuiet = (word: Spoken): boolean => isSmall(word) && !loud.test(word.text);

const courtesy =
  /^(?:please|pls|plz|kindly|hey|hi|hello|yo|ok|okay|thanks?|thank|thx|cheers|can|could|you|u|i|we|need|want|lets|let's|sitehand|bot|asap|sudo)$/i;
const preposition = /^(?:of|on|for|at|in|to|by|with|from|into|onto)$/i;
const joint = /^(?:and|&|plus|also|both)$/i;

/** Whether a word only joins what stands beside it: an article or a preposition before it, or a courtesy. */
function isGrammar(words: readonly Spoken[], at: number, isPlaced: (at: number) => boolean): boolean {
  const text = words[at]?.text ?? '';
  if (courtesy.test(text)) return true;
  if (joint.test(text) || isArrow(text)) return isPlaced(at - 1) && at + 1 < words.length;
  if (!isArticle(text) && !preposition.test(text)) return false;
  return at + 1 < words.length && (isPlaced(at + 1) || isGrammar(words, at + 1, isPlaced));
}

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

/** Whether it may be about a part of what is named, or something beside it: `delete the database of the shop`. */
export function isVague(filling: Filling, left: readonly Spoken[]): boolean {
  const { words, command, said, used, isOfThread } = filling;
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
