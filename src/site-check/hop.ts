import ipaddr from 'ipaddr.js';

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
