import type { Spoken } from './spoken.ts';
import { isArrow } from './tokenize.ts';

/** What is said about a line by how it is put. */

/** Who asks whether something was done, or should be, asks for nothing to be done. */
const question =
  /^(?:is|are|was|were|did|does|do|has|have|had|should|who|whose|why|when|what|which|where|how|am|may|might)$/i;

const asking = /\b(?:please|pls|plz|(?:can|could|would|will) you)\b/i;

/** Whether it is said to somebody: `please …`, `can you …`. */
export const isAsking = (line: string): boolean => asking.test(line);

/** Whether it asks something, rather than for something to be done. */
export const isQuestion = (line: string, [first]: readonly Spoken[]): boolean =>
  !asking.test(line) && (/\?\s*$/.test(line) || question.test(first?.text ?? ''));

const beforeReason = /^(?:(?:because|cuz|coz) \S*|since (?:we|i))$/i;

/** The line, and the reason that somebody gives at its end in their own words. */
export function withoutReason(words: readonly Spoken[]): {
  readonly words: readonly Spoken[];
  readonly why: readonly Spoken[];
} {
  const at = words.findIndex(
    ({ text, quoted }, index) => index > 0 && !quoted && beforeReason.test(`${text} ${words[index + 1]?.text ?? ''}`),
  );
  if (at === -1) return { words, why: [] };
  const option = words.findIndex(({ text, quoted }, index) => index > at && !quoted && text.startsWith('--'));
  const end = option === -1 ? words.length : option;
  return {
    words: [...words.slice(0, at), ...words.slice(end)],
    why: words.slice(at + 1, end),
  };
}

/** `I already cleared it`, `fyi Ben pushed it`, `Ana is looking at it`: people talk to each other about what they did or do. */
const report = new RegExp(
  [
    /^(?:fyi|btw|haha+|lol|omg|wow|phew)\b/,
    /^(?:many |ok |great )*(?:thanks|thank you|thx|ty|cheers)\b(?!.*\?)/,
    /^(?!.*\?)(?!is |are |was |were ).*\balready\b/,
    /(?<!\b(?:am|are|is|was|were|if|since|when|after|before|because) )\b(?:i|we|he|she|they)(?:'ve| have| had| just)* (?!need)[a-z]+ed\b/,
    /\b(?:am|'m|is|are) [a-z]+ing (?:at|on|into)\b/,
    /\S (?:is|are) (?:back|(?:up|ok|fine|working) again)\b(?!.*\?)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/** A line without what is only told in it. */
export const withoutReports = (words: readonly Spoken[]): readonly Spoken[] =>
  [...Map.groupBy(words, ({ clause }) => clause).values()]
    .filter((clause) => !report.test(clause.map(({ typed }) => typed).join(' ')))
    .flat();

/** Words that can mean the opposite, or less, of what stands beside them. */
const turns =
  /^(?:not?|none|never|nothing|neither|nor|without|except|excluding|exclude|but|unless|instead|excepted|minus|dry|until|till?|cannot|\S+n['’]t|dont|doesnt|<[-=]+|←|⬅|⇐)$/iu;

/** Words that leave out the option behind them. */
export const leavesOut = /^(?:no|not|nor|without|except|excluding|exclude|minus)$/i;

export const turnsRound = ({ text, quoted }: Spoken): boolean => !quoted && turns.test(text);

/** Where an environment is in a push: what stands before it says so. */
export type Role = 'from' | 'onto' | undefined;

const beforeSource = new Set(['from', 'with', 'by']);
const beforeTarget = new Set(['to', 'into', 'onto', 'over']);
const isBeforeTarget = (text: string): boolean => beforeTarget.has(text) || isArrow(text);
/** Whether this word says which of two environments the next one is. */
export const saysRole = (text: string): boolean =>
  beforeSource.has(text.toLowerCase()) || isBeforeTarget(text.toLowerCase());

const article = /^(?:a|an|the|this|our|my|your|its|their|his|her|site|environment)$/i;
/** Whether it says nothing but that a name follows. */
export const isArticle = (text: string): boolean => article.test(text);

/** The word that says which of two it is: the nearest one before it, up to the name before. */
export function roleAt(words: readonly Spoken[], at: number): Role {
  const before = words[at - 1]?.text.toLowerCase() ?? '';
  if (isArticle(before)) return roleAt(words, at - 1);
  if (beforeSource.has(before)) return 'from';
  return isBeforeTarget(before) ? 'onto' : undefined;
}
