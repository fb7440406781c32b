import { wordsFinder } from './glance.ts';
import { rules } from './names.ts';
import { base64, isPrivateKey, worded } from './private-keys.ts';
import { without, type Rule } from './rule.ts';
import { hasLongRun, hinted, runningToken } from './tokens.ts';

/** Replaces what is shaped like a credential. Most texts have none, and are known for that at one look. */

const kinds: readonly Rule[] = [...hinted, ...worded, ...rules];

/** What stands for itself, but for an escaped sign. */
const isWord = (hint: string): boolean => !/[\\[\](){}?*+.^$]/.test(hint.replaceAll(/\\[^a-z]/gi, ''));
const wordsOf = (hint: string): readonly string[] =>
  hint.split('|').flatMap((one) => (isWord(one) ? [one.replaceAll(/\\(.)/g, '$1').toLowerCase()] : []));
const spelled = [...new Set(kinds.flatMap(({ hint }) => wordsOf(hint)))];
/** Without those that hold another one: where `passwd` stands, `pass` does. */
const words = spelled.filter((word) => !spelled.some((other) => other !== word && word.includes(other)));
const wordsIn = wordsFinder(words);
/** By a word, the numbers of the rules that look for it. */
const byWord = new Map(
  words.map((word) => [
    word,
    kinds.flatMap(({ hint }, at) => (wordsOf(hint).some((one) => one.includes(word)) ? [at] : [])),
  ]),
);

const signs = kinds.flatMap(({ hint }, at) => {
  const own = hint.split('|').filter((one) => !isWord(one));
  return own.length === 0 ? [] : [{ at, sign: new RegExp(own.join('|'), 'i') }];
});
const anySign = new RegExp(signs.map(({ sign }) => sign.source).join('|'), 'i');

/** Which rules may find something, by their numbers. */
function lookedFor(text: string): ReadonlySet<number> {
  const may = new Set<number>();
  for (const word of wordsIn(text)) for (const at of byWord.get(word) ?? []) may.add(at);
  if (anySign.test(text)) for (const { at, sign } of signs) if (sign.test(text)) may.add(at);
  return may;
}

/** The text with everything shaped like a known kind of credential replaced by `***`. */
export function mask(text: string): string {
  let left = hasLongRun(text) ? text.replace(runningToken, '***') : text;
  const mayFind = lookedFor(left);
  if (mayFind.size > 0) for (const [at, rule] of kinds.entries()) if (mayFind.has(at)) left = without(left, rule);
  return mayBeKey.test(left) ? left.replace(base64.shape, masked) : left;
}

const mayBeKey = new RegExp(base64.hint);
const masked = (run: string): string => (isPrivateKey(run) ? '***' : run);
