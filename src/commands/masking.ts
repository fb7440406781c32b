import ipaddr from 'ipaddr.js';
import { scrub } from '../secret.ts';

const email = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
const ipv4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;
const ipv6 = /(?<![\w:.])(?:[\da-f]{1,4}(?=:)|(?=::)):{1,2}(?:[\da-f]{1,4}:{1,2}){0,6}(?:[\da-f]{1,4})?(?![\w:])/gi;
// Escape sequences of terminals, and every control character but the tab.
const unprintable =
  /\u001B(?:\[[\d;?]*[ -/]*[@-~]|[\]P^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|.)|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** A log line that may be shown: credentials and e-mail addresses masked, visitors under an alias, no control characters. */
export function maskLine(line: string, alias: (address: string) => string, limit = 2_000): string {
  const short = line.length > limit ? `${line.slice(0, limit)}… (${line.length - limit} more characters)` : line;
  const named = (address: string): string => (ipaddr.isValid(address) ? alias(address) : address);
  return scrub(short.replace(unprintable, '')).replace(email, '***@***').replace(ipv4, named).replace(ipv6, named);
}
