import { blocksOf } from './blocks.ts';
import { calls, dsn } from './calls.ts';
import { commands } from './commands.ts';
import { cookies, jar } from './cookies.ts';
import { defaultsOf } from './defaults.ts';
import { groupsOf } from './groups.ts';
import { pairs } from './pairs.ts';
import { programs } from './programs.ts';
import { isCoined, isFile, isPlace, isRandom } from './random.ts';
import type { Rule } from './rule.ts';
import { isResult } from './results.ts';
import { spoken } from './spoken.ts';
import { places } from './places.ts';
import { inserted, rows } from './statements.ts';
import { begun, ends, isBare, named, quote, within } from './syntax.ts';
import { isTelling, keys, numbers, others, passwords, prose, secrets, sessions, states, suffix } from './words.ts';

/** Credentials that are known by the name before them. */

const passwordHint =
  'pass|phrase|pwd|wort|senha|contrase|adgang|wachtw|psw|otp|mdp|geheim|hasło|haslo|heslo|geslo|jelsz|lozinka|parol|salasana|sifre|ifre|senord|zugangscode|пароль|パスワード|密码|密碼|비밀번호|pw';
const secretHint = 'clave|jeton|secret|token|credential|signat|saml';
const keyHint = 'key';

const state = new RegExp(`^[([<-]{0,2}(?:${states})(?:[.,;:!)\\]}]*$|\\|)`, 'i');
/** What begins or goes on like a sentence: `missing in the request`, `rotate it with the others`. */
function goesOn(value: string): boolean {
  const [first = '', ...others] = value.split(/\s+/, 8);
  return prose.test(first) || (others.length > 0 && state.test(first)) || (others.length > 1 && others.some((one) => prose.test(one)));
}
/** A whole sentence, as an error tells of a field. */
const isSentence = (text: string): boolean =>
  /^\p{Lu}\p{Ll}+(?: \S+){2,40}[.!]$/u.test(text) &&
  (/^\p{Lu}\p{Ll}+(?: \p{Ll}+,?){3,40}[.!]$/u.test(text) || text.split(' ').some((word) => prose.test(word)));

