import { isArrow, split, type Word } from './tokenize.ts';

/**
 * A word as people say it: `typed`, without the punctuation around it, and a key to compare it by. `clause`: how many
 * commas and full stops come before it.
 */
export type Spoken = Word & {
  readonly typed: string;
  readonly key: string;
  readonly clause: number;
  /** Whether it is struck out, in brackets or the like, so that it may not be meant. */
  readonly isMarked: boolean;
};

/** What is known before a line is read: the keys of words that commands are called by, and the names of options. */
export type Known = Readonly<Record<'isWord' | 'isOption', (text: string) => boolean>>;

/** A longer line is not read: what is at its end may turn it round. */
const maxWords = 60;
/** The most letters of a word that are compared. */
const maxLetters = 40;

/** Splits a line into spoken words; `clear-cache` is two if both are known. Throws `Refusal` like `split`. */
export function spokenIn(line: string, known: Known): readonly Spoken[] {
  let clause = 0;
  const all = split(withoutMarks(line));
  if (all.length > maxWords) return [];
  return all.flatMap(({ text: typed, quoted }) => {
    const texts = quoted ? [typed] : partsOf(bareWord(typed), known);
    const words = texts.flatMap((text) =>
      text === '' && !quoted
        ? []
        : [
            {
              typed,
              text,
              quoted,
              clause,
              key: keyOf(text),
              isMarked: !quoted && !text.startsWith('--') && marks.test(typed),
            },
          ],
    );
    if (!quoted && /[.,;!?…–—]$/.test(typed)) clause += 1;
    return words;
  });
}

const marks = /^[~(<[{-](?![->])\p{L}|\p{L}[~)>\]}]|^>/u;

/** Other tools' options are what they say (`--url=acme.com`), and `error.log` is a log. */
function partsOf(word: string, { isWord, isOption }: Known): readonly string[] {
  const [, option = '', value] = /^--?(\p{L}[\p{L}\p{N}-]*)(?:=([^]*))?$/u.exec(word) ?? [];
  if (option !== '' && isOption(option)) return [`-${word}`.replace(/^-+/, '--')];
  if (option !== '') return [...partsOf(option, { isWord, isOption }), value ?? ''];
  const [, address] = /^[\w-]+=(https?:\/\/.*)$/.exec(word) ?? [];
  if (address !== undefined) return [address];
  const parts = word.split(/[-:]|\.(?=log$)/);
  const isKnown = (part: string, at: number): boolean => isWord(keyOf(part)) || (at > 0 && /^\d+$/.test(part));
  return parts.length > 1 && parts.every(isKnown) ? parts : [word];
}

/** Slack writes bold, italic and code between these; a `*` in a name of many stands alone or inside. */
const withoutMarks = (line: string): string =>
  line
    .replaceAll(/`+/g, ' ')
    .replaceAll(/(?<![^\s(])([*_])(?=[\p{L}\p{N}#@/])([^\n]*?[\p{L}\p{N}])\1(?![^\s,.;:!?)])/gu, '$2');

/** Options, arrows and emoji stay as they are. Empty: it was punctuation alone. */
function bareWord(word: string): string {
  if (/^(?:--?\p{L}.*|:[a-z_+\d-]+:|\?|<[-=]+)$/u.test(word) || isArrow(word)) return word;
  const bare = word
    .replace(/^(@\w+)['’]s$/, '$1')
    .replace(/^[([{<“"'‘]+/u, '')
    .replace(/[)\]}>”"'’.,;:!?…]+$/gu, '');
  // What is neither a word nor the punctuation of a sentence may mean something.
  return /[\p{L}\p{N}*]/u.test(bare) || !/^[.,;:!?…"'“”‘’]+$/.test(word) ? bare || word : '';
}

/** Small letters, and without endings: `clearing`, `cleared` and `clears` are `clear`; `caches` is `cache`. */
export function keyOf(word: string): string {
  const small = word.slice(0, maxLetters).toLowerCase().replaceAll('’', "'").replace(/'s$/, '');
  if (small.length < 3 || !/^[a-z]+$/.test(small)) return small;
  const stem = small
    .replace(/ies$/, 'y')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?:(?<=[a-z]{3})ing|(?<=[a-z]{3})ed|e)$/, '');
  return stem.length < 4 ? stem : stem.replace(/([b-df-hj-np-tv-z])\1$/, '$1');
}

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
