import { createHmac } from 'node:crypto';
import { LineFollower } from '../../masking/multi-line.ts';
import { ipv4, ipv6, isAddress, isOfServer, mayHoldIpv6, withoutEmails } from '../../masking/addresses.ts';
import { scrub } from '../../base/secret.ts';

// Terminal escape sequences, byte order marks, and every control character except the tab.
const unprintable =
  /\u001B(?:\[[\d;?]*[ -/]*[@-~]|[\]P^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|.)|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFEFF]/g;
const maxShown = 2_000;
/** Longer than any credential, so that a credential that starts in the shown part is read whole and recognised. */
const room = 4_096;

/**
 * A log line that may be shown: credentials and e-mail addresses masked, visitors as `named`, no control characters.
 * `named` also gets text that only looks like an address, and returns that unchanged.
 */
function maskWith(line: string, named: (found: string) => string): string {
  const printable = line.replace(unprintable, '');
  const clean = scrub(printable.slice(0, maxShown + room));
  const left = printable.length - maxShown;
  const short = left > 0 ? `${clean.slice(0, maxShown)}… (${left} more characters)` : clean;
  const numbered = (found: string, at: number, text: string): string =>
    isOfServer(found, text, at) ? found : named(found);
  const unnumbered = withoutEmails(short).replace(ipv4, numbered);
  return mayHoldIpv6(unnumbered) ? unnumbered.replace(ipv6, numbered) : unnumbered;
}

/** Visitors' addresses in a log line, unmasked. */
export const addressesIn = (line: string): readonly string[] => {
  const start = line.slice(0, 2 * room);
  return [ipv4, ipv6].flatMap((shape) => [...start.matchAll(shape)].map(([found]) => found)).filter(isAddress);
};

/** Stable aliases for visitors' addresses, made with a key that never leaves this installation. */
export const aliasesBy =
  (key: string) =>
  (address: string): string =>
    `client-${createHmac('sha256', key).update(address).digest('hex').slice(0, 6)}`;

/** Masks the lines of one log in order, because private keys span lines and repeated visitors are remembered. */
export function masker(alias: (address: string) => string): (line: string) => string {
  const known = new Map<string, string>();
  const named = (found: string): string => {
    const before = known.get(found);
    if (before !== undefined) return before;
    const name = isAddress(found) ? alias(found) : found;
    known.set(found, name);
    return name;
  };
  const follower = new LineFollower();
  return (whole) => {
    const start = whole.slice(0, 2 * room);
    const { line, behind } = follower.step(start);
    const text = line === start ? whole : line;
    const masked =
      behind === ''
        ? maskWith(text, named)
        : (maskWith(behind + text, named)
            .split('\n')
            .at(-1) ?? '');
    follower.note(start, masked);
    return masked;
  };
}
