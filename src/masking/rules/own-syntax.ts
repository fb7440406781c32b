import { cookies, jar } from './cookies.ts';
import type { MaskingRule } from '../rule.ts';
import { begun, nameEnd, quote, valueCharacter } from '../syntax.ts';
import { state } from '../values.ts';
import { keyHint, passwordHint, secretHint, suffix, telling } from '../credential-names.ts';

/** Credentials that have their own syntax. */

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
