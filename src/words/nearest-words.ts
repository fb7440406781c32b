import { distance as levenshtein } from 'fastest-levenshtein';
import { either, say, type Inline, type Text } from './text.ts';

/** Edit distance; two swapped letters count as one edit. */
export const edits = (one: string, other: string): number =>
  one !== other && one.length === other.length && sorted(one) === sorted(other) ? 1 : levenshtein(one, other);
const sorted = (word: string): string => word.split('').toSorted().join('');

/** The entries of `known` that `typed` may have meant, nearest first, at most five. */
export const near = (typed: string, known: readonly string[]): readonly string[] =>
  nearestOf(typed, known).map(({ word }) => word);

function nearestOf(typed: string, known: readonly string[]) {
  const all = known.map((word) => ({ word, edits: edits(typed, word) }));
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

/** A question about what was meant. */
export const didYouMean = (meant: readonly Inline[]): Text => say`Did you mean ${either(meant)}?`;
