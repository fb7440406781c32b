import { isArrow, split, type Word } from './tokenize.ts';
import { parseDuration, showDuration } from '../words/duration.ts';
import { weekdayNamed } from '../words/written-time.ts';

/** Words, times and numbers, as people say them in a line. */

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

/** Words that put off what stands beside them. */
const later = /^(?:later|ton(?:ight|ite)|tomorrow|nights?|evening|afternoon|noon|midnight|weekend|after)$/i;

export const putsOff = ({ text, quoted }: Spoken): boolean =>
  !quoted && (later.test(text) || weekdayNamed(text) !== undefined);

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

/** Times and numbers, as people say them in a line. */

/** What the words before a time say of it: how long, since when, until when. These are names of fields, too. */
export const timeRoles = ['for', 'since', 'until'] as const;
export type TimeRole = (typeof timeRoles)[number];

/** What was found, and how many words say it. */
type Span = {
  readonly thing:
    | { readonly kind: 'time'; readonly text: string; readonly role: TimeRole | undefined }
    | { readonly kind: 'count' | 'number'; readonly text: string };
  readonly length: number;
};

const leads: ReadonlyMap<string, TimeRole> = new Map([
  ['for', 'for'],
  ['since', 'since'],
  ['after', 'since'],
  ['last', 'since'],
  ['past', 'since'],
  ['until', 'until'],
  ['till', 'until'],
  ['before', 'until'],
  // What is to come is no length.
  ['in', 'until'],
]);
const between = new Set(['the', 'within', 'over', 'during', 'about']);
const wholeUnits: Readonly<Record<string, string>> = { minute: '1m', hour: '1h', day: '1d', week: '7d' };

/** A length of time or a moment, with the words that lead to it: `for 2 hours`, `since yesterday`, `in the last hour`. */
export function spanAt(words: readonly Spoken[], at: number): Span | undefined {
  let role: TimeRole | undefined;
  let next = at;
  const text = (): string => words[next]?.text.toLowerCase() ?? '';
  while (next - at < 4 && (leads.has(text()) || between.has(text()))) {
    role = leads.get(text()) ?? role;
    next += 1;
  }
  const isLed = role !== undefined || next === at;
  const amount = isLed ? amountAt(words, next, role !== undefined) : undefined;
  if (amount === undefined) return undefined;
  const end = next + amount.length;
  const isPast = words[end]?.key === 'ago' || amount.isMoment;
  const length = end - at + (words[end]?.key === 'ago' ? 1 : 0);
  return { thing: { kind: 'time', text: amount.text, role: role ?? (isPast ? 'since' : undefined) }, length };
}

type Amount = { readonly text: string; readonly length: number; readonly isMoment: boolean };

/** How people write times, at the beginning of a text. */
const moment =
  /^(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d)? ?[ap]m|this morning|morning|today|yesterday'?s?|\d{4}-\d\d-\d\d(?: \d{1,2}:\d\d)?|(?:[01]?\d|2[0-3]):[0-5]\d)(?= |$)/;

/** `6am` is `06:00`, and this morning today. */
function in24(clock: string): string {
  if (clock.endsWith('morning')) return 'today';
  const [, hour, minutes = ':00', half] = /^(\d+)(:\d\d)? ?([ap])m$/.exec(clock) ?? [];
  if (hour === undefined) return clock;
  return `${String((Number(hour) % 12) + (half === 'p' ? 12 : 0)).padStart(2, '0')}${minutes}`;
}

const oneUnit = /^(an? |one |this )?(minute|hour|day|week)(?= |$)/;
const weeks = /^(\d{1,3}) ?(?:w|weeks?)(?= |$)/;

const inDigits: Readonly<Record<string, string>> = {
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  ten: '10',
  twelve: '12',
  thirty: '30',
};

/** `isLed`: a word before it says that a time follows, so `hour` alone is one. */
function amountAt(words: readonly Spoken[], at: number, isLed: boolean): Amount | undefined {
  const next = words.slice(at, at + 3).map(({ text }) => inDigits[text.toLowerCase()] ?? text.toLowerCase());
  const line = next.join(' ');
  const amount = (said: string, text = said, isMoment = false): Amount => ({
    text,
    length: said.split(' ').length,
    isMoment,
  });
  const [clock] = moment.exec(line) ?? [];
  if (clock !== undefined) return amount(clock, in24(clock), true);
  const [one, article, unit = ''] = oneUnit.exec(line) ?? [];
  if (one !== undefined && (isLed || article !== undefined)) return amount(one, wholeUnits[unit]);
  const [half] = /^half an? hour/.exec(line) ?? [];
  if (half !== undefined) return amount(half, '30m');
  const [several, number] = weeks.exec(line) ?? [];
  if (several !== undefined) return amount(several, `${Number(number) * 7}d`);
  const length = [2, 1].find(
    (count) => count <= next.length && parseDuration(next.slice(0, count).join(' ')) !== undefined,
  );
  const text = next.slice(0, length).join(' ');
  return length === undefined ? undefined : amount(text, showDuration(parseDuration(text) ?? 0));
}

/** `50 lines`, `last 50`, `no 4`, or a number alone, unless only what is `counted` is one: `500` can be an error. */
export function numberAt(words: readonly Spoken[], at: number, only?: 'counted'): Span | undefined {
  const lead = /^(?:last|no|nr|number)$/i.exec(words[at]?.text ?? '')?.[0].toLowerCase();
  const number = lead === undefined ? at : at + 1;
  const text = words[number]?.text ?? '';
  const isCount = /^(?:lines?|entr(?:y|ies)|rows?)$/i.test(words[number + 1]?.text ?? '');
  if (!/^\d{1,7}$/.test(text) || (only && !isCount)) return undefined;
  const kind = isCount || lead === 'last' ? 'count' : 'number';
  return { thing: { kind, text }, length: number + 1 - at + Number(isCount) };
}
