import { lineByLine } from '../multi-line.ts';
import { isPlace, isRandom } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';
import { valueCharacter } from '../syntax.ts';
import { state } from '../values.ts';
import { passwordHint, secretHint, suffix, telling, tellingHint, tellingNames } from '../credential-names.ts';
import { prose } from '../placeholders.ts';

/** Credentials in network protocols, and in the syntax around values. */

const random = (value: string): boolean => isRandom(value);
/** A zero byte as logs write it. */
const zero = '(?:\\\\x00|\\\\0{1,3}|\\\\u0000|%00|\\^@)';
/** Authentication schemes of single services. */
const schemes =
  'SSWS|Api-?Key|Api-?Token|GenieKey|Splunk|Klaviyo-API-Key|DeepL-Auth-Key|Zoho-oauthtoken|PRIVATE-TOKEN|AccessKey|OAuth|GoogleLogin|WRAP|NLAuth|Discogs|ShippoToken|Ghost|Bot|sso-key|X_JETPACK|Token|Snowflake|apikey|Hawk|MAC|Key|PVEAPIToken=\\S{1,60}=';

export const protocols: readonly MaskingRule[] = [
  {
    hint: 'ssws |apikey |api-key |apitoken |api-token |genie|splunk |deepl|klaviyo|zoho-|private-token |accesskey |oauth |googlelogin |wrap |nlauth |discogs |shippotoken |ghost |bot |sso-key |x_jetpack |token |snowflake |hawk |mac |key |pveapi',
    shape: new RegExp(`(?<before>(?<![\\w-])(?:${schemes}) )[\\w.~+/-]{20,}={0,2}(?=[\\s"',;]|$)`, 'g'),
    isSecret: random,
  },
  {
    hint: 'authorization',
    shape: /(?<before>\bauthorization[^\n:=]{0,20}["' ](?:basic|bearer|token) )[\w+/.~-]{16,}={0,2}/gi,
    isSecret: (value) => /\d/.test(value),
  },
  {
    // A name and a password between zero bytes
    hint: '\\\\x00|\\\\0|u0000|%00|\\^@',
    shape: new RegExp(`(?<before>${zero}[\\w.@+-]{1,64}${zero})[^\\s"'\\\\%^]{1,100}`, 'g'),
  },
  {
    // Devices: `username admin password 0 …`, `radius secret …`, `wpa-psk …`
    hint: 'password 0|password 5|password 7|password 8|password 9|secret |wpa-psk|wpa_psk|bindpw|rootpw|key 7 ',
    shape:
      /(?<before>\b(?:(?:password|secret|key) [045789] |(?:radius|tacacs|chap|pap|shared|pre-shared|ppp|server|enable|nas) secret |(?:wpa[-_]psk|bindpw|rootpw) )["']?)(?![045789] )[^\s"'\\{}]{4,100}/gi,
    isSecret: (value) => !state.test(value) && !prose.test(value) && !isPlace(value),
  },
  {
    // Redis: `user default on >…`
    hint: 'user ',
    shape: /(?<before>\b(?:acl setuser|user) [\w.-]{1,40} [^\n"']{0,100}?>)[^\s"']{3,200}(?= |$)/gi,
    isSecret: (_, before) => /\bon\b|[~&+]/.test(before),
  },
  {
    // Oracle allows passwords without quotation marks.
    hint: 'identified by',
    shape:
      /(?<before>\b(?:create|alter|grant)\b[^\n]{0,200}\bidentified by )(?!values|password|externally|globally)[^\s"';]{3,60}/gi,
  },
  {
    // `u/p: jan/…`, `U: jan P: …`
    hint: 'u/p|un/pw| p: | pw: ',
    shape:
      /(?<before>\b(?:u\/p|un\/pw)\b ?[:=]? ?[\w.@+-]{1,40} ?[/:|, ] ?|\bU(?:N|ser)?: ?[\w.@+-]{1,40},? {1,2}P(?:W|ass)?: ?)[^\s"'/]{3,60}/gi,
  },
  {
    hint: 'nickserv|chanserv|identify',
    shape: /(?<before>\b(?:nickserv|ns)\b[^\n]{0,20}?\b(?:identify|ghost \S{1,30}|register) )[^\s"'\\]{3,60}/gi,
    isSecret: (value) => !prose.test(value),
  },
  {
    // Go: `app:…@tcp(10.0.0.1:3306)/shop`, and settings without a scheme
    hint: '@',
    shape: /(?<before>(?<![\w:/.-])[\w.-]{1,64}:)[^\s"'@/]{1,100}(?=@(?:tcp|udp|unix)\()/g,
  },
  {
    hint: '@',
    shape:
      /(?<before>\b(?:dsn|conn(?:ection)?(?:[_-]?(?:string|str|url|uri))?|(?:database|db)[_-]?ur[il])["']?\s?[:=]\s?["']?[\w.-]{1,64}:)[^\s"'@/]{2,100}(?=@[\w.-]{1,100}[:/])/gi,
  },
  {
    // `ARGS:password' (Value: `…')`
    hint: 'value',
    also: tellingHint,
    begins: tellingNames,
    shape: new RegExp(
      `(?<before>(?:${telling})${suffix}["'\`’]?,? \\(?(?:with )?value(?: is| was)?:? ?["'\`])[^"'\`\\n]{1,200}(?=["'\`])`,
      'gi',
    ),
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    // `define('AUTH_SALT', 'a'b');`: the value contains its own quotation mark.
    hint: 'define(|define ('.replaceAll('(', '\\('),
    shape: new RegExp(
      `(?<before>\\bdefine ?\\( ?["'][\\w-]{0,40}(?:${telling})${suffix}["'], {0,8})(?<open>["'])(?=[^\\n]{0,200}?\\k<open> ?\\))(?:(?!\\k<open> ?\\))${valueCharacter}){1,200}(?=\\k<open> ?\\))`,
      'gi',
    ),
    isSecret: (value) => !state.test(value),
  },
  {
    // Multi-line strings of TOML and Python.
    hint: `'''|"""`,
    begins: tellingNames,
    shape: new RegExp(
      `(?<before>(?:${telling})${suffix}["']?[ \\t]{0,4}[:=][ \\t]{0,4})(?<open>'''|""")\\n?(?:(?!\\k<open>)[^]){1,500}(?=\\k<open>)`,
      'gi',
    ),
    isSecret: (value) => !state.test(value),
  },
  {
    // An SQL update of a setting whose name follows the value.
    hint: 'update ',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>\\bupdate\\s[^\\n']{1,80}\\sset\\s[^\\n']{0,80}?=\\s?')(?![aO]:\\d)(?:[^'\\n\\\\]|''|\\\\.){1,500}(?='[^\\n]{0,120}?\\bwhere\\s[^\\n]{0,120}?=\\s?'[\\w./-]{0,80}(?:${telling})[\\w-]{0,20}')`,
      'gi',
    ),
    isSecret: (value) => value.length > 2 && !state.test(value),
  },
  {
    hint: 'role |user ',
    also: passwordHint,
    shape: /(?<before>\b(?:create|alter)\s(?:role|user)\s[^\n']{1,120}?\bpassword\s')(?:[^'\n\\]|''|\\.){1,200}(?=')/gi,
  },
  {
    // `sid …`, `sessionId …`
    hint: 'sid |session',
    shape: /(?<before>(?<![a-z])(?:sid|session[ _-]?(?:id|token|key)) )[\w.~+/!-]{20,}/gi,
    isSecret: (value) => isRandom(value, 20) && !/^[\da-f]{8}-/i.test(value),
  },
  {
    // The name follows the value: `"…" // api secret`, `… token rejected`
    hint: `${secretHint}|key`,
    also: ' //| # | -- | <-| \\(api| \\(secret| \\(token| \\(key| \\(pass| \\(lic|rejected|revoked|expired|invalid|refused|leaked|found',
    shape:
      /(?<before>)(?<![\w.~+/=-])[\w.~+/-]{20,200}={0,2}(?=["']?[;,]? {1,3}(?:(?:\/\/|#|--|<--?|\() ?[^\n"';]{0,30}?\b(?:secret|token|api[ _-]?key|password|licen[cs]e[ _-]?key)\b|(?:api[ -]?)?(?:token|key) (?:rejected|revoked|expired|invalid|refused|leaked|found)\b))/gi,
    isSecret: (value) => isRandom(value, 20) && !isPlace(value),
  },
  {
    // A command that prints a setting, or form data from a browser: in a whole text, the following lines are read as in
    // a log.
    hint: ' get |printenv|echo |form-data|--porcelain|codes:\n|code:\n',
    shape:
      /^[^\n]{0,300}(?: get |\bprintenv |\becho |\bform-data;|--porcelain|codes?(?=[^\n:]{0,40}: {0,2}\n))[^\n]{0,300}(?:\n[^\n]{0,300}(?=\n|$)){1,12}/gm,
    shown: lineByLine,
  },
];
