/**
 * Finds where the names of credentials start in a text. Many rules look for the same names, so each search runs once.
 */

import { casedOf } from './case-sensitive-groups.ts';

export type NamePattern = { readonly shape: RegExp; text: string; starts: readonly number[] };

export const namePattern = (source: string): NamePattern => ({
  shape: casedOf(`(?=${source})`, 'gi'),
  text: '',
  starts: [],
});

/** All start positions; the result for the last text is cached. */
export function startsIn(names: NamePattern, text: string): readonly number[] {
  if (names.text === text) return names.starts;
  const starts: number[] = [];
  names.shape.lastIndex = 0;
  for (let found = names.shape.exec(text); found !== null; found = names.shape.exec(text)) {
    starts.push(found.index);
    names.shape.lastIndex = found.index + 1;
  }
  names.text = text;
  names.starts = starts;
  return starts;
}
