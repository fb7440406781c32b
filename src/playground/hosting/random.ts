/** Repeatable randomness: the same seed gives the same sequence. */
export type Random = {
  /** A number from 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** True with this probability, from 0 to 1. */
  chance(share: number): boolean;
  /** That many characters of the alphabet. */
  letters(count: number, alphabet?: string): string;
};

/** FNV-1a over UTF-16 units: spreads a seed text over 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}

/** A generator (mulberry32) that starts from a text; not for secrets. */
export function randomFrom(seed: string): Random {
  let state = hash(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => {
    const [picked] = list.slice(integer(0, list.length - 1));
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  };
  const letters = (count: number, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'): string =>
    Array.from({ length: count }, () => alphabet[integer(0, alphabet.length - 1)]).join('');
  return { next, integer, pick, chance: (share) => next() < share, letters };
}
