import { Resolver } from 'node:dns/promises';
import { addAbortListener } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { errorCode } from '../base/errors.ts';
import { startDeadline } from '../base/time-limit.ts';
import ipaddr from 'ipaddr.js';

/** Finds the IP addresses of a name. Rejects if DNS does not say. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Where every check goes instead of the site, without encryption. */
export type Destination = { readonly host: string; readonly port: number };

/** A request was not made, because it could lead into a private network or is not of a kind that a check makes. */
export class BlockedHop extends Error {
  override readonly name = 'BlockedHop';
}

/** DNS does not say where the name leads. */
export class NotResolved extends Error {
  override readonly name = 'NotResolved';
}

/** Until the connection is open: TCP and TLS together, in milliseconds. */
const connectMs = 4_000;
/** How many addresses of one name are tried. */
const maxAddresses = 4;
const dns = { timeout: 1_500, tries: 2 };

/**
 * The addresses in DNS, both families. Not `dns.lookup`: a slow name server would block threads that other work of this
 * process needs, and `dns.lookup` also uses `/etc/hosts` and search domains.
 */
export const resolveInDns: Resolve = (name, signal) => resolveWith(new Resolver(dns), name, signal);

/** As above with this resolver; an abort cancels it. */
export async function resolveWith(resolver: Resolver, name: string, signal: AbortSignal): Promise<readonly string[]> {
  using _ = addAbortListener(signal, () => resolver.cancel());
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failed = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  // If one family got no answer, the name may still have an address.
  if (found.length === 0) throw failed.find((one) => !isNoSuchAddress(one)) ?? failed[0];
  return found;
}

/** Whether DNS answered that there is no address. */
export const isNoSuchAddress = (error: unknown): boolean =>
  errorCode(error) === 'ENOTFOUND' || errorCode(error) === 'ENODATA';

/**
 * Opens a connection for one hop. Without `instead`, it goes to exactly the addresses that were looked up and found to
 * be public here; the name is not looked up again. Certificates are verified against the name. Rejects with
 * `BlockedHop`, `NotResolved` or the socket's error.
 */
export async function connectFor(hop: Hop, resolve: Resolve, instead: Destination | undefined, signal: AbortSignal) {
  if (instead) return opened(connectPlain(instead), 'connect', signal);
  const addresses = await publicAddresses(hop.name, resolve, signal);
  return connectTo(hop, hop.isSecure ? 443 : 80, addresses, signal);
}

/** Connects to one of these addresses under the name of the hop. */
export async function connectTo(
  { name, isSecure }: Pick<Hop, 'name' | 'isSecure'>,
  port: number,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const where = {
    host: name,
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup: (
      _name: string,
      _options: object,
      found: (error: null, all: { address: string; family: number }[]) => void,
    ) => found(null, all),
  };
  const socket = isSecure
    ? connectSecure({ ...where, servername: name, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true })
    : connectPlain(where);
  const open = await opened(socket, isSecure ? 'secureConnect' : 'connect', signal);
  const { remoteAddress = '' } = open;
  if (addresses.some((address) => isSameAddress(address, remoteAddress))) return open;
  open.destroy();
  throw new BlockedHop('the connection went elsewhere than to the address I checked');
}

async function publicAddresses(name: string, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });
  const found = await Promise.race([resolve(name, signal), stopped]).catch((error: unknown) => {
    throw new NotResolved('DNS does not say where the name leads', { cause: error });
  });
  if (found.length === 0) throw new NotResolved('DNS does not say where the name leads');
  // One private address is enough to refuse: the same server may answer differently the next time.
  if (!found.every(isPublicAddress)) throw new BlockedHop('the name leads into a private network');
  return found.toSorted((one, other) => Number(one.includes(':')) - Number(other.includes(':'))).slice(0, maxAddresses);
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(error instanceof Error ? error : new Error('the connection failed', { cause: error }));
    };
    const late = startDeadline(connectMs);
    const noConnection = Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' });
    late.signal.addEventListener('abort', () => fail(noConnection), { once: true });
    const stop = (): void => fail(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    // Keep this for the life of the socket: without it, a later error would end the process.
    socket.on('error', fail);
    socket.once('close', () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    socket.once('close', () => signal.removeEventListener('abort', stop));
    socket.once(event, () => resolve(socket));
    const over = (): void => late[Symbol.dispose]();
    socket.once(event, over).once('close', over);
  });
}

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
const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.isValid(one) && ipaddr.isValid(other) && spelled(one) === spelled(other);

const spelled = (address: string): string => ipaddr.process(address).toNormalizedString();

/** One request on the way to a page. */
export type Hop = {
  readonly isSecure: boolean;
  /** A DNS name in ASCII. */
  readonly name: string;
  /** Path and query. */
  readonly path: string;
};

/** The most characters of an address that is followed. */
const maxLength = 4_096;

/** Names of private networks, whatever DNS says about them. */
const inside = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;
const label = /^[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * The request for an address: http or https, on the usual port, to a public name, without a user or password. Returns a
 * string with the reason if the request isn't allowed.
 */
export function hopTo(address: string): Hop | string {
  const url = address.length > maxLength ? null : URL.parse(address);
  if (url === null) return 'that is not a web address';
  const { protocol, username, password, port, hostname: name, pathname, search } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'that is neither http nor https';
  if (username + password !== '') return 'the address has a user name or password in it';
  if (port !== '') return `the address has the port ${port}, and I use the usual ones only`;
  // `URL` reads decimal, octal and hexadecimal spellings of an address too.
  if (ipaddr.isValid(name) || name.startsWith('[')) return 'that is an IP address, and I go to names only';
  if (inside.test(name.replace(/\.+$/, ''))) return 'that name leads into a private network';
  const labels = name.split('.');
  if (labels.length < 2 || name.length > 253 || !labels.every((one) => label.test(one)))
    return 'that is not the name of a public site';
  // A name never ends in a part of digits, but some resolvers read such a name as an address.
  if (!/[a-z]/.test(labels.at(-1) ?? '')) return 'that is not the name of a public site';
  return { isSecure: protocol === 'https:', name, path: `${pathname}${search}` };
}