/** `getenv('DB_PASS')` tells where it is kept. */
const readsName = /(?:env(?:_?\w{1,12})?|environ\.get|\bENV\.fetch|get_option|constant|config|__|_e|_x)\(["']$/;
/** `passwd: user 'bob' does not exist` is what a program says; the same word may be a name. */
const saysProgram = /^passwd: {0,2}$/;
const isProgram = (lead: string): boolean => /(?:ch|g|h?t|ldap|ssh|vnc|yp|smb)$/.test(lead);
const says =
  /^\(?(?:all|compat|files|systemd|authentication|cannot|chauthtok|error|failed|invalid|line|matched|must|new|only|password|permission|the|unable|unknown|usage|user|warning|you)\b/i;

/** `could not save password: confirmation is missing` tells of what went wrong. */
const refuses =
  /\b(?:no|without|missing) $|\b(?:unable to|can(?:not|'t)|could(?: not|n't)|failed to|error) (?:[a-z]{1,12} ){1,3}$/i;

const textFile = /^\.{0,2}\/[\w./-]{1,100}\.(?:cnf|conf|env|json|key|pass|pem|txt|ya?ml)$/;
/** Whoever writes `password: the …` goes on with a sentence; `pwd` is a directory as well, and `pass: 3/3` a result. */
function isPassword(value: string, before: string, lead: string): boolean {
  if (readsName.test(before) || /^https?:/.test(value) || textFile.test(value)) return false;
  // `${DB_PASSWORD:?must be set}`
  if (/^[?+-]/.test(value) && /\$\{\w*$/.test(lead)) return false;
  if (saysProgram.test(before)) return isProgram(lead) ? isCoined(value.replace(/\s.*$/s, '')) : !says.test(value);
  if (isResult(value, before, lead) || /^\d$/.test(value)) return false;
  // `has_password => yes` is a question.
  if (/(?:can|has|is|needs?|requires?|shows?|uses?|with)_$/i.test(lead) && /^\w{1,5}$/.test(value)) return false;
  // `--password PASSWORD` says how something is used.
  if (/--\S{1,60}[ \t]$/.test(before) && /^[A-Z_]*(?:PASS|PW)[A-Z_]*$/.test(value)) return false;
  if (isBare(before) && refuses.test(lead) && !isCoined(value)) return false;
  if (state.test(value) || (isBare(before) && goesOn(value)) || isSentence(value) || /^\d{1,3} \p{L}/u.test(value)) return false;
  if (/[|\t][ \t]*$/.test(before)) return isCoined(value);
  // A column of what is imported becomes another.
  if (/[→⇒]\s*$/.test(before) && /^\w+$/.test(value) && isTelling(value)) return false;
  if (/(?<![a-z_])pwd\W*$/i.test(before)) return !isPlace(value);
  return !/(?<![a-z_])pass\W*$/i.test(before) || !/^\d{1,4}(?:\/\d{1,4})?(?:\W|$)/.test(value);
}

/** Signs alone, the size of a zone of nginx, and since when. */
const isMeasure = /^\W{1,3}$|^\d{1,5}[kmg]b?$|^[a-z]{4,12} \d{1,4} [a-z]{3,8} ago$/i;
const ofFile = /^[\w-]{1,40}\.(?:asc|bin|cer|crt|gpg|jks|json|jwk|key|p12|pem|pfx|pub|sig|txt|ya?ml)$/i;
/** The name of a secret that a cloud keeps. */
const isNameOfSecret = /\bsecretsmanager:[\w-]{0,20}:\d{0,12}:$/;
/** After a colon and a space a plain word says in which state it is. */
function isIssued(value: string, before: string, lead: string): boolean {
  if (state.test(value) || isSentence(value) || readsName.test(before) || isMeasure.test(value) || isFile(value) || ofFile.test(value) || isNameOfSecret.test(lead))
    return false;
  if (isBare(before) && /\s/.test(value) && goesOn(value)) return false;
  // The next argument of a call may be a name as well.
  if (/,\s?\\{0,8}["']$/.test(before) && /^[a-z]+(?:[_-][a-z]+){0,4}$/i.test(value)) return false;
  return (
    !isBare(before) ||
    !/[:\s]\s*$/.test(before) ||
    ((isCoined(value) || /^[A-Z2-7]{16,}$/.test(value)) && !isPlace(value))
  );
}

/** Fields of forms, and licences that texts are under. */
const openValue = /^(?:(?:field|group)_|(?:[AL]?GPL|Apache|BSD|CC|EUPL|ISC|MIT|MPL)\b)/i;
/** Words with signs between, and numbers behind: `order.created.v2`. */
const isNamed = (value: string): boolean => /^[a-z]{2,15}(?:[._:|][a-z]{2,15}){1,5}(?:[._:|]?v?\d{1,4})?$/.test(value);
/** By which something is kept for a while, as a build says. */
const isOfCache = /\bcache (?:hit|miss|restored|saved)\b[^\n]{0,20}$/i;
/** `cache: group=posts key=…`: the word alone. */
const isKeyOfCache = (before: string, lead: string): boolean => /^. key\W/i.test(before) && /\bcache\b/i.test(lead);
const looksIssued = (value: string, before: string, lead: string): boolean =>
  !isOfCache.test(lead) &&
  !isKeyOfCache(before, lead) &&
  // Base64 may begin with a slash; then it is long, and has no ending.
  (!isPlace(value) || (/^[\w+/]{40,}={0,2}$/.test(value) && isRandom(value))) &&
  !openValue.test(value) &&
  !(isBare(before) && /\s/.test(value) && goesOn(value)) &&
  !isNamed(value) &&
  !(/app_?id\W*$/i.test(before) && /-.*-/.test(value)) &&
  (isRandom(value, 8) ||
    (before.endsWith('=') && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]+[-_]?\d{1,4}$/i.test(value)));

const foreignKeyHint = 'sleutel|schlüssel|schluessel|clé|cle_|cle-|chiave';
const tellingKeyHint = `${keyHint}|${foreignKeyHint}|bearer|auth|salt|code|hmac|licen|proof|assertion`;
const tellingHint = `${passwordHint}|${secretHint}|${tellingKeyHint}`;
const telling = `${passwords}|${secrets}|${keys}`;
/** What is told about a credential, and is none. */
const aside =
  '(?!(?:account|algo(?:rithm)?|arn|at|audience|class|count|created|cron|date|desc(?:ription)?|digest|dir(?:ectory)?|endpoint|event|exist|expir[a-z]{1,6}|field|file(?:name)?|fingerprint|format|function|group|handler|hash(?:ed)?|hint|hook|id|index|info|issue[dr]?|job|label|last|len(?:gth)?|level|lifetime|link|location|manager|max|min|name|order|owner|page|path|permission|policy|prefix|provider|ref(?:erence)?|request|reset|rotation|run|scope|source|state|status|strength|suffix|task|time(?:stamp)?|title|ttl|type|updated?|ur[il]|used?|user|uuid|version)s?(?![a-z]))';
const byName: readonly Rule[] = [
  {
    hint: 'signature',
    shape: new RegExp(
      `(?<before>signature[\\w-]{0,5}${ends}[:=][ \\t]{0,2}(?:${quote})?(?:t=\\d{1,12},)?(?:sha\\d{1,3}|v\\d)=)[\\w+/=-]{32,}`,
      'gi',
    ),
  },
  ...pairs,
  {
    // `"name":"smtp_password","value":"…"`, and so on: the name is a value in its turn.
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>(?:name|key|field|id|slug|option|label)(?:${quote})?[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4}${quote}[\\w-]{0,60}(?:${telling})${suffix}${quote},\\s{0,20}(?:${quote})?(?:option_|meta_)?value(?:${quote})?[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4})(?<open>${quote})(?:(?!(?<!\\\\)\\k<open>)${within}){1,500}`,
      'gi',
    ),
  },
  {
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>\\[(?:meta_|option_)?(?:name|key|field|id|slug|option|label)\\] => [\\w-]{0,60}(?:${telling})${suffix}\\s{1,20}\\[(?:option_|meta_)?value\\] => )(?!["\\s])(?:(?! [[)])${within}){1,500}`,
      'gi',
    ),
  },
  {
    // The same in two lines of YAML.
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>^[ \\t]{0,40}(?:- )?["']?(?:name|key)["']?: {1,4}["']?[\\w.-]{0,60}(?:${telling})${suffix}["']?[ \\t\\r]*\\n[ \\t]{0,40}["']?value["']?: {1,4}["']?)(?:(?<=["'])[^"'\\n]{1,300}(?=["'])|(?<!["'])(?![|>&*#])[^\\s"'](?:(?! #)[^\\n]){0,300}?(?=\\s*?$| #))`,
      'gim',
    ),
    isSecret: (value) => !state.test(value) && !isPlace(value),
  },
  { hint: passwordHint, shape: named(passwords, 1, 3), isSecret: isPassword },
  { hint: secretHint, shape: named(secrets, 1, 3), isSecret: isIssued },
  { hint: tellingKeyHint, shape: named(keys, 6, 8), isSecret: isIssued },
  {
    hint: `${keyHint}|schlüssel|schluessel|auth|licen|appid|app_id|ticket|jwt|sas`,
    shape: named(others, 8, 8),
    isSecret: looksIssued,
  },
  {
    // A word behind the word for it, as `_facebook`: what was issued is known there as well.
    hint: 'secret_|token_|key_',
    shape: named(
      `(?:secret|token|(?<![a-z])(?:access|api|consumer|licen[cs]e|private|secret)_?key)(?:_${aside}[a-z]{2,20}){1,2}`,
      16,
      16,
    ),
    isSecret: (value) => isRandom(value) && !isPlace(value),
  },
  {
    hint: 'pin|puk|cvc|cvv|cvn|csc|security_code|securitycode',
    shape: named(numbers, 3, 3),
    isSecret: (value) => /^\d{3,8}$/.test(value),
  },
  {
    // Behind it the rest of the address goes on.
    hint: 'jsessionid',
    shape: /(?<before>;jsessionid=)[\w.!-]{10,200}/gi,
  },
  {
    hint: 'wordpress_|pass|sess|remember_|sid',
    shape: named(sessions, 10, 10),
    // Between bars it may be one of many names that an expression looks for.
    isSecret: (value, before) =>
      !/^\d{0,6}$|^</.test(value) &&
      (!(before.endsWith('|') || /session: $/i.test(before)) || isRandom(value)),
  },
];

/** In quotes of JSON in JSON as well; what is cut off has none at its end. */
const item =
  '(?:"[^"\\\\\\n]{0,300}"|\\\\"[^"\\\\\\n]{0,300}\\\\"|\\\\{3}"[^"\\\\\\n]{0,300}\\\\{3}"|\\\\{1,8}"[^"\\\\\\n]{1,300}|[^\\s"\'\\\\,;&<>]+)';
const bindWords = '[ \\t]{0,8}(?:=>|[:=]|%3[AD])[ \\t[]{0,8}';
const query = '(?:[?&;]|%(?:25){0,3}(?:3F|26)|\\\\u0026)';

/** Credentials in syntaxes of their own. */
const apart: readonly Rule[] = [
  {
    hint: 'auth',
    shape: new RegExp(
      `(?<before>authorization${ends}${bindWords}(?:${quote})?)(?:[a-z][\\w-]{1,30}(?:\\\\?[ \\t]{1,4}|%20|\\+))?(?![}\\]])[^\\s"'\\\\,;&<>]+(?:(?<=(?:id|mac|nonce|oauth_\\w{1,20}|opaque|realm|response|uri|username)=)${item})?(?:,[ \\t]{0,4}[\\w-]{1,30}=${item})*`,
      'gi',
    ),
    isSecret: (value) => !state.test(value),
  },
  {
    hint: 'bearer',
    shape:
      /(?<before>)\bBearer(?:\s{1,8}|%20|\+)(?!authenticat|authoriz)(?!(?-i:[A-Z]?[a-z]{1,10})(?![\w.~+/=-]))[\w.~+/=-]{8,}/gi,
    // The protocol, the next field, and words of an error are none.
    isSecret: (value) => !/^bearer\W+(?:HTTP\/\d|bearer|[a-z_]{1,30}=[^=]|[a-z]+(?:[_/][a-z]+)+$)/i.test(value),
  },
  {
    // A name and a password, however their heading was written.
    hint: 'basic ',
    shape: /(?<before>\bBasic )[A-Za-z\d+/]{6,}={0,2}/gi,
    isSecret: (value) => /^[\x20-\x7e\u00a0-\uffff]*:/.test(Buffer.from(value, 'base64').toString()),
  },
  cookies,
  jar,
  {
    // A link by which a password is set anew, a licence, or the way back from somebody else's login.
    hint: `${keyHint}|code|sig=|auth=`,
    shape: new RegExp(`(?<before>${query}(?:amp;)?(?:key|code|sig|auth)(?:=|%(?:25){0,3}3D))[\\w%.~+/:-]{16,}`, 'gi'),
  },
  {
    hint: 'ntlm|negotiate',
    shape: /(?<before>\b(?:NTLM|Negotiate) )[A-Za-z\d+/]{16,}={0,2}/g,
  },
  {
    // Several in a list.
    hint: 'passwords|passwörter|codes|tokens|secrets|keys',
    shape: new RegExp(
      `(?<before>(?:passwords|(?:backup|recovery|scratch)_?codes|(?:access_?|auth_?)?tokens|secrets|api_?keys)${ends}[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4}(?:\\[|array ?\\())(?:[\\s,]{0,4}\\\\{0,8}["'][^"'\\\\\\n]{3,200}\\\\{0,8}["']){1,50}`,
      'gi',
    ),
    shown: (match, { before = '' }) => before + match.slice(before.length).replaceAll(/[^\s,"'\\]+/g, '***'),
  },
  {
    // Links that let whoever follows them in, or speak for them.
    hint: 'reset|invit|verif|confirm|activat|magic|unsub|login/|register|ticket|hash=|auth',
    shape:
      /(?<before>(?:[?&;](?:amp;)?[\w-]{0,20}(?:auth|verif|unsub|invit|confirm|activat|ticket|magic|register)[\w-]{0,12}=|(?<!\.[a-z\d]{2,5})[?&]hash=|\/(?:reset|invit|verif|confirm|activat|magic|unsub|login|autologin|register)[\w-]{0,20}\/))[\w.~%-]{16,}/gi,
    isSecret: (value) => isRandom(value),
  },
  {
    // A newsletter is left by a number and a key.
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
    // `user:password@` tells what to write there.
    isSecret: (value, before) =>
      !/^(?:pass(?:word|wd)?|pwd|secret)$/i.test(value) || !/\/(?:db_?|my)?(?:login|name|user(?:name)?|usr):$/i.test(before),
  },
  {
    // PHP cuts what it prints after fifteen characters, and with it the host behind.
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
      `(?<before>\\b(?:identified\\s(?:with\\s\\S{1,40}\\s)?(?:by|as)\\s(?:password\\s)?|(?:password|encrypt)\\s?\\(\\s?|(?:aes|des|pgp_sym)_(?:en|de)crypt\\([^\\n,]{1,200},\\s?|set password\\s[^=\\n]{0,80}=\\s?)')(?:(?!')${within}){1,200}`,
      'gi',
    ),
  },
  {
    hint: 'identified',
    shape: new RegExp(
      `(?<before>\\bidentified\\s(?:with\\s\\S{1,40}\\s)?(?:by|as)\\s(?:password\\s)?)(?<open>\\\\{0,8}")${begun}(?:(?!(?<!\\\\)\\k<open>)${within}){1,200}(?=\\k<open>)`,
      'gi',
    ),
    // In a sentence a name stands there.
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

export const rules: readonly Rule[] = [
  calls,
  ...groupsOf(passwordHint),
  ...blocksOf(tellingHint),
  ...defaultsOf(tellingHint),
  dsn,
  inserted,
  rows,
  ...byName,
  ...apart,
  ...places,
  ...commands,
  ...programs,
  ...spoken,
];
