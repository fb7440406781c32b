import { isIP } from 'node:net';

/** Addresses in the settings: where they lead, and how protected the way there is. */

/** The spelling of `URL`: `[::ffff:127.0.0.1]` becomes `[::ffff:7f00:1]`. */
const onThisMachine = /^((.*\.)?localhost\.?|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Whether it leads to this machine; false if it is not an address. */
export const isHere = (url: string): boolean => onThisMachine.test(URL.parse(url)?.hostname ?? '');

/** Whether this is an address to send to. Unlike a base address, it may have a query, which often has a token. */
export function isWebhook(text: string): boolean {
  const { protocol = '', username = '', password = '', hash = '' } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol) && username + password === '' && hash === '' && !/\s/.test(text);
}

/** Whether the audit trail can be sent there. */
export const isAuditOut = (text: string): boolean => text === 'stdout' || /^file:./.test(text) || isWebhook(text);

/** Which settings lead to another machine in clear, or to one that need not prove who it is. */

const addressed = [
  'SLACK_API_URL',
  'HOSTING_API_URL',
  'SITEHAND_URL',
  'AUDIT_OUT',
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
] as const;
type Addressed = Readonly<Partial<Record<(typeof addressed)[number], string | undefined>>>;

/**
 * The settings whose address leads to another machine without encryption, and those where it is encrypted for whoever
 * answers.
 */
export const unprotectedIn = (read: Addressed) => ({
  unencrypted: addressed.filter((name) => isUnencrypted(read[name] ?? '')),
  unverified: addressed.filter((name) => isPostgres(read[name]) && protectionOf(read[name]) === 'unverified'),
});

/** A sentence for each setting that leads there without encryption, unless that is allowed. */
export const plainMistakesIn = (
  read: Addressed & { readonly ALLOW_PLAIN_HTTP?: string | undefined },
): readonly string[] => (read.ALLOW_PLAIN_HTTP ? [] : unprotectedIn(read).unencrypted.map(plainMistake));

function plainMistake(name: string): string {
  const [way, prey, cure] = name.startsWith('DATABASE')
    ? ['PostgreSQL on another machine without TLS', 'and change what is stored', 'Add ?sslmode=verify-full']
    : ['plain http to another machine', `the ${name === 'AUDIT_OUT' ? 'trail' : 'key'}`, 'Write https://'];
  return `${name} is ${way}: anybody on the way can read ${prey}. ${cure}, or set ALLOW_PLAIN_HTTP=1`;
}

/** False if it is not an address. */
const isUnencrypted = (url: string): boolean =>
  isPostgres(url) ? protectionOf(url) === 'none' : URL.parse(url)?.protocol === 'http:' && !isHere(url);

const isPostgres = (url = ''): boolean => /^postgres(ql)?:/.test(url);

/** What keeps an address of a database from being used; undefined: nothing does. */
export function oddityIn(url: string): string | undefined {
  // `pg` throws at others where nothing catches it.
  if (/[?&]ssl=(?!(?:true|1|0|no-verify)(?:&|$))/.test(url))
    return 'has an ssl= that is not true or no-verify: write sslmode=verify-full, for example';
  // `pg` would look into the environment.
  return isPostgres(url) && partsOf(url).host === ''
    ? 'names no host: write postgres://NAME@HOST/…, or ?host= and the folder of its socket'
    : undefined;
}

/** Whether a connection is encrypted, and whether the other end has to prove who it is. */
type Protection = 'on this machine' | 'none' | 'unverified' | 'verified';

/** How a connection to this PostgreSQL is protected, as `pg` reads its address. It never falls back to less. */
export function protectionOf(url = ''): Protection {
  const { host, given } = partsOf(url);
  const isSocket = host.startsWith('/');
  if (isSocket || isHere(`http://${isIP(host) === 6 ? `[${host}]` : host}`)) return 'on this machine';
  const says = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'].some((name) => given(name) !== '');
  return says ? bySslMode(given) : bySsl(given);
}

function partsOf(url: string): { readonly host: string; readonly given: Given } {
  // `URL` refuses an empty host after a name; `pg` takes it.
  const address = URL.parse(url) ?? URL.parse(url.replace(/\/\/[^/]*@\//, '///'));
  const given = (name: string): string => address?.searchParams.getAll(name).at(-1) ?? '';
  const host = given('host') || (address?.hostname ?? '').replaceAll(/%2f/gi, '/').replaceAll(/^\[|\]$/g, '');
  return { host, given };
}

type Given = (name: string) => string;

function bySslMode(given: Given): Protection {
  const mode = given('sslmode');
  if (mode === 'disable') return 'none';
  const trusting =
    given('uselibpqcompat') === 'true'
      ? ['prefer', ...(given('sslrootcert') === '' ? ['require'] : [])]
      : ['no-verify'];
  return trusting.includes(mode) ? 'unverified' : 'verified';
}

function bySsl(given: Given): Protection {
  const ssl = given('ssl');
  if (ssl === 'no-verify') return 'unverified';
  const isDirect = ssl === '' && given('sslnegotiation') === 'direct';
  return isDirect || ssl === 'true' || ssl === '1' ? 'verified' : 'none';
}
