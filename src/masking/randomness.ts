/** Tells machine-made strings from text that people write. */

/** Words, capitals and numbers. A name has few and long pieces; a random string has many short ones. */
const pieces = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g;
const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/i;

/** Ids of objects at shops and services: `evt_1NG8Du2eZvKYlo2C`. They are not secret. */
const identifies =
  /^(?:acct|asst|ba|batch|btok|bps|card|cart|ch|chatcmpl|cn|cs|cst|cus|dp|dpl|evt|fee|file|fr|ii|il|in|inv|invst|job|li|link|mandate|msg|ord|order|pay|payout|pi|plan|plink|pm|po|pr|price|prj|prod|promo|prv|py|pyr|qt|rcpt|req|resp|run|seti|shr|si|sku|src|sr|sub|sub_sched|team|thread|tml|tr|trr|tu|tx[ini]|txn|txr|usr|vs|wh|we|wamid)_(?:(?:live|test)_)?[A-Za-z\d]{6,}$/;

/** A date, a form field, a class, or an object at a service. */
const isNamed = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d|^(?:field|group)_|::\w/.test(text) || identifies.test(text);

const isHex = (text: string): boolean => uuid.test(text) || /^(?=\D*\d)(?=\d*[a-f])[\da-f]{32,}$/i.test(text);

/** Whether the text looks machine-made: at least `least` characters, and hardly a word in it. */
export function isRandom(text: string, least = 16): boolean {
  if (text.length < least || isNamed(text)) return false;
  if (isHex(text)) return true;
  const found = text.slice(0, 200).match(pieces) ?? [];
  const letters = found.filter((piece) => !/^\d/.test(piece));
  const longest = Math.max(0, ...letters.map(({ length }) => length));
  const sum = found.reduce((all, { length }) => all + length, 0);
  // A path has a plain word between its slashes.
  if (/(?:^|\/)[a-z-]{4,}(?:\/|$)|\.(?:css|gif|html?|jpe?g|js|json|log|pdf|php|png|svg|txt|webp|xml|zip)$/.test(text))
    return false;
  if (letters.length < 2 || found.length < 4 || longest > 12) return false;
  // Names in mixed case without digits look almost random.
  const numbers = found.length - letters.length;
  if (numbers < (text.length < 16 ? 2 : 3) && !/[a-z][A-Z]/.test(text)) return false;
  return letters.length < found.length ? sum / found.length <= 4 : text.length >= 24 && sum / found.length <= 3;
}

/** Whether capital and small letters, digits and signs alternate. Names in program code are not that short. */
export function isJumbled(text: string): boolean {
  // A short text with a closing parenthesis may be a call: `getX(a=1)`.
  if (
    text.length < (/^[^)]*\d[^)]*$/.test(text) ? 8 : 12) ||
    /[\s,]/.test(text) ||
    !/[a-z]/.test(text) ||
    !/[A-Z]/.test(text)
  )
    return false;
  if (!/[*+%^#!~&$@=-]/.test(text)) return false;
  const found = text.slice(0, 200).match(pieces) ?? [];
  return found.length > 4 && found.reduce((all, { length }) => all + length, 0) / found.length <= 2.6;
}

/** Whether the text is not an ordinary word: it has digits or signs among letters, or capitals inside. */
export const isCoined = (text: string): boolean =>
  !/^v=\d/.test(text) && (/\d\D|\D\d|\d{6}|[a-z][A-Z]/.test(text) || /[^\p{L}\p{N}\s._/:;,()|'"<>{}[\]-]/u.test(text));

/** A file in a folder. */
const file =
  /^(?:[\w.@-]{1,60}\/){1,12}[\w.@-]{1,80}\.(?:avif|bz2|css|csv|gif|gz|html?|ico|jpe?g|jsx?|json|log|mjs|mp4|pdf|php|phpt|png|py|rb|scss|sh|sql|svg|tar|tgz|tsx?|txt|vue|webp|woff2?|xml|ya?ml|zip)$/;
export const isFile = (text: string): boolean => file.test(text);
/** An IPv6 address, also one of a visitor. */
const ipv6 = /^(?=[\da-f:]*\d)(?:[\da-f]{1,4}:){2,7}(?::?[\da-f]{1,4}|:)?(?::[\da-f]{1,4}){0,5}(?:\/\d{1,3})?[.,;:]?$/i;
/** Whether the text is a path, a web address or an IPv6 address. */
export const isPlace = (text: string): boolean =>
  isFile(text) ||
  (ipv6.test(text) && text.length > 9) ||
  /^(?:~?\/[\w.-]{1,80}(?:\/|$)|[A-Za-z]:\\|\.{1,2}\/|(?:https?|file|unix):)/.test(text);

/** Text with digits that is not a password: method names, versions, dates, amounts. */
export const technical =
  /^(?:(?:argon2|aes|base64|bcrypt|blowfish|des3|ed25519|hmac|html5|ipv[46]|md5|oauth2?|pbkdf2|php|rsa|scram|sha|tls|utf|wp|yescrypt)(?:[-_.]|\d|id?$|$)|https?(?:$|:)|v?\d+(?:\.|$)|\d+(?:[.,]\d+)?(?:[a-z]{1,3}|%)$|\d{4}-\d\d|\d{1,4}[:.-]\d)/i;
