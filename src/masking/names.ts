import type { Rule } from './rule.ts';

/** Credentials that are known by the name before them, in the syntaxes of PHP, JSON, SQL, addresses and headers. */

/** Where a word begins, also one of `userPass`; or what is escaped before it ends. */
const word = '(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z]))|(?<=%[\\da-f]{2}|\\\\[nrt]))';

/** Names of what is a credential however short it is. */
const passwords = [
  'passw(?:or[dt]|d)|passphrase|passcode|pwd|kennwort|contrase(?:ñ|n)a|senha',
  `${word}(?:(?:admin|app|auth|db|ftp|my|root|smtp|user|wp)?pass|pw|psw|otp)`,
  '(?<!(?:bad|expired|incorrect|invalid|missing|wrong)_)(?:secret|token)|credentials?|signature|saml_?response',
].join('|');

/** Names of what is a credential only where it is as long as one. */
const keys = [
  '(?:access|account|activation|api|app|application|auth|cipher|consumer|crypt|deploy|encryption|hmac|jwt|licen[cs]e|logged_?in|master|merchant|nonce|order|private|reset|rp|rsa|secret|security|service|shared|signing|ssh|storage|subscription|webhook)[_-]?key',
  '(?:auth|backup|recovery|security|verification)_?code|bearer|(?<=[_-])(?:auth|salt)|(?<=["\'])auth',
].join('|');

/** Names of cookies by which somebody stays logged in, and what else names a session. */
const sessions = [
  'wordpress_(?:logged_in_|sec_)?[\\da-f]{8,64}|wordpress_(?:logged_in|sec)|wp-(?:postpass|resetpass)[\\w-]{0,66}',
  'woocommerce_session(?:_[\\da-f]{8,64})?|remember_(?:[a-z]{1,12}_)?[\\da-f]{0,64}|[js]?sess(?:ion)?_?(?:id|key)?|connect\\.sid|(?<![a-z])sid',
].join('|');

/** What may stand behind a name and leaves its meaning. */
const suffix =
  '(?:[_-]?(?:\\d{1,2}|again|clear|confirm\\w{0,6}|current|live|new|old|plain|prod|repeat|text|test|value))?';
/** A quotation mark as JSON in JSON, pages and addresses write it. */
const quote = `(?:\\\\{0,8}["'\`]|&quot;|&#0?39;|%(?:25)?2[27]|\\\\u002[27])`;
/** What ends a name in quotes or brackets; `:protected` and `:"Class":private` is how PHP prints properties. */
const ends = `(?:${quote}|\\]|%5D|:(?:"[\\w\\\\]{1,80}":)?(?:[\\w\\\\]{1,80}:)?(?:private|protected)(?=\\])){0,4}`;
/** What stands between a name and its value; a comma in the arguments of a call, a space in those of a program. */
const between = [
  '[ \\t]{0,20}(?:=>|:=|={1,2}|:(?![^\\s=]{0,100}(?:private|protected)\\])|%(?:25)?3[AD]|&#0?61;|\\\\u003[ad])(?:\\s|\\\\n){0,40}(?:\\(?string\\(\\d{1,7}\\)|\\(string\\)|\\[)?[ \\t]{0,20}',
  ';s:\\d{1,7}:',
  `(?<=\\(\\s?(?:\\w{1,20},\\s?)?${quote}[\\w.-]{1,80}${quote}),[ \\t]{0,8}(?=${quote})`,
  '(?<=--[\\w-]{1,60})[ \\t]{1,8}(?!-)',
  '(?<=<[\\w:.-]{1,60})>',
  `[ \\t]{1,4}value=(?=${quote})`,
  '</name>\\s{0,9}<value>(?:<string>)?',
].join('|');
/** What is no credential though it stands where one would, and a variable of a program. */
const words =
  'array|bool|disabled|empty|enabled|expected|expired|false|incorrect|invalid|is|missing|must|nil|no|none|not|null|object|off|on|required|string|true|undefined|unknown|was|wrong|yes';
