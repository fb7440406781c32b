import ipaddr from 'ipaddr.js';
import { attempt, Refusal } from '../../../base/errors.ts';
import { code, say } from '../../../words/text.ts';

/** The most addresses at once. A longer list is probably a mistake, and would not fit in a line or a form. */
export const maxAtOnce = 50;
/** The widest range that may be let in: an IPv4 /8 already has sixteen million addresses. */
const widest = { ipv4: 8, ipv6: 32 } as const;
/** The widest range that one office needs. A card warns of wider ones, and says how many of `holds` they let in. */
const widestUsual = {
  ipv4: { bits: 24, whole: 32, holds: 'addresses' },
  ipv6: { bits: 48, whole: 48, holds: 'networks of /48' },
} as const;

/**
 * Reads words as IP addresses and ranges: canonical spelling, no duplicates, same order. `anyWidth` also accepts ranges
 * that are too wide to be let in, so that they can be removed. Throws `Refusal`, which names the first unusable one.
 */
export function readAddresses(words: readonly string[], anyWidth = false): readonly string[] {
  const pieces = words.flatMap((word) => word.split(/[\s,;]+/)).filter((piece) => piece !== '');
  if (pieces.length > maxAtOnce) {
    throw new Refusal(
      `These are ${pieces.length} addresses; at most ${maxAtOnce} can be changed at once. Nothing was done.`,
    );
  }
  if (pieces.length === 0) throw new Refusal('I found no address in this. Nothing was done.');
  return [...new Set(pieces.map((piece) => readAddress(piece, anyWidth)))];
}

/** Whether this address or range, in canonical spelling, may be let in. */
export const mayBeLetIn = (address: string): boolean => attempt(() => readAddress(address, false)) === address;

/** What addresses that nobody has on the internet are, by the names of `ipaddr.js`. */
const notPublic: Readonly<Record<string, string>> = {
  private: 'is private',
  uniqueLocal: 'is private',
  carrierGradeNat: 'is inside a provider’s network',
  loopback: 'is the machine itself (loopback)',
  linkLocal: 'holds only within one local network (link-local)',
  multicast: 'is for groups of machines (multicast)',
  broadcast: 'is for a whole local network (broadcast)',
};

/**
 * What is odd about letting this address or range in, in any spelling, as a clause. `lets`: it is everybody, or nobody
 * on the internet. Undefined: nothing is odd, or it is not an address.
 */
export function oddity(text: string): { readonly lets: 'everybody' | 'nobody'; readonly says: string } | undefined {
  const address = canonicalAddress(text);
  const [first, last = first] = ends(address);
  if (first === undefined || last === undefined) return undefined;
  if (address.endsWith('/0')) return { lets: 'everybody', says: `lets everybody in over IP${first.kind().slice(2)}` };
  const says = first.range() === last.range() ? notPublic[first.range()] : undefined;
  return says === undefined ? undefined : { lets: 'nobody', says };
}

/** The first and the last address of a range, or a single address; empty if it is neither. */
function ends(address: string): readonly (ipaddr.IPv4 | ipaddr.IPv6)[] {
  if (ipaddr.isValid(address)) return [ipaddr.parse(address)];
  if (!ipaddr.isValidCIDR(address)) return [];
  const of = ipaddr.parseCIDR(address)[0].kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return [of.networkAddressFromCIDR(address), of.broadcastAddressFromCIDR(address)];
}

/** A range in an allowlist: its first address and its width. IPv4 written as IPv6 counts as IPv4. Undefined: it is none. */
export function networkIn(entry: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const text = entry.trim();
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [first, bits] = ipaddr.parseCIDR(text);
  const isMapped = first instanceof ipaddr.IPv6 && bits >= 96 && first.isIPv4MappedAddress();
  return isMapped ? [first.toIPv4Address(), bits - 96] : [first, bits];
}

/** How many addresses or networks a range lets in, if it is wider than one office needs. `above`: by how many bits. */
export function wideRange(address: string) {
  if (!ipaddr.isValidCIDR(address)) return undefined;
  const [network, width] = ipaddr.parseCIDR(address);
  const { bits, whole, holds } = widestUsual[network.kind()];
  return width > 0 && width < bits ? { address, number: 2 ** (whole - width), holds, above: bits - width } : undefined;
}

/** The canonical spelling of an address from the host's list; unreadable text is only trimmed. */
export const canonicalAddress = (text: string): string => attempt(() => readAddress(text.trim(), true)) ?? text.trim();

/** Reads one address or range, as `readAddresses` does; throws `Refusal`. */
export function readAddress(text: string, anyWidth: boolean): string {
  const [host = '', bits, ...rest] = text.split('/');
  const wrong = (why: string): Refusal => new Refusal(say`${code(text.slice(0, 80))} ${why} Nothing was done.`);
  if (rest.length > 0 || !ipaddr.isValid(host)) throw wrong(unreadable(text));
  const address = ipaddr.parse(host);
  const ambiguous = ambiguityOf(host, address, bits);
  if (ambiguous) throw wrong(ambiguous);
  const kind = address.kind();
  const whole = kind === 'ipv4' ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > whole)) {
    throw wrong(`is not a range: the part after / is 0 to ${whole}.`);
  }
  const width = Number(bits ?? whole);
  const tooMany = anyWidth ? undefined : tooManyIn(address, width);
  if (tooMany) throw wrong(tooMany);
  if (width === whole) return spelled(address);
  const range = `${spelled(address)}/${width}`;
  const network =
    kind === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(range) : ipaddr.IPv6.networkAddressFromCIDR(range);
  if (spelled(network) !== spelled(address))
    throw wrong(`is not a range: its first address is ${spelled(network)}/${width}.`);
  return range;
}

/** What is wrong with an address that could mean another one, or nothing. */
function ambiguityOf(host: string, address: ipaddr.IPv4 | ipaddr.IPv6, bits: string | undefined): string | undefined {
  if (host.includes('%'))
    return `has a zone id (${host.slice(host.indexOf('%')).slice(0, 20)}): it names an interface of your own machine, and no other machine knows it. Such an address holds only within one local network.`;
  if (address.kind() === 'ipv4' && !ipaddr.IPv4.isValidFourPartDecimal(host))
    return 'can be read in more than one way. Write four decimal numbers without leading zeros.';
  if (!(address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())) return undefined;
  const range = Number(bits) >= 96 ? `/${Number(bits) - 96}` : '';
  return `is an IPv4 address in disguise. Write ${address.toIPv4Address().toString()}${range}.`;
}

function tooManyIn(address: ipaddr.IPv4 | ipaddr.IPv6, width: number): string | undefined {
  const least = widest[address.kind()];
  if (width < least) return `would let in far too many addresses. The widest range I accept is /${least}.`;
  return address.range() === 'unspecified' ? 'stands for every address, or for none.' : undefined;
}

function unreadable(text: string): string {
  if (/^\d+(\.\d+){3}:\d+$|^\[.*\]/.test(text)) return 'has a port or brackets. An allowlist takes only addresses.';
  if (/\d-\d/.test(text)) return 'is a range with a dash. Write it as 198.51.100.0/24.';
  return 'is not an IP address. Write it like 198.51.100.4 or 2001:db8::4.';
}

const spelled = (address: ipaddr.IPv4 | ipaddr.IPv6): string =>
  address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
