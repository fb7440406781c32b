import { prose, isCoined, isPlace, isRandom } from '../value-shapes.ts';
import { type MaskingRule, maskWith } from '../rule.ts';
import { isTelling } from '../credential-names.ts';
import { codesOf } from '../prefilter.ts';
import { byPosition } from './named-values.ts';
import { hinted, maskTokens } from './tokens.ts';

/** Web addresses that log in or act for whoever opens them, as they are and as JSON escapes them. */

/** Words for such an address, in the languages of the sites. */
const loginLinkWords =
  'reset|invit|verif|confirm|activat|magic|unsub|log-?in|autologin|register|recover|forg[eo]t|lost-?pass|passw(?:or[dt]|d)|kennwort|wachtwoord|vergeten|herstel|activeer|bevestig|afmeld|uitnodig|aanmeld|zur(?:ü|ue)cksetz|best(?:ä|ae)tig|abmeld|einlad|anmeld|mot-de-passe|r[eé]initialis|d[eé]sabonn|contrase|restablec|recupera|senha|redefin|conferma|haslo|hooks?/deploy|heartbeats?|one-?time|sso|private|secret-link|share-link|preview-link|share(?=/)';
const hint =
  'reset|invit|verif|confirm|activat|magic|unsub|login/|login-|log-in|register|recover|forg|lost|passw|kennwort|wachtwoord|vergeten|herstel|activeer|bevestig|afmeld|uitnodig|aanmeld|setz|best|abmeld|einlad|anmeld|mot-de|initialis|sabonn|contrase|restablec|recupera|senha|redefin|conferma|haslo|hooks/|hook/|/heartbeat|onetime|one-time|/sso|/private|secret-link|share-link|preview-link|/share/';
/** An id, or a name in base64, between the word and the key. */
const idSegment = '(?:[\\w.=@%-]{1,24}/)';
const file = /\.(?:css|gif|html?|jpe?g|js|json|map|mp4|pdf|php|png|svg|webp|woff2?|zip)$/;
/** Django: a timestamp and a hash. */
const isDjangoToken = (value: string): boolean => /^[a-z\d]{4,8}-[\da-f]{20,64}$/.test(value);

/** Parameter names of keys in other languages, and of sessions. */
const keyParameters =
  '(?:sleutel|cle|clé|schl(?:ü|ue)ssel|clave|chave|chiave|klucz|nyckel|n(?:ø|oe)gle|jeton|otp|hmac|sign|access|assertion|samlart|session|sess|guid|oobcode|[\\w-]{0,16}(?:sid|_?hash|_key|_code|_secret|_token))';
/** Parameter names of keys that are not secret. */
const isPublicKey =
  /(?:idempotency|cache|site|public|publishable|sentry|object|dedup\w{0,12}|country|locale)_?(?:key|code|hash)=$/i;

/** Capital and small letters and digits in random order, as no path has them. */
const isRandomMixedCase = (value: string): boolean =>
  /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && isRandom(value, 10);

