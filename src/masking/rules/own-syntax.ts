import type { Groups, MaskingRule } from '../rule.ts';
import { nameEnd, quote, begun, valueCharacter } from '../syntax.ts';
import { isTelling, keyHint, passwordHint, secretHint, suffix, telling } from '../credential-names.ts';
import { isPlaceholder, stateWords, isRandom } from '../value-shapes.ts';
import { state } from '../values.ts';

/**
 * Credentials where a syntax of its own says which part is one: cookies, SQL statements, headers, addresses with a
 * password.
 */

/** Cookies. Most of them act as a login; some only store a preference. */

const attribute = /^(?:path|expires|max-age|domain|samesite|version|priority)$/i;
/** Cookies with no secret in them: languages, consents, carts, statistics. */
const harmless =
  /^(?:wordpress_test_cookie|wp-settings-(?:time-)?\d+|(?:pll|wp|icl|trp|wp-wpml_current)_?(?:lang(?:uage)?|current_language)|woocommerce_(?:items_in_cart|cart_hash|recently_viewed)|[\w-]*(?:consent|gdpr|cookie[_-]?(?:yes|notice|law|policy|control|bar|banner)|notice_accepted)[\w-]*|borlabs-cookie|cmplz_\w+|cookielawinfo-[\w-]+|viewed_cookie_policy|_ga\w*|_gid|_gat\w*|_gcl_\w+|_fb[cp]|_hj\w+|_pk_[\w.]+|__utm\w|lang(?:uage)?|locale|theme|currency|timezone|tz|country|tk_\w+|sbjs_\w+|_lscache_vary|device|screen)$/i;
const isPlain = (value: string): boolean => /^(?:\d{1,10}|[a-z]{0,12}|[a-z]{2}[_-][A-Z]{2})$/.test(value);
/** An empty value, which tells the browser to delete the cookie. */
const isEmptied = (value: string): boolean => /^(?:%20|\+|deleted|""| )?$/.test(value);

const crumb = /(?<name>[^\s;=]{1,128})=(?<value>[^;]*)/g;
/** At the end of a JSON or nginx line, a quotation mark belongs to the surrounding text. */
function shownPairs(match: string, { before = '' }: Groups): string {
  const left = match.slice(before.length).replace(crumb, (found: string, name: string, value: string) => {
    return isKnown(name, value) ? found : `${name}=***`;
  });
  return before + left;
}

const pair = '[^\\s;"\'\\\\,=]{1,128}';
const isKnown = (name: string, value: string): boolean =>
  isEmptied(value) || attribute.test(name) || harmless.test(name) || (isPlain(value) && !isTelling(name));

/** A line of a cookie file, in the format of curl and wget. */
export const jar: MaskingRule = {
  hint: 'true\t|false\t|true\\\\t|false\\\\t|true |false ',
  shape:
    /(?<before>(?:TRUE|FALSE)(?:[\t ]{1,8}|\\t)\/[^\s\\]{0,200}(?:[\t ]{1,8}|\\t)(?:TRUE|FALSE)(?:[\t ]{1,8}|\\t)\d{1,12}(?:[\t ]{1,8}|\\t)(?<name>[\w.%-]{1,128})(?:[\t ]{1,8}|\\t))(?<value>[^\s"\\]{1,2000})/g,
  shown: (match, { before = '', name = '', value = '' }) => (isKnown(name, value) ? match : `${before}***`),
};

export const cookies: MaskingRule = {
  hint: 'cookie',
  shape: new RegExp(
    `(?<before>cookies?${nameEnd}[ \\t]{0,8}(?:=>|[:=]|%3[AD])[ \\t[]{0,8}(?:${quote})?)${pair}=[^\\s;"'\\\\,]*(?:;[ \\t]{0,2}${pair}(?:=(?:(?<=expires=)[a-z]{3,9}, [\\w: -]{1,30}|[^\\s;"'\\\\,]*))?)*`,
    'gi',
  ),
  shown: shownPairs,
};

/** SQL statements that list the columns first and the values after them. */

const part =
  /\\{0,4}'(?:(?!\\{0,8}"\s{0,2}[,:}\]])[^'\\]|\\[^']|\\{1,4}'(?! {0,2}(?:,|\)(?! {0,2}\w)))|'')*(?:\\{0,4}'|$)|[(),]|[^'(),]+/g;
