import { createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { scrub } from '../secret.ts';

const at = '(?:@|%(?:25){0,3}40|\\\\u0040|&#0?64;)';
/** Letters of any script, in addresses escaped. */
const letter = '[\\p{L}\\p{N}_-]|(?:%(?:25){0,3}[c-f][\\da-f](?:%(?:25){0,3}[89ab][\\da-f]){1,3})';
const email = new RegExp(
  `(?:${letter}|[.+]|%(?:25){0,3}2B){1,64}${at}(?:${letter}){1,63}(?:\\.(?:${letter}){1,63})+`,
  'giu',
);
const mayHoldEmail = new RegExp(at);
// Browsers write their version as Chrome/120.0.0.0, which is nobody's address.
const ipv4 = /(?<!\d|\d\.|[A-Za-z]\/(?=\d+\.0\.0\.0))\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
// With a digit, which every address of a visitor has: `Cafe::add` is code. A name before it may end in a colon.
const ipv6 =
  /(?<![\w.]|(?<!\w)[\da-f]{0,4}:)(?=[a-f:]{0,39}\d)(?:[\da-f]{1,4}(?=:)|(?=::)):{1,2}(?:[\da-f]{1,4}:{1,2}){0,6}(?:[\da-f]{1,4})?(?![\w:])/gi;
// Escape sequences of terminals, and every control character but the tab.
const unprintable =
  /\u001B(?:\[[\d;?]*[ -/]*[@-~]|[\]P^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|.)|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Longer than a credential: one that begins in what is shown is seen whole, and so known for what it is. */
const room = 4_096;

/** A log line that may be shown: credentials and e-mail addresses masked, visitors under an alias, no control characters. */
export const maskLine = (line: string, alias: (address: string) => string, limit?: number): string =>
  maskWith(line, (found) => (isAddress(found) ? alias(found) : found), limit);

/** The same; `named` also gets what merely has the shape of an address, to give it back as it is. */
function maskWith(line: string, named: (found: string) => string, limit = 2_000): string {
  const printable = line.replace(unprintable, '');
  const clean = scrub(printable.slice(0, limit + room));
  const left = printable.length - limit;
  const short = left > 0 ? `${clean.slice(0, limit)}… (${left} more characters)` : clean;
  // Most lines have no address of anybody: to look for one at each of their letters takes longer than all the rest.
  const unsigned = mayHoldEmail.test(short) ? short.replace(email, '***@***') : short;
  const unnumbered = unsigned.replace(ipv4, named);
  return mayHoldIpv6(unnumbered) ? unnumbered.replace(ipv6, named) : unnumbered;
}

/** What `isAddress` takes for an IPv6 address has two colons in a row, or seven in all. */
function mayHoldIpv6(text: string): boolean {
  let [colons, last] = [0, -2];
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    colons += 1;
    if (colons === 7 || at === last + 1) return true;
    last = at;
  }
  return false;
}

/** Addresses of visitors in a log line, as they stand there. */
export const addressesIn = (line: string): readonly string[] => {
  const start = line.slice(0, 2 * room);
  return [ipv4, ipv6].flatMap((shape) => [...start.matchAll(shape)].map(([found]) => found)).filter(isAddress);
};

/** The time of a line looks like a piece of an address, and to find out that it is none is slow: it has too few colons. */
function isAddress(text: string): boolean {
  const isWhole = !text.includes(':') || text.includes('::') || text.split(':').length === 8;
  return isWhole && ipaddr.isValid(text);
}

/** Stable names for visitors' addresses, by a key that stays where they are given. */
export const aliasesBy =
  (key: string) =>
  (address: string): string =>
    `client-${createHmac('sha256', key).update(address).digest('hex').slice(0, 6)}`;

const keyBegins = /\bBEGIN\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b/i;
const keyEnds = /\bEND\s(?:[A-Z\d]+\s){0,3}PRIVATE\s+KEY\b/i;
const keyGoesOn = /^\s*(?:[A-Za-z\d+/=]{1,100}|(?:Proc-Type|DEK-Info): .{1,100})?\s*$/;

/** Masks the lines of one log in their order: a private key goes over many lines, and a visitor comes back. */
export function masker(alias: (address: string) => string): (line: string) => string {
  const known = new Map<string, string>();
  const named = (found: string): string => {
    const before = known.get(found);
    if (before !== undefined) return before;
    const name = isAddress(found) ? alias(found) : found;
    known.set(found, name);
    return name;
  };
  let isKey = false;
  let before = '';
  return (line) => {
    // `var_dump` writes a key on one line, and its value on the next.
    const key = before.endsWith('=>') ? `${before.slice(-200)}\n` : '';
    before = line.slice(0, 2 * room).trimEnd();
    // Bounded: what is longer than a line of a key is none.
    const start = line.slice(0, 200);
    if (isKey && (keyGoesOn.test(start) || keyEnds.test(start))) {
      isKey = !keyEnds.test(start);
      return '***';
    }
    const shown = line.slice(0, 2 * room);
    const masked =
      key === ''
        ? maskWith(line, named)
        : (maskWith(key + line, named)
            .split('\n')
            .at(-1) ?? '');
    // A search may have left out the line that says so: the beginning of the key itself is known as well.
    const isStart = keyBegins.test(shown) || (masked.trim() === '***' && keyGoesOn.test(start));
    isKey = isStart && !keyEnds.test(shown);
    return masked;
  };
}
