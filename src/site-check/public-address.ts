import ipaddr from 'ipaddr.js';

/** Answers machines on Azure from inside. The endpoints of other clouds are in private or reserved ranges. */
const azurePlatform = '168.63.129.16';

/**
 * Whether an address from DNS is on the public internet. Private, loopback, link-local, shared, multicast, reserved and
 * cloud platforms' addresses are not, nor are IPv6 addresses that contain an IPv4 address and can lead to any of these.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address))
    return address !== azurePlatform && ipaddr.IPv4.parse(address).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return false;
  const { parts } = ipaddr.IPv6.parse(address);
  const [first = 0] = parts;
  // Nothing beyond 2000::/3 is assigned, and some of it leads inside. `5efe`: it ends in an IPv4 address (ISATAP).
  const isGlobal = (first & 0xe000) === 0x2000 && parts[5] !== 0x5efe;
  return isGlobal && ipaddr.IPv6.parse(address).range() === 'unicast';
}

/** Whether two spellings are the same address. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) && ipaddr.isValid(other) && spelled(one) === spelled(other);

const spelled = (address: string): string => ipaddr.process(address).toNormalizedString();
