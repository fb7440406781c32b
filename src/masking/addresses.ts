import ipaddr from 'ipaddr.js';

/** E-mail addresses of people, IP addresses of visitors, and text that only looks like an address. */

const at = '(?:@|%(?:25){0,3}40|\\\\u0040|&#0?64;)';
/** Letters of any script, plain or percent-encoded. */
const letter = '[\\p{L}\\p{N}_-]|(?:%(?:25){0,3}[c-f][\\da-f](?:%(?:25){0,3}[89ab][\\da-f]){1,3})';
/**
 * What may follow an `@` without being a domain: a package version, an image for a high-resolution screen, a systemd
 * unit.
 */
const noDomain =
  '(?:\\d(?:\\.\\d)?x(?:[._-]|$)|v?\\d{1,5}\\.\\d{1,5}(?:[.+-]|(?![\\w-]))|[\\w.-]{1,60}\\.(?:avif|css|gif|jpe?g|js|json|png|service|socket|svg|target|tgz|timer|webp|woff2?)(?![\\w.-]))';
const email = new RegExp(
  `(?:${letter}|[.+]|%(?:25){0,3}2B){1,64}${at}(?!${noDomain})(?:${letter}){1,63}(?:\\.(?:${letter}){1,63})+`,
  'giu',
);
const mayHoldEmail = new RegExp(at);
/** Masks an e-mail address. `git@host` is a shared account of a code server, not a person. */
const maskEmail = (address: string): string => (/^(?:git|hg|svn)@/.test(address) ? address : '***@***');

/** The text with people's e-mail addresses masked. Most lines have none, and the full search is slow, so check first. */
export const withoutEmails = (text: string): string =>
  mayHoldEmail.test(text) ? text.replace(email, maskEmail) : text;

// Browsers write versions such as Chrome/120.0.0.0, which are not addresses.
export const ipv4 = /(?<!\d|\d\.|[A-Za-z]\/(?=\d+\.0\.0\.0))\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g;
// A visitor's address has a digit; `Cafe::add` is code. A name before it may end in a colon.
export const ipv6 =
  /(?<![\w.]|(?<!\w)[\da-f]{0,4}:)(?=[a-f:]{0,39}\d)(?:[\da-f]{1,4}(?=:)|(?=::)):{1,2}(?:[\da-f]{1,4}:{1,2}){0,6}(?:[\da-f]{1,4})?(?![\w:])/gi;

/** `isAddress` accepts an IPv6 address only with two colons in a row, or seven in all; most lines have fewer. */
export function mayHoldIpv6(text: string): boolean {
  let [colons, last] = [0, -2];
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    colons += 1;
    if (colons === 7 || at === last + 1) return hasRunOfIpv6(text);
    last = at;
  }
  return false;
}

/** Whether those colons are in one run of hexadecimal digits, next to a digit. `Cart::total` is not. */
function hasRunOfIpv6(text: string): boolean {
  for (let colon = text.indexOf(':'); colon !== -1;) {
    let from = colon;
    while (from > 0 && isHex(text.charCodeAt(from - 1))) from -= 1;
    let to = from;
    let colons = 0;
    let isDouble = false;
    let hasDigit = false;
    for (; to < text.length; to += 1) {
      const code = text.charCodeAt(to);
      if (code !== 58 && !isHex(code)) break;
      hasDigit ||= code >= 48 && code <= 57;
      if (code !== 58) continue;
      colons += 1;
      isDouble ||= text.charCodeAt(to + 1) === 58;
    }
    if (hasDigit && (isDouble || colons >= 7)) return true;
    colon = text.indexOf(':', to);
  }
  return false;
}

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

/** Skips strings with too few colons before the slow check, for example the time of a log line. */
export function isAddress(text: string): boolean {
  const isWhole = !text.includes(':') || text.includes('::') || text.split(':').length === 8;
  return isWhole && ipaddr.isValid(text);
}

/** Address ranges that are not used on the public internet. */
const inside = /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.|^(?:::|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i;
/** What precedes a server's address: a scheme, or a word for something that listens or is requested. */
const ofServer =
  /(?:\/\/|@|\b(?:upstream|server|listen(?:ing)?(?: on)?|bind(?:ing)?(?: to)?|inet6?|link|backend|proxy_pass|resolver|nameserver|gateway|connect(?:ed|ing|ion)? to|host)["']?(?::| =>|=)?)[ "'[(]{0,3}$/i;

/** Whether an address belongs to a machine of the site itself, judged by the text before it. */
export const isOfServer = (address: string, text: string, at: number): boolean =>
  address === '0.0.0.0' || (inside.test(address) && ofServer.test(text.slice(Math.max(0, at - 24), at)));
