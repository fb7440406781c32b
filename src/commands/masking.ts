import ipaddr from 'ipaddr.js';
import { scrub } from '../secret.ts';

const email = /[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
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
export function maskLine(line: string, alias: (address: string) => string, limit = 2_000): string {
  const printable = line.replace(unprintable, '');
  const clean = scrub(printable.slice(0, limit + room));
  const left = printable.length - limit;
  const short = left > 0 ? `${clean.slice(0, limit)}… (${left} more characters)` : clean;
  const named = (address: string): string => (ipaddr.isValid(address) ? alias(address) : address);
  return short.replace(email, '***@***').replace(ipv4, named).replace(ipv6, named);
}
