import { isIP } from 'node:net';

/** Checks of addresses in the settings. */

/** The spelling of `URL`: `[::ffff:127.0.0.1]` becomes `[::ffff:7f00:1]`. */
const onThisMachine = /^((.*\.)?localhost\.?|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Whether it leads to another machine without encryption; false if it is not an address. */
export function isUnencrypted(url: string): boolean {
  const { protocol = '' } = URL.parse(url) ?? {};
  return isPostgres(url) ? protectionOf(url) === 'none' : protocol === 'http:' && !isHere(url);
}

/** Whether it leads to another machine that does not have to prove who it is. */
export const isUnverified = (url: string): boolean => isPostgres(url) && protectionOf(url) === 'unverified';

const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** Whether it leads to this machine; false if it is not an address. */
export const isHere = (url: string): boolean => onThisMachine.test(URL.parse(url)?.hostname ?? '');

/** Whether a connection is encrypted, and whether the other end has to prove who it is. */
type Protection = 'on this machine' | 'none' | 'unverified' | 'verified';

/** How a connection to this PostgreSQL is protected, as `pg` reads its address. It never falls back to less. */
export function protectionOf(url: string): Protection {
  // `URL` refuses an empty host after a name; `pg` takes it.
  const address = URL.parse(url) ?? URL.parse(url.replace('@/', '@localhost/'));
  const given = (name: string): string => address?.searchParams.getAll(name).at(-1) ?? '';
  const host = given('host') || (address?.hostname ?? '').replaceAll(/%2f/gi, '/').replaceAll(/^\[|\]$/g, '');
  if (host === '' || host.startsWith('/') || isHere(`http://${isIP(host) === 6 ? `[${host}]` : host}`))
    return 'on this machine';
  const [mode, ssl, root] = ['sslmode', 'ssl', 'sslrootcert'].map(given);
  if (mode || root || given('sslcert') || given('sslkey')) {
    if (mode === 'disable') return 'none';
    const isLikeLibpq = given('uselibpqcompat') === 'true';
    const isUnverified = isLikeLibpq ? mode === 'prefer' || (mode === 'require' && !root) : mode === 'no-verify';
    return isUnverified ? 'unverified' : 'verified';
  }
  if (ssl === 'no-verify') return 'unverified';
  return ssl === 'true' || ssl === '1' || (ssl === '' && given('sslnegotiation') === 'direct') ? 'verified' : 'none';
}

/** Whether this is an address to send to. Unlike a base address, it may have a query, which often has a token. */
export function isWebhook(text: string): boolean {
  const { protocol = '', username = '', password = '', hash = '' } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol) && username + password === '' && hash === '' && !/\s/.test(text);
}

/** Whether the audit trail can be sent there. */
export const isAuditOut = (text: string): boolean => text === 'stdout' || /^file:./.test(text) || isWebhook(text);