const nothing = (end: string): string => `(?!(?:${words}|\\*{3})(?=${end})|\\$_?[a-z]\\w{0,40}(?:->|[[;),]))`;
/** Where JSON or nginx goes on: no value without quotes reaches beyond. */
const within = '(?!\\\\{0,8}"(?:\\s{0,2}[,:}\\]]| while |$))[^\\n]';
const quoted = `(?<open>${quote})${nothing('\\||\\k<open>')}(?:(?!(?<!\\\\)\\k<open>)${within}){LEAST,500}(?=\\k<open>)`;
/** How `print_r` writes a value: up to the next key, the closing parenthesis or the end of the line. */
const printed = `(?<=\\] => ?)(?!["'\\s])${nothing('[ \\t]{0,4}(?:$| [[()])')}(?:(?! [[)])${within}){LEAST,500}`;
/** A whole line of YAML. */
const ofLine = `(?<=^[ \\t]{0,20}(?:- )?[\\w.-]{1,60}: {1,4})(?!["'\\s])${nothing('\\W|$')}(?:(?! #)${within}){LEAST,500}`;
const bare = `(?:(?<open>${quote})|(?!${quote}|\\w{1,15}\\(${quote}))${nothing('[^\\w-]|$')}(?:[^\\s"'\`&,;<>\\\\]|[,;](?=[^\\s,;"'\\\\])(?![\\w.-]{1,40}["']?[=:])|'(?=[a-z\\d])|\\\\[\\\\/]){BARE,}`;
const value = [quoted, printed, ofLine, bare].join('|');

/** Values of at least this many characters in quotes, and of that many without. */
const named = (names: string, least: number, alone: number): RegExp =>
  new RegExp(
    `(?<before>(?:${names})${suffix}${ends}(?:${between})(?:\\w{1,15}\\((?=${quote}))?)(?:${value.replaceAll('LEAST', String(least)).replace('BARE', String(alone))})`,
    'gim',
  );

/** Functions that are given a credential, by how many arguments stand before it; a stack trace prints them all. */
const calls: readonly (readonly [before: number, names: string])[] = [
  [
    0,
    'wp_(?:set|hash|check)_password|password_(?:hash|verify)|check_password_reset_key|(?:->|::)(?:auth|setPassword|CheckPassword|HashPassword)',
  ],
  [
    1,
    'wp_(?:authenticate|create_user)|reset_password|(?:->|::)(?:login|authenticate|attempt|setSaslAuthData|setAuth)|wpdb(?:->|::)__construct|oci_p?connect|user_pass_ok',
  ],
  [
    2,
    '(?:mysql_p?|mysqli_|odbc_p?|ibase_)connect|mysqli(?:->|::)(?:__construct|connect)|PDO(?:->|::)(?:__construct|connect)|ftp_login|ssh2_auth_password|imap_open|ldap_(?:sasl_)?bind|hash_hmac(?:_file)?|openssl_(?:en|de)crypt|wp_authenticate_(?:username_password|email_password|application_password)|(?:->|::)real_connect',
  ],
  [3, 'mysqli_real_connect'],
];
const argument = `(?:'(?:[^'\\n]|'(?! {0,2}[,)])){0,120}'|[^'",()\\n]{0,60}(?:\\([^()\\n]{0,60}\\))?), {0,2}`;
/** A call with a text among its arguments. */
const argumentHint = '[(,] ?\\\\{0,8}["\']';
const passwordHint = 'pass|pwd|wort|senha|contrase|pw["\'=:\\]]|psw|otp|secret|token|credential';
const keyHint = '[\\w?&;-]key';

const called = (before: number, names: string): RegExp =>
  new RegExp(
    `(?<before>(?:${names})\\((?:${argument}){${before}})(?<open>\\\\{0,8}["'])(?![,:}\\]])(?:(?!\\k<open> {0,2}[,)])${within}){1,200}`,
    'g',
  );

/** In quotes of JSON in JSON as well; what is cut off has none at its end. */
const item =
  '(?:"[^"\\\\\\n]{0,300}"|\\\\"[^"\\\\\\n]{0,300}\\\\"|\\\\{3}"[^"\\\\\\n]{0,300}\\\\{3}"|\\\\{1,8}"[^"\\\\\\n]{1,300}|[^\\s"\'\\\\,;&<>]+)';
const assigned = '[ \\t]{0,8}(?:=>|[:=]|%3[AD])[ \\t[]{0,8}';
const crumb = '[^\\s;"\'\\\\,=]{1,128}';
const query = '(?:[?&;]|%(?:25){0,3}(?:3F|26)|\\\\u0026)';

