import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../kit/values/addresses.ts';
import { getAllowedIps } from '../../hosting/contract/ssh.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { amount, code, inShort, joined, list as listOf, say, time, type Text } from '../../text.ts';
import type { LookSources, Timed } from '../kit/sources.ts';

/** An allowlist as the host lists it. */
export type Allowlist = readonly string[];
export type AllowlistSnapshot = { readonly list: Allowlist; readonly timed: readonly Timed[] };

type Looking = { readonly input: { readonly env: Environment } } & LookSources;
export const lookAt = async ({ input: { env }, read, timed }: Looking): Promise<AllowlistSnapshot> => ({
  list: await read(getAllowedIps({ env_id: env.id })),
  timed: await timed(env),
});

/** Those of `addresses`, spelled canonically, that are on the list as timed access. */
export function timedOf({ list, timed }: AllowlistSnapshot, addresses: readonly string[]): readonly Timed[] {
  const there = new Set(listed(list, addresses));
  return timed.filter(({ address }) => there.has(address));
}

/** Whether nobody is on the list for good. */
export const isForAWhile = ({ list, timed }: AllowlistSnapshot): boolean => {
  const ending = timed.map(({ address }) => address);
  return without(list, ending).length === 0;
};

/** When the access of each ends, as one fact of a card. */
export const endsOf = (timed: readonly Timed[]): Text => {
  const ends = timed.slice(0, 10).map(({ address, until }) => say`${code(address)} ${time(until, 'date')}`);
  return joined([...ends, timed.length > 10 ? `and ${timed.length - 10} more` : undefined], ', ');
};

/** Those of `addresses` that stand on the list, whatever their spelling there. */
export const listed = (list: Allowlist, addresses: readonly string[]): readonly string[] => {
  const known = meanings(list);
  return addresses.filter((address) => known.has(canonicalAddress(address)));
};

export const notListed = (list: Allowlist, addresses: readonly string[]): readonly string[] => without(addresses, list);

/** The list without these addresses; what else stands there keeps its spelling and order. */
export const without = (list: Allowlist, addresses: readonly string[]): Allowlist => {
  const gone = meanings(addresses);
  return list.filter((entry) => !gone.has(canonicalAddress(entry)));
};

/** The networks on a list that let one of these addresses in, whether or not it stands there itself. */
export const around = (list: Allowlist, addresses: readonly string[]): Allowlist =>
  list.filter((entry) => addresses.some((address) => isWithin(address, entry)));

/** Said where what is taken off, or will be, can connect all the same. */
export const letInBy = (list: Allowlist, addresses: readonly string[]): Text | undefined => {
  const networks = around(list, addresses);
  return networks.length === 0
    ? undefined
    : say`${spoken(networks)} on the same list ${networks.length === 1 ? 'lets' : 'let'} ${spoken(addresses.filter((address) => around(networks, [address]).length > 0))} in all the same`;
};

function isWithin(address: string, network: string): boolean {
  if (!ipaddr.isValidCIDR(network) || canonicalAddress(address) === canonicalAddress(network)) return false;
  const [around, bits] = ipaddr.parseCIDR(network);
  const whole = ipaddr.isValidCIDR(address) ? address : `${address}/${around.kind() === 'ipv4' ? 32 : 128}`;
  if (!ipaddr.isValidCIDR(whole)) return false;
  const [first, ownBits] = ipaddr.parseCIDR(whole);
  return first.kind() === around.kind() && ownBits > bits && first.match(around, bits);
}

/** Two spellings of one address mean the same; what cannot be read means itself. */
const meanings = (list: readonly string[]): ReadonlySet<string> => new Set(list.map(canonicalAddress));

/** The preconditions: the whole list, whatever the order the host gives it in. */
export const inAnyOrder = (list: Allowlist): Allowlist => [...list].sort();

/** The first few addresses in words, and how many more. */
export const spoken = (addresses: readonly string[], most = 5): Text => inShort([listOf(addresses, most, 'code')]);

/** The verb for so many addresses. */
export const are = (addresses: readonly string[]): string => (addresses.length === 1 ? 'is' : 'are');

/** A whole list as one fact of a card, which shows the first of it. */
export const whole = (list: Allowlist, most = 20): Text =>
  list.length === 0 ? say`empty` : [listOf(list, most, 'code')];

/** Names the ranges that let in more than an office has, widest first: wider than /24, or /48 in IPv6. */
export function wideRanges(addresses: readonly string[]): Text | undefined {
  const wide = addresses.flatMap((address) => {
    if (!ipaddr.isValidCIDR(address)) return [];
    const [network, bits] = ipaddr.parseCIDR(address);
    const [most, whole, holds] =
      network.kind() === 'ipv4' ? ([24, 32, 'addresses'] as const) : ([48, 48, 'networks of /48'] as const);
    return bits < most ? [{ address, number: 2 ** (whole - bits), holds, above: most - bits }] : [];
  });
  if (wide.length === 0) return undefined;
  const shown = wide.toSorted((one, other) => other.above - one.above).slice(0, 5);
  const says = shown.map(({ address, number, holds }) => say`${code(address)} lets in ${amount(number)} ${holds}.`);
  const left = wide.length - shown.length;
  return joined([...says, left > 0 ? `So do ${left} more wide ranges.` : undefined], ' ');
}

/** Nobody has written down what the host does with an empty list, so every card from or to one says so. */
export const emptyIsUnknown =
  'It is not documented whether an empty allowlist lets everybody in or nobody: check that you can still connect.';
