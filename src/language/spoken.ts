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