export const links: readonly MaskingRule[] = [
  {
    // Links that log in or act for the person who opens them.
    hint: 'reset|invit|verif|confirm|activat|magic|unsub|login/|register|ticket|hash=|auth',
    shape:
      /(?<before>(?:[?&;](?:amp;)?[\w-]{0,20}(?:auth|verif|unsub|invit|confirm|activat|ticket|magic|register)[\w-]{0,12}=|(?<!\.[a-z\d]{2,5})[?&]hash=|\/(?:reset|invit|verif|confirm|activat|magic|unsub|login|autologin|register)[\w-]{0,20}\/))[\w.~%-]{16,}/gi,
    isSecret: (value) => isRandom(value),
  },
  {
    hint,
    shape: new RegExp(
      `(?<before>/[\\w.%-]{0,24}?(?:${loginLinkWords})[\\w.-]{0,24}/${idSegment}{0,2}?(?:private-)?)[\\w~%-][\\w.~%=-]{14,}`,
      'gi',
    ),
    isSecret: (value) => (isRandom(value, 15) || isDjangoToken(value)) && !file.test(value),
  },
  {
    // Webhooks whose last path segment is the key
    hint: 'deploy|hook|trigger',
    shape:
      /(?<before>\/(?:deploy(?:ment)?s?|(?:web|build|deploy)?[_-]?hooks?|triggers?)(?:\/[\w.-]{1,40}){0,4}\/)[A-Za-z\d]{10,64}(?![\w./%-])/g,
    isSecret: isRandomMixedCase,
  },
  { hint: 'cronitor', shape: /(?<before>\bcronitor\.link\/(?:p\/)?)[\w-]{16,}/g },
  { hint: '/private-', shape: /(?<before>\/private-)[\da-f]{24,}/g },
  {
    hint: 'sleutel=|cle=|clé=|ssel=|clave=|chave=|chiave=|klucz=|nyckel=|gle=|jeton=|otp=|hmac=|sign=|access=|assertion=|samlart=|session=|sess=|sid=|guid=|oobcode=|hash=|_key=|_code=|_secret=|_token=',
    shape: new RegExp(`(?<before>(?<!\\.[a-z\\d]{2,5})[?&;](?:amp;)?${keyParameters}=)[\\w%.~+/:-]{16,}={0,2}`, 'gi'),
    isSecret: (value, before) =>
      (isRandom(value) || /^(?=(?:\D*\d){2})(?=(?:[^a-z]*[a-z]){6})[a-z\d]{20,}$/i.test(value)) &&
      !isPublicKey.test(before),
  },
  {
    // JSON in base64, as in `data=eyJ0b2tlbiI6…`
    hint: 'eyJ',
    shape: /(?<before>)(?<![\w.-])eyJ[\w+/-]{16,}={0,2}(?![\w.-])/g,
    isSecret: (value) =>
      [
        ...Buffer.from(value, 'base64')
          .toString()
          .matchAll(/"(\w{2,40})":"[^"]{6,}"/g),
      ].some(([, name = '']) => isTelling(name)),
  },
  {
    // Push subscriptions of browsers.
    hint: 'apa91',
    shape: /(?<before>)(?<![\w-])[\w-]{8,30}:APA91[\w-]{60,}/g,
  },
  {
    // Go: `app:…@tcp(10.0.0.1:3306)/shop`, and settings without a scheme
    hint: '@',
    shape: /(?<before>(?<![\w:/.-])[\w.-]{1,64}:)[^\s"'@/]{1,100}(?=@(?:tcp|udp|unix)\()/g,
  },
  {
    // A secret that contains slashes: `s3://KEY:SECRET@bucket`
    hint: '@',
    shape: /(?<before>:\/\/[^\s/:@"'?]{1,64}:)(?!\d{1,5}\/)[^\s/"'\\<>?@]{0,200}\/[^\s"'\\<>?@:]{1,256}(?=@[\w[])/g,
    isSecret: (value) =>
      isRandom(value) || (isCoined(value) && /\d/.test(value) && !isPlace(value) && !prose.test(value)),
  },
];

/** Web addresses in JSON: each slash has a backslash before it, or several in nested JSON. */

const addressed = [...hinted.filter(({ shape }) => shape.source.includes('/')), ...links, ...byPosition].map(
  (rule) => ({
    rule,
    hint: new RegExp(rule.hint, 'i'),
  }),
);

/** A part of an address that may be a key. */
const keyed = /[/=:](?=[^/=:]{0,40}\d)[\w%~.-]{5,}/;
/** Masks the address without its backslashes, then puts them back. */
function shown(match: string, { mark = '' }: Readonly<Record<string, string | undefined>>): string {
  const plain = match.replaceAll(mark, '/');
  if (!keyed.test(plain)) return match;
  let left = maskTokens(plain, codesOf(plain));
  for (const { rule, hint } of addressed) if (hint.test(left)) left = maskWith(left, rule);
  return left === plain ? match : left.replaceAll('/', mark);
}

export const escapedAddresses: readonly MaskingRule[] = [
  { hint: '\\\\/', shape: /(?<mark>(?<!\\)\\{1,4}\/)(?:[^\s"'<>\\]|\k<mark>){16,1000}/g, shown },
];
