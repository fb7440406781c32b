import { distance as slips } from 'fastest-levenshtein';

/** How many slips of the fingers one is from the other; letters that changed their places are one. */
const distance = (one: string, other: string): number =>
  one !== other && sorted(one) === sorted(other) ? 1 : slips(one, other);
const sorted = (word: string): string => word.split('').toSorted().join('');
const closest = (typed: string, known: readonly string[]): string =>
  known.reduce((best, one) => (distance(typed, one) < distance(typed, best) ? one : best), known[0] ?? '');

/** Those of `known` that somebody may have meant by `typed`, nearest first. */
export function near(typed: string, known: readonly string[]): readonly string[] {
  if (typed === '' || known.length === 0) return [];
  const nearest = closest(typed, known);
  const limit = Math.max(2, Math.floor(nearest.length / 3));
  return known
    .filter((one) => distance(typed, one) <= limit)
    .sort((one, other) => distance(typed, one) - distance(typed, other))
    .slice(0, 5);
}

/** The nearest of them: more than one where they are equally near. */
export function nearest(typed: string, known: readonly string[]): readonly string[] {
  const all = near(typed, known);
  return all.filter((one) => distance(typed, one) === distance(typed, all[0] ?? ''));
}

/** How many letters have to change to make `typed` the nearest of them. */
export const away = (typed: string, known: readonly string[]): number =>
  Math.min(...known.map((one) => distance(typed, one)));

/** A command found in a sentence: how many letters were off, and the words that are none of its own. */
type Found = { readonly path: string; readonly slips: number; readonly rest: readonly string[] };

const maxWords = 12;
const maxWordLength = 40;

/**
 * Those of `paths` whose every word stands somewhere in what was typed, in whatever order: `clear the cache` means
 * `cache clear`. The most words first, then the fewest slips; only the best are given, three at most.
 */
export function commandsIn(typed: readonly string[], paths: readonly string[]): readonly Found[] {
  const found = paths
    .flatMap((path) => foundAs(path, typed.slice(0, maxWords)) ?? [])
    .sort((one, other) => one.rest.length - other.rest.length || one.slips - other.slips);
  return found
    .filter(({ rest, slips }) => rest.length === found[0]?.rest.length && slips === found[0].slips)
    .slice(0, 3);
}

function foundAs(path: string, typed: readonly string[]): Found | undefined {
  const rest = [...typed];
  let slips = 0;
  for (const word of path.split(' ')) {
    const off = rest.map((one) => distance(one.slice(0, maxWordLength).toLowerCase(), word));
    const least = Math.min(...off);
    // Of a short word a slip makes another word: `set` and `let`.
    if (least > Math.min(Math.max(word.length - 3, 0), 2)) return undefined;
    slips += least;
    rest.splice(off.indexOf(least), 1);
  }
  return { path, slips, rest };
}