const namesOption = /^(?:option_name|meta_key|name|key|setting|variable|field|param|path)$/i;
const holdsOption = /^(?:option_value|meta_value|value|val|data|content)$/i;
const bareOf = (found: string): string => found.replaceAll(/^\s*\\*['"`]|\\*['"`]\s*$/g, '').trim();

/** Whether a value of a row is a credential, by its column or by the option name in the same row. */
function isMasked(columns: readonly string[], row: readonly string[], place: number): boolean {
  const column = columns[place];
  if (column === undefined) return columns.length === 0 && isTelling(row[place - 1] ?? '');
  const option = row[columns.findIndex((name) => namesOption.test(name))] ?? '';
  return isTelling(column) || (holdsOption.test(column) && isTelling(option));
}

/** A value without quotation marks is a number, an expression, or a random text that was printed without them. */
const unquoted = (value: string, columns: readonly string[], row: readonly string[]): string =>
  columns.length > 0 && isRandom(bareOf(value)) && isMasked(columns, row, row.length - 1)
    ? value.replace(/\S+/, '***')
    : value;

function shownRows(match: string, { before = '', columns = '' }: Groups): string {
  const names = columns === '' ? [] : columns.split(',').map(bareOf);
  let depth = 0;
  let row: string[] = [];
  const left = match.slice(before.length).replace(part, (found) => {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (depth === 0) row = [];
    if (depth !== 1 || /^[(),]$|^\s*$/.test(found)) return found;
    row.push(bareOf(found));
    const quote = /^\\{0,4}'/.exec(found)?.[0];
    if (quote === undefined) return unquoted(found, names, row);
    if (found.length <= 2 * quote.length) return found;
    // Serialised data is left to other rules, which mask only the credentials in it.
    if (/^\\*'(?:[aO]:\d|\{|\[)/.test(found)) return found;
    const value = bareOf(found);
    if (isPlaceholder(value) || stateAlone.test(value)) return found;
    return isMasked(names, row, row.length - 1) ? `${quote}***${found.endsWith(quote) ? quote : ''}` : found;
  });
  return before + left;
}

export const inserted: MaskingRule = {
  hint: 'values',
  shape:
    /(?<before>\b(?:insert|replace)\s(?:[^\n('"]{1,120}|into\s{1,4}(?:\\{0,4}"[\w.]{1,60}\\{0,4}"\.?){1,2}\s{0,4})(?:\((?<columns>[^()\n]{1,1000})\)\s{0,4})?values?\s{0,4})\([^\n]{1,4000}/gi,
  shown: shownRows,
};

const stateAlone = new RegExp(`^(?:${stateWords})[.!]?$`, 'i');

/** Also in the quotation marks of nested JSON. A text that is cut off has no closing mark. */
const item =
  '(?:"[^"\\\\\\n]{0,300}"|\\\\"[^"\\\\\\n]{0,300}\\\\"|\\\\{3}"[^"\\\\\\n]{0,300}\\\\{3}"|\\\\{1,8}"[^"\\\\\\n]{1,300}|[^\\s"\'\\\\,;&<>]+)';
const bindWords = '[ \\t]{0,8}(?:=>|[:=]|%3[AD])[ \\t[]{0,8}';
const query = '(?:[?&;]|%(?:25){0,3}(?:3F|26)|\\\\u0026)';

export const ownSyntax: readonly MaskingRule[] = [
  {
    hint: 'auth',
    shape: new RegExp(
      `(?<before>authorization${nameEnd}${bindWords}(?:${quote})?)(?:[a-z][\\w-]{1,30}(?:\\\\?[ \\t]{1,4}|%20|\\+))?(?![}\\]])[^\\s"'\\\\,;&<>]+(?:(?<=(?:id|mac|nonce|oauth_\\w{1,20}|opaque|realm|response|uri|username)=)${item})?(?:,[ \\t]{0,4}[\\w-]{1,30}=${item})*`,
      'gi',
    ),
    // Not a scheme followed by an ordinary word, as in a message.
    isSecret: (value) =>
      !state.test(value.replace(/\s.*$/s, '')) &&
      !/^(?![Bb]asic|[Bb]earer|[Dd]igest|[Tt]oken)[A-Za-z]+ [a-z]{2,15}[.,:]?$/.test(value),
  },
  {
    hint: 'bearer',
    shape:
      /(?<before>)\bBearer(?:\s{1,8}|%20|\+)(?!authenticat|authoriz)(?!(?-i:[A-Z]?[a-z]{1,10})(?![\w.~+/=-]))[\w.~+/=-]{8,}/gi,
    // Not the protocol, the next field, or the words of an error.
    isSecret: (value) => !/^bearer\W+(?:HTTP\/\d|bearer|[a-z_]{1,30}=[^=]|[a-z]+(?:[_/][a-z]+)+$)/i.test(value),
  },
  {
    // A name and a password in base64, whatever the name of the header is.
    hint: 'basic ',
    shape: /(?<before>\bBasic )[A-Za-z\d+/]{6,}={0,2}/gi,
    isSecret: (value) => /^[\x20-\x7e\u00a0-\uffff]*:/.test(Buffer.from(value, 'base64').toString()),
  },
  cookies,
  jar,
  {
    // The key of a password reset link or of a licence, or the code of an OAuth redirect.
    hint: `${keyHint}|code|sig=|auth=`,
    shape: new RegExp(`(?<before>${query}(?:amp;)?(?:key|code|sig|auth)(?:=|%(?:25){0,3}3D))[\\w%.~+/:-]{16,}`, 'gi'),
  },
  {
    hint: 'ntlm|negotiate',
    shape: /(?<before>\b(?:NTLM|Negotiate) )[A-Za-z\d+/]{16,}={0,2}/g,
  },
  {
    // A list of several credentials.
    hint: 'passwords|passwörter|codes|tokens|secrets|keys',
    shape: new RegExp(
      `(?<before>(?:passwords|(?:backup|recovery|scratch)_?codes|(?:access_?|auth_?)?tokens|secrets|api_?keys)${nameEnd}[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4}(?:\\[|array ?\\())(?:[\\s,]{0,4}\\\\{0,8}["'][^"'\\\\\\n]{3,200}\\\\{0,8}["'](?!\\s?(?:=>|:))){1,50}`,
      'gi',
    ),
    shown: (match, { before = '' }) => before + match.slice(before.length).replaceAll(/[^\s,"'\\]+/g, '***'),
  },
  {
    // The unsubscribe link of a newsletter: a number and a key.
    hint: 'nk=',
    shape: /(?<before>[?&]nk=\d{1,12}-)[\da-f]{8,}/gi,
  },
  {
    hint: 'pass',
    shape: /(?<before>(?:password[/-]reset|reset[/-]password)\/)[\w-]{20,}/gi,
  },
  {
    hint: '@',
    shape: /(?<before>:(?:\\?\/){2}[^\s/:@"'?]{0,64}:)[^\s/"'\\<>?]{1,256}(?=@)/g,
    // `user:password@` is an example.
    isSecret: (value, before) =>
      !/^(?:pass(?:word|wd)?|pwd|secret)$/i.test(value) ||
      !/\/(?:db_?|my)?(?:login|name|user(?:name)?|usr):$/i.test(before),
  },
  {
    // PHP cuts long arguments after fifteen characters, so the host after the password is missing.
    hint: "\\.\\.\\.'",
    shape: /(?<before>:\/\/[^\s/:@"']{0,64}:)(?!\d{1,5}[./])[^\s/"'@\\<>?]{1,60}(?=\.\.\.')/g,
  },
  {
    hint: '%2F%2F',
    shape: /(?<before>%3A%2F%2F(?:(?!%3A|%2F)[^\s&"']){0,64}%3A)(?:(?!%2F|%40)[^\s&"'/]){1,256}(?=%40)/gi,
  },
  {
    hint: '10005|userpwd',
    shape: /(?<before>(?:10005,|CURLOPT_USERPWD['"]?(?:,| =>|=)) ?["']?[^:"'\s]{0,64}:)[^"'\n\\]{1,200}/g,
  },
  {
    hint: 'identified|pass|crypt',
    shape: new RegExp(
      `(?<before>\\b(?:identified\\s(?:with\\s\\S{1,40}\\s)?(?:by|as)\\s(?:password\\s)?|(?:password|encrypt)\\s?\\(\\s?|(?:aes|des|pgp_sym)_(?:en|de)crypt\\([^\\n,]{1,200},\\s?|set password\\s[^=\\n]{0,80}=\\s?)')(?:(?!')${valueCharacter}){1,200}`,
      'gi',
    ),
  },
  {
    hint: 'identified',
    shape: new RegExp(
      `(?<before>\\bidentified\\s(?:with\\s\\S{1,40}\\s)?(?:by|as)\\s(?:password\\s)?)(?<open>\\\\{0,8}")${begun}(?:(?!(?<!\\\\)\\k<open>)${valueCharacter}){1,200}(?=\\k<open>)`,
      'gi',
    ),
    // Outside of SQL statements, this is a name.
    isSecret: (value, _, __, line) => value !== '?' && /\b(?:alter|create|grant|set)\b/i.test(line),
  },
  {
    hint: `${passwordHint}|${secretHint}|${keyHint}`,
    shape: new RegExp(
      `(?<before>(?:option|meta)_value\`? ?= ?')(?![aO]:\\d)[^'\\n]{1,500}(?='[^'\\n]{0,80}_(?:name|key)\`? ?= ?'[\\w-]{0,80}(?:${telling})${suffix}')`,
      'gi',
    ),
  },
];
