import { closest, distance } from 'fastest-levenshtein';

/** Those of `known` that somebody may have meant by `typed`, nearest first. */
export function near(typed: string, known: readonly string[]): readonly string[] {
  if (typed === '' || known.length === 0) return [];
  const nearest = closest(typed, [...known]);
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
