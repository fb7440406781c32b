import ipaddr from 'ipaddr.js';

/**
 * Whether an address as DNS gives it is one of the public internet. Everything else is refused: private, loopback,
 * link-local and shared addresses, multicast, reserved ranges, and IPv6 addresses with an IPv4 address inside, which can
 * lead to any of these.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const { parts } = ipaddr.IPv6.parse(address);
  const [first = 0] = parts;
  // Beyond 2000::/3 nothing is given out, and some of it leads inside. `5efe` marks an IPv4 address at the end (ISATAP).
  const isGlobal = (first & 0xe000) === 0x2000 && parts[5] !== 0x5efe;
  return isGlobal && ipaddr.IPv6.parse(address).range() === 'unicast';
}

/** Whether two spellings are the same address. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) && ipaddr.isValid(other) && spelled(one) === spelled(other);

const spelled = (address: string): string => ipaddr.process(address).toNormalizedString();
