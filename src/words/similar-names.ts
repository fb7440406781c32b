import { distance as levenshtein } from 'fastest-levenshtein';
import { either, say, type Inline, type Text } from './text.ts';

/** Names and words that look alike: which was probably meant, and how those in one list are told apart. */

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

/** Names in one list: those that others in it have too are shown with the end of their id. */

type Named = { readonly id: string; readonly name: string };

/** The fewest characters of an id that are shown. */
const least = 4;
/** Longer names are cut where something follows them. */
const maxName = 60;

/**
 * How the names of a list are shown, so that no two look the same: `acme-shop/live (…1001)` if another one is called
 * `acme-shop/live` too, in any case. A name that is not in the list is shown as it is.
 */
export function toldApart(all: readonly Named[]): (one: Named) => string {
  const byId = new Map(all.map((one) => [one.id, one]));
  const same = Map.groupBy(byId.values(), ({ name }) => comparable(name));
  return (one) => {
    const others = (same.get(comparable(one.name)) ?? []).filter(({ id }) => id !== one.id);
    if (others.length === 0) return one.name;
    let length = least;
    while (length < one.id.length && others.some(({ id }) => id.endsWith(one.id.slice(-length)))) length += 1;
    return `${one.name.slice(0, maxName)} (…${one.id.slice(-length)})`;
  };
}

const comparable = (name: string): string => name.normalize('NFKC').toLowerCase();