/** Credentials in syntaxes of their own. */
const others: readonly Rule[] = [
  {
    hint: 'auth',
    shape: new RegExp(
      `(?<before>authorization${ends}${assigned}(?:${quote})?)(?:[a-z][\\w-]{1,30}[ \\t]{1,4})?[^\\s"'\\\\,;&<>]+(?:(?<=(?:id|mac|nonce|oauth_\\w{1,20}|opaque|realm|response|uri|username)=)${item})?(?:,[ \\t]{0,4}[\\w-]{1,30}=${item})*`,
      'gi',
    ),
  },
  { hint: 'bearer', shape: /(?<before>)\bBearer(?:\s{1,8}|%20|\+)(?!authenticat|authoriz)[\w.~+/=-]{8,}/gi },
  {
    hint: 'cookie',
    shape: new RegExp(
      `(?<before>cookies?${ends}${assigned}(?:${quote})?)${crumb}=[^\\s;"'\\\\,]+(?:;[ \\t]{0,2}${crumb}(?:=[^\\s;"'\\\\,]*)?)*`,
      'gi',
    ),
  },
  {
    // A link by which a password is set anew, a licence, or the way back from somebody else's login.
    hint: `${keyHint}|code|sig=`,
    shape: new RegExp(`(?<before>${query}(?:amp;)?(?:key|code|sig)(?:=|%(?:25){0,3}3D))[\\w%.~+/:-]{16,}`, 'gi'),
  },
  {
    hint: 'pass',
    shape: /(?<before>(?:password[/-]reset|reset[/-]password)\/)[\w-]{20,}/gi,
  },
  {
    hint: '//[^\\s/@"\']*@|/\\\\/[^\\s/@"\']*@',
    shape: /(?<before>:(?:\\?\/){2}[^\s/:@"'?]{0,64}:)[^\s/"'\\<>?]{1,256}(?=@)/g,
  },
  {
    hint: '%2F%2F',
    shape: /(?<before>%3A%2F%2F(?:(?!%3A|%2F)[^\s&"']){0,64}%3A)(?:(?!%2F|%40)[^\s&"'/]){1,256}(?=%40)/gi,
  },
  {
    hint: 'mysql|maria|pass',
    shape:
      /(?<before>\b(?:mysql|mariadb|sshpass)[a-z-]{0,6}(?=\s)(?:(?!mysql|mariadb|sshpass)[^\n]){0,300}?\s-p(?:(?<=sshpass -p) )?)(?<open>["'])?[^\s"'\\]{3,}/g,
  },
  {
    hint: 'curl',
    shape:
      /(?<before>\bcurl(?=\s)(?:(?!curl)[^\n]){0,300}?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,64}:)[^\s"'\\]+/g,
  },
  {
    hint: argumentHint,
    shape: /(?<before>(?:10005|CURLOPT_USERPWD), ?["'][^:"'\n]{0,64}:)[^"'\n\\]{1,200}/g,
  },
  {
    hint: 'identified|pass',
    shape:
      /(?<before>\b(?:identified\s(?:with\s\S{1,40}\s)?(?:by|as)\s(?:password\s)?|password\s?\(\s?|set password\s[^=\n]{0,80}=\s?)')[^'\n]{1,200}/gi,
  },
  {
    hint: `${passwordHint}|${keyHint}`,
    shape: new RegExp(
      `(?<before>(?:option|meta)_value\`? = ')[^'\\n]{1,500}(?='[^'\\n]{0,80}_(?:name|key)\`? = '[\\w-]{0,80}(?:${passwords}|${keys})${suffix}')`,
      'gi',
    ),
  },
];

/** `before` and `open` are kept of each match. */
export const rules: readonly Rule[] = [
  {
    hint: `${passwordHint}|signat|saml`,
    shape: named(passwords, 1, 3),
  },
  { hint: `${keyHint}|bearer|auth|salt|code`, shape: named(keys, 6, 8) },
  { hint: 'wordpress_|pass|sess|remember_|sid', shape: named(sessions, 10, 10) },
  ...calls.map(([before, names]) => ({ hint: argumentHint, shape: called(before, names) })),
  ...others,
];
