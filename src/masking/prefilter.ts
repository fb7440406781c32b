/** Fast checks of what a text contains. Most texts contain nothing to mask, and regular expressions are slower. */

/** Reused for every text; nearly all are log lines. */
const scratch = Buffer.alloc(16_384);

/**
 * The codes of a text's characters, lower byte only, which is enough to tell ASCII letters, digits and signs. Reading
 * them is much faster than reading the text. The next text overwrites them.
 */
export function codesOf(text: string): Uint8Array {
  const codes = text.length > scratch.length ? Buffer.allocUnsafe(text.length) : scratch;
  codes.write(text, 0, 'latin1');
  return codes;
}

/** A lookup table: 1 for each ASCII code that matches. */
export const asciiTable = (characters: RegExp): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, code) => (code < 128 && characters.test(String.fromCharCode(code)) ? 1 : 0));

/**
 * The start of a run of at least `length` wanted codes, or -1. Checks only every n-th position and its surroundings.
 */
export function runIn(codes: Uint8Array, end: number, wanted: Uint8Array, length: number, start = 0): number {
  for (let at = start + length - 1; at < end; at += length) {
    if (wanted[codes[at] ?? 0] === 0) continue;
    let from = at;
    let to = at + 1;
    while (to - from < length && to < end && wanted[codes[to] ?? 0] === 1) to += 1;
    while (to - from < length && from > start && wanted[codes[from - 1] ?? 0] === 1) from -= 1;
    if (to - from === length) return from;
  }
  return -1;
}

const bits = 15;
const all = 2 ** bits - 1;
type Place = {
  readonly word: string;
  readonly end: number;
  readonly isPlain: boolean;
  readonly unless: readonly string[];
};
const none: ReadonlySet<string> = new Set();

/** Whether the word may be at this position, ignoring case; the caller must confirm it in the text. */
function mayStand(codes: Uint8Array, start: number, word: string): boolean {
  for (let at = 0; at < word.length; at += 1)
    if (((codes[start + at] ?? 0) | 32) !== (word.charCodeAt(at) | 32)) return false;
  return true;
}

/**
 * Finds words of two or more characters, ignoring case. Each is looked up by three characters from its middle, with
 * five bits each, which are the same in upper and lower case. A word does not count after one of its `idle` prefixes.
 */
export function wordsFinder(
  words: readonly string[],
  idle: Readonly<Record<string, readonly string[]>> = {},
): (text: string, codes?: Uint8Array) => ReadonlySet<string> {
  const isWanted = new Uint8Array(2 ** bits);
  const places = Array.from({ length: 2 ** bits }, (): Place[] => []);
  const want = (three: number, place: Place): void => {
    isWanted[three] = 1;
    places[three]?.push(place);
  };
  for (const word of words) {
    const isPlain = /^[\n\t\x20-\x7E]*$/.test(word);
    const unless = idle[word] ?? [];
    const middle = Math.max(0, Math.floor((word.length - 3) / 2));
    const codes = Array.from(word.slice(middle, middle + 3), (character) => character.charCodeAt(0) & 31);
    const found = codes.reduce((sum, code) => (sum << 5) | code, 0);
    if (codes.length === 3) want(found, { word, end: middle + 2, isPlain, unless });
    // A word of two characters is indexed with every possible character before it.
    else for (let before = 0; before < 32; before += 1) want((before << 10) | found, { word, end: 1, isPlain, unless });
  }
  return (text, codes = codesOf(text)) => {
    let held: Set<string> | undefined;
    let last = 0;
    let foreign: boolean | undefined;
    const isForeign = (): boolean => (foreign ??= /[^\0-\x7F]/.test(text));
    const stands = ({ word, isPlain }: Place, from: number): boolean =>
      (isPlain ? mayStand(codes, from, word) : isForeign()) &&
      text.slice(from, from + word.length).toLowerCase() === word;
    for (let at = 0, end = text.length; at < end; at += 1) {
      last = ((last << 5) | ((codes[at] ?? 0) & 31)) & all;
      if (isWanted[last] === 0) continue;
      for (const place of places[last] ?? []) {
        const { word, unless } = place;
        const from = at - place.end;
        if (from < 0 || held?.has(word) === true || !stands(place, from)) continue;
        if (!unless.some((before) => text.endsWith(before, from))) (held ??= new Set()).add(word);
      }
    }
    return held ?? none;
  };
}
