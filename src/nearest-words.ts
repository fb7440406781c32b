import { distance as levenshtein } from 'fastest-levenshtein';
import { either, say, type Inline, type Text } from './text.ts';

/** Edit distance; two swapped letters count as one edit. */
const distance = (one: string, other: string): number =>
  one !== other && one.length === other.length && sorted(one) === sorted(other) ? 1 : levenshtein(one, other);
const sorted = (word: string): string => word.split('').toSorted().join('');

/** The entries of `known` that `typed` may have meant, nearest first, at most five. */
export const near = (typed: string, known: readonly string[]): readonly string[] =>
  nearestOf(typed, known).map(({ word }) => word);

/** The nearest entries; more than one if they are equally near. */
export function nearest(typed: string, known: readonly string[]): readonly string[] {
  const all = nearestOf(typed, known);
  return all.filter(({ edits }) => edits === all[0]?.edits).map(({ word }) => word);
}

function nearestOf(typed: string, known: readonly string[]) {
  const all = known.map((word) => ({ word, edits: distance(typed, word) }));
  const [first] = all;
  if (typed === '' || first === undefined) return [];
  const closest = all.reduce((best, one) => (one.edits < best.edits ? one : best), first);
  const limit = Math.max(2, Math.floor(closest.word.length / 3));
  // Two edits leave nothing of a short word: `is` is not `dns`.
  const isNear = (word: string, edits: number): boolean => edits * 2 <= Math.max(typed.length, word.length);
  return all
    .filter(({ word, edits }) => edits <= limit && isNear(word, edits))
    .sort((one, other) => one.edits - other.edits)
    .slice(0, 5);
}

/** The edit distance between `typed` and its nearest entry. */
export const away = (typed: string, known: readonly string[]): number =>
  Math.min(...known.map((one) => distance(typed, one)));

/** A question about what was meant. */
export const didYouMean = (meant: readonly Inline[]): Text => say`Did you mean ${either(meant)}?`;

/** A command found in a sentence: how many letters were off, and the words that are not part of it. */
type CommandMatch = { readonly path: string; readonly slips: number; readonly rest: readonly string[] };

const maxWords = 12;
const maxWordLength = 40;

/**
 * The `paths` whose words all occur in what was typed, in any order: `clear the cache` means `cache clear`. More
 * matched words win, then fewer typos. Returns only the best matches, at most three.
 */
export function nearestCommands(typed: readonly string[], paths: readonly string[]): readonly CommandMatch[] {
  const found = paths
    .flatMap((path) => matchCommand(path, typed.slice(0, maxWords)) ?? [])
    .sort((one, other) => one.rest.length - other.rest.length || one.slips - other.slips);
  return found
    .filter(({ rest, slips }) => rest.length === found[0]?.rest.length && slips === found[0].slips)
    .slice(0, 3);
}

function matchCommand(path: string, typed: readonly string[]): CommandMatch | undefined {
  const rest = [...typed];
  let slips = 0;
  for (const word of path.split(' ')) {
    const off = rest.map((one) => distance(one.slice(0, maxWordLength).toLowerCase(), word));
    const least = Math.min(...off);
    // A typo in a short word gives another word: `set` and `let`.
    if (least > Math.min(Math.max(word.length - 3, 0), 2)) return undefined;
    slips += least;
    rest.splice(off.indexOf(least), 1);
  }
  return { path, slips, rest };
}
