import { canonicalAddress } from '../addresses.ts';
import { inShort, list as listOf, say, type Text } from '../../text.ts';

/** An allowlist as the host lists it. */
export type Allowlist = readonly string[];

/** Those of `addresses` that stand on the list, whatever their spelling there. */
export const listed = (list: Allowlist, addresses: readonly string[]): readonly string[] => {
  const known = meanings(list);
  return addresses.filter((address) => known.has(canonicalAddress(address)));
};

export const notListed = (list: Allowlist, addresses: readonly string[]): readonly string[] => {
  const known = meanings(list);
  return addresses.filter((address) => !known.has(canonicalAddress(address)));
};

/** The list without these addresses; what else stands there keeps its spelling and order. */
export const without = (list: Allowlist, addresses: readonly string[]): Allowlist => {
  const gone = meanings(addresses);
  return list.filter((entry) => !gone.has(canonicalAddress(entry)));
};

/** Two spellings of one address mean the same; what cannot be read means itself. */
const meanings = (list: readonly string[]): ReadonlySet<string> => new Set(list.map(canonicalAddress));

/** What a change rests on: the whole list, whatever the order the host gives it in. */
export const inAnyOrder = (list: Allowlist): Allowlist => [...list].sort();

/** The first few addresses in words, and how many more. */
export const spoken = (addresses: readonly string[], most = 5): Text => inShort([listOf(addresses, most, 'code')]);

/** The verb for so many addresses. */
export const are = (addresses: readonly string[]): string => (addresses.length === 1 ? 'is' : 'are');

/** A whole list as one fact of a card, which shows the first of it. */
export const whole = (list: Allowlist, most = 20): Text =>
  list.length === 0 ? say`empty` : [listOf(list, most, 'code')];

/** Nobody has written down what the host does with an empty list, so every card from or to one says so. */
export const emptyIsUnknown =
  'It is not documented whether an empty allowlist lets everybody in or nobody: check that you can still connect.';
