import { canonicalAddress, networkIn, oddity, readAddress, wideRange } from '../kit/values/addresses.ts';
import { attempt } from '../../base/errors.ts';
import { allowlistEntry, getAllowedIps } from '../../hosting/contract/environment.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { amount, code, inShort, joined, list as listOf, say, time, typed, type Text } from '../../words/text.ts';
import type { Invalid } from '../kit/action.ts';
import type { LookSources, Timed } from '../kit/sources.ts';

/** An allowlist as the host lists it. */
export type Allowlist = readonly string[];
export type AllowlistSnapshot = { readonly list: Allowlist; readonly timed: readonly Timed[] };

type LookInput = { readonly input: { readonly env: Environment } } & LookSources;
export const lookAtAllowlist = async ({ input: { env }, read, timed }: LookInput): Promise<AllowlistSnapshot> => ({
  list: await read(getAllowedIps({ env_id: env.id })),
  timed: await timed(env),
});

/** A refusal if an entry of the list can't be sent back as it is: the host replaces the whole list. */
export function unsendable(env: Environment, list: Allowlist): Invalid<'addresses'> | undefined {
  if (list.every((entry) => allowlistEntry.safeParse(entry).success)) return undefined;
  return {
    field: 'addresses',
    says: say`The SSH allowlist of ${env.name} has an entry that I can't send back as it is, so I can't change the list. Nothing was changed.`,
    hint: say`${typed(`allowlist show ${env.name}`)} shows the list. Please correct it in the host's panel first.`,
  };
}

/** The `addresses` (in canonical spelling) that are on the list as timed access. */
export function timedOf({ list, timed }: AllowlistSnapshot, addresses: readonly string[]): readonly Timed[] {
  const there = new Set(addressesOn(list, addresses));
  return timed.filter(({ address }) => there.has(address));
}

/** Whether every address on the list has timed access, so that the list is empty when that ends. */
export const isAllTimed = ({ list, timed }: AllowlistSnapshot): boolean => {
  const ending = timed.map(({ address }) => address);
  return withoutAddresses(list, ending).length === 0;
};

/** When the access of each address ends, as one fact of a card. */
export const endsOf = (timed: readonly Timed[]): Text => {
  const ends = timed.slice(0, 10).map(({ address, until }) => say`${code(address)} ${time(until, 'date')}`);
  return joined([...ends, timed.length > 10 ? `and ${timed.length - 10} more` : undefined], ', ');
};

/** The `addresses` that are on the list, in any spelling. */
export const addressesOn = (list: Allowlist, addresses: readonly string[]): readonly string[] => {
  const known = canonicalSet(list);
  return addresses.filter((address) => known.has(canonicalAddress(address)));
};

export const notListed = (list: Allowlist, addresses: readonly string[]): readonly string[] =>
  withoutAddresses(addresses, list);

/** The list without these addresses; the other entries keep their spelling and order. */
export const withoutAddresses = (list: Allowlist, addresses: readonly string[]): Allowlist => {
  const gone = canonicalSet(addresses);
  return list.filter((entry) => !gone.has(canonicalAddress(entry)));
};

/** The networks on the list that contain one of these addresses, whether or not the address is listed itself. */
export const networksWith = (list: Allowlist, addresses: readonly string[]): Allowlist =>
  list.map((entry) => entry.trim()).filter((entry) => addresses.some((address) => isWithin(address, entry)));

/** Says which networks let these addresses in even after they are removed; undefined if none does. */
export const letInBy = (list: Allowlist, addresses: readonly string[]): Text | undefined => {
  const networks = networksWith(list, addresses);
  return networks.length === 0
    ? undefined
    : say`${addressesInShort(networks)} on the same list ${networks.length === 1 ? 'lets' : 'let'} ${addressesInShort(addresses.filter((address) => networksWith(networks, [address]).length > 0))} in all the same`;
};

/** The entries that let this address in, and those that can't be read as an address or a range. */
export function entriesFor(list: Allowlist, address: string): Readonly<Record<'lets' | 'unreadable', Allowlist>> {
  const entries = list.map((entry) => entry.trim());
  const lets = entries.filter((entry) => canonicalAddress(entry) === address || isWithin(address, entry));
  const unreadable = entries.filter(
    (entry) => !lets.includes(entry) && attempt(() => readAddress(entry, true)) === undefined,
  );
  return { lets, unreadable };
}

function isWithin(address: string, entry: string): boolean {
  const network = networkIn(entry);
  if (network === undefined || canonicalAddress(address) === canonicalAddress(entry)) return false;
  const [around, bits] = network;
  const own = networkIn(address) ?? networkIn(`${address}/${around.kind() === 'ipv4' ? 32 : 128}`);
  if (own === undefined) return false;
  const [first, ownBits] = own;
  return first.kind() === around.kind() && ownBits >= bits && first.match(around, bits);
}

/** The canonical spellings of a list, so that two spellings of one address are equal. */
const canonicalSet = (list: readonly string[]): ReadonlySet<string> => new Set(list.map(canonicalAddress));

/** The whole list as a precondition; the host may list it in any order. */
export const sortedList = (list: Allowlist): Allowlist => [...list].sort();

/** The first few addresses in words, and how many more. */
export const addressesInShort = (addresses: readonly string[], most = 5): Text =>
  inShort([listOf(addresses, most, 'code')]);

/** The verb that fits this number of addresses. */
export const are = (addresses: readonly string[]): string => (addresses.length === 1 ? 'is' : 'are');

/** A list as one fact of a card; the card shows its first entries. */
export const listFact = (list: Allowlist, most = 20): Text =>
  list.length === 0 ? say`empty` : [listOf(list, most, 'code')];

/** Whether letting these in is probably a mistake: their number, or where they are. */
export const isDoubtful = (addresses: readonly string[]): boolean => remarksOn(addresses) !== undefined;

/** What people should know about letting these in: who that is, and that nobody comes from some of them. */
export function remarksOn(list: readonly string[]): Text | undefined {
  const odd = list.map((address) => ({ address, ...oddity(address) }));
  const says = odd.flatMap(({ address, says }) => (says === undefined ? [] : [say`${code(address)} ${says}.`]));
  const remarks = joined([
    ...says.slice(0, maxRemarks),
    says.length > maxRemarks ? `${says.length - maxRemarks} more are like these.` : undefined,
    odd.some(({ lets }) => lets === 'nobody') ? fromNobody : undefined,
    wideRanges(list),
  ]);
  return remarks.length > 0 ? remarks : undefined;
}

const maxRemarks = 5;
const fromNobody = say`**Nobody connects from such an address over the internet.** The one to let in is the public address, which pages for “what is my IP” show.`;

/** Warns about ranges wider than one office needs, widest first. */
function wideRanges(addresses: readonly string[]): Text | undefined {
  const wide = addresses.flatMap((address) => wideRange(address) ?? []);
  if (wide.length === 0) return undefined;
  const shown = wide.toSorted((one, other) => other.above - one.above).slice(0, 5);
  const says = shown.map(({ address, number, holds }) => say`${code(address)} lets in ${amount(number)} ${holds}.`);
  const left = wide.length - shown.length;
  return joined([...says, left > 0 ? `So do ${left} more wide ranges.` : undefined], ' ');
}

/** Shown on every card that starts or ends with an empty list. */
export const emptyIsUnknown =
  'It is not documented whether an empty allowlist lets everybody in or nobody: check that you can still connect.';
