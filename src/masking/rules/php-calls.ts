import { isAsked, isCoined, isPlace, isRandom } from '../value-shapes.ts';
import type { Groups, MaskingRule } from '../rule.ts';
import { valueCharacter } from '../syntax.ts';
import { isTelling } from '../credential-names.ts';

/** Call arguments in PHP stack traces. The function's name says which of them are credentials. */

/** Which argument is a credential: the one with this index, or every text. */
const placed: readonly (readonly [place: number | 'all', names: string])[] = [
  [
    'all',
    'hash_equals|wp_check_password|password_verify|auth|setPassword|CheckPassword|HashPassword|wp_hash_password|password_hash',
  ],
  [
    0,
    'JWT\\\\Key(?:->|::)__construct|InMemory(?:->|::)plainText|wp_validate_auth_cookie|wp_validate_logged_in_cookie|wp_parse_auth_cookie|wp_set_password|check_password_reset_key|crypt|\\w*(?:[Hh]ash|[Pp]assw|[Ee]ncod)\\w*(?:->|::)(?:check|verify|make|hash|encode\\w{0,20}|isPasswordValid)',
  ],
  [
    1,
    'wp_authenticate|wp_create_user|reset_password|oci_p?connect|wpmu_create_user|openssl_pkey_get_private|user_pass_ok|(?:JWT|Jwt|jwt|jsonwebtoken)(?:->|::|\\.)(?:encode|decode|sign|verify)|hash_pbkdf2|sodium_crypto_pwhash(?:_str_verify)?|wp_new_user_notification|mcrypt_(?:en|de)crypt|openssl_pkcs12_export_to_file|wpdb(?:->|::)__construct|setSaslAuthData',
  ],
  [
    2,
    '(?:mysql_p?|mysqli_|odbc_p?|ibase_)connect|mysqli(?:->|::)(?:__construct|connect)|PDO(?:->|::)(?:__construct|connect)|ftp_login|ssh2_auth_password|imap_open|ldap_(?:sasl_)?bind|hash_hmac(?:_file)?|openssl_(?:en|de)crypt|wp_authenticate_(?:username_password|email_password|application_password)|real_connect|sodium_crypto_secretbox(?:_open)?|hash_hkdf_key|wc_create_new_customer|openssl_pkcs12_read|openssl_pkey_export|Mailbox(?:->|::)__construct|getConnection|Sequelize',
  ],
  [3, 'mysqli_real_connect|openssl_pkcs12_export'],
  [4, 'ssh2_auth_pubkey_file'],
  [5, 'wp_install'],
];
/** Functions that connect to a database take a host, a name and a password. */
const ofDatabase =
  /(?:^|[\\_]|(?<=[a-z])(?=[A-Z]))(?:(?:db|pdo|database|connect(?:ion|or)|driver|\w{0,20}sql)\w{0,30}(?:->|::)(?:__construct|(?:real_?|p)?connect|open)|\w{0,20}(?:db|sql|database)_?p?connect)$/i;
const isHost = (value: string): boolean =>
  /^(?:localhost|db|database|mysql|mariadb|postgres(?:ql)?|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\.?)(?::\d{1,5}|\.\.\.)?$/i.test(
    value,
  );
/** The method of a login, not its credential. */
const isLoginMethod = (value: string): boolean =>
  /^(?:LOGIN|PLAIN|CRAM-MD5|DIGEST-MD5|NTLM|XOAUTH2|OAUTHBEARER)$/.test(value);
const placeOf = placed.map(([place, names]) => ({ place, shape: new RegExp(`(?:^|->|::|\\.|\\\\)(?:${names})$`) }));

/** These functions take a name and a password, or only a password. */
const logsIn = /log_?in|sign_?(?:in|on)|auth(?:enticate|orize)?(?:$|_)|authentication|attempt|credential/i;
/** These functions take no name before the password. */
const compares = /(?:check|compare|encrypt|hash|validate|verify)_?pass/i;
const asksPassword = /passw|passwort|pwd|_pass$|_pass_|setPass|kennwort|otp|totp|2fa|pin$|authcode/i;
const takesKey = /auth|token|secret|key|licen[cs]e|bearer|credential/i;
/** Constants: who is notified of a new user, and PHP's `NULL`. */
const isConstant = (name: string, value: string): boolean =>
  value === 'NULL' || (name.endsWith('notification') && /^(?:admin|both|user)$/.test(value));
/** Functions about the login page, not about what is typed there. */
const isAbout =
  /(?:url|uri|link|page|form|header|footer|title|text|label|message|errors?|notice|hint|html|nonce|field|failed|logo|css|scripts?|template|strength|needs_?rehash|get_?info)$|^(?:get_|is_|has_)(?!.*(?:password|secret|key|token|auth)$)/i;
/** Functions that get the name of another function to call. */
const callsByName = /(?:^|->|::)(?:apply_filters|do_action|call_user_func)(?:_ref_array|_array|_deprecated)?$/;
const inClass = /(?:->|::)(?:__construct|basic|connect|create|digest|from\w*|make)$/;

/** A JSON text: skipped as a whole, and not masked here. */
const json = `'[\\w.]{0,20}[{[](?=\\\\{0,8}")[^'\\n]{0,300}'`;
const text = `${json}|(?<open>\\\\{0,8}["'])(?:(?!\\k<open>(?: {0,2}[,)\\]]|$))${valueCharacter}){0,300}(?:\\k<open>|$)`;
const texts = new RegExp(
  `${json}|(?<open>\\\\{0,8}["'])(?<value>(?:(?!\\k<open>(?: {0,2}[,)\\]]|$))${valueCharacter}){0,300})(?<end>\\k<open>|$)|,|[()]`,
  'g',
);

type Argument = {
  readonly value: string;
  readonly before: string;
  readonly isFirst: boolean;
  readonly isAlone: boolean;
  readonly isMade: boolean;
};

/** PHP cuts long arguments off. */
const isCut = (value: string): boolean => value.endsWith('...') && value.length >= 15;
const isGenerated = (value: string): boolean =>
  isRandom(value) || (/\d/.test(value) && (isCut(value) || (isCoined(value) && value.length >= 8)));
const isRandomText = (value: string): boolean => isRandom(value) && !/^[\da-f-]+$/i.test(value);
const isMethodOrPrompt = (value: string, isAlone: boolean): boolean =>
  (isLoginMethod(value) && !isAlone) || (/[:?] ?$/.test(value) && isAsked(value));
const isUserName = (name: string, { value, isFirst, isAlone }: Argument): boolean =>
  isFirst && !compares.test(name) && !isAlone && !isCut(value) && /^[\p{L}\p{N}_.@* +-]{1,60}$/u.test(value);

/** Whether this argument of the function is a credential. */
function isCredential(name: string, argument: Argument): boolean {
  const { value, before, isAlone, isMade } = argument;
  if (isMethodOrPrompt(value, isAlone)) return false;
  if (isTelling(before)) return true;
  if (isPlace(value) || isAbout.test(name)) return false;
  // A constructor's only argument may be an ordinary word, such as the name of a firewall.
  if (isAlone && isMade && /^[a-z_]{1,20}$/.test(value)) return false;
  if (asksPassword.test(name)) return !isUserName(name, argument);
  if (logsIn.test(name)) return isAlone ? isGenerated(value) : !isUserName(name, argument);
  return (takesKey.test(name) && isGenerated(value)) || (isMade && isAlone && isRandomText(value));
}

/** Functions that take a connection first; PHP's warnings leave it out. */
const omitsConnection = /(?:^|\\)(?:ftp_login|ssh2_auth_password|ldap_(?:sasl_)?bind)$/;

/** A call with its texts. `passed`: the name of the function to call, if that is the first of them. */
type Call = {
  readonly name: string;
  readonly rest: string;
  readonly strings: readonly RegExpExecArray[];
  readonly passed: RegExpExecArray | undefined;
  readonly known: (typeof placeOf)[number] | undefined;
};

const valueOf = (text: RegExpExecArray | undefined): string => text?.groups?.['value'] ?? '';

function callOf(name: string, rest: string, found: readonly RegExpExecArray[]): Call {
  const strings = found.filter(({ groups }) => groups?.['open'] !== undefined);
  const passed = callsByName.test(name) ? strings[0] : undefined;
  return { name, rest, strings, passed, known: placeOf.find(({ shape }) => shape.test(name)) };
}

/** Whether this text, an argument at this place of the call, is a credential. */
function isMasked(call: Call, part: RegExpExecArray, place: number): boolean {
  const { name, rest, strings, passed, known } = call;
  const value = valueOf(part);
  const given = strings.filter((one) => one !== passed);
  if (known !== undefined) {
    // A warning leaves out the connection before the name and the password.
    const isShort = given.length === 2 && omitsConnection.test(name) && /^\(\s?\\{0,8}["']/.test(rest);
    return (known.place === 'all' || known.place === place || (place === 1 && isShort)) && !isConstant(name, value);
  }
  const argument = {
    value,
    before: valueOf(strings[strings.indexOf(part) - 1]),
    isFirst: part === given[0],
    isAlone: given.length === 1,
    isMade: name.endsWith('__construct'),
  };
  const isLast = place === 2 && given.indexOf(part) > 0;
  const called = passed === undefined ? name.replace(inClass, '') : valueOf(passed);
  return isCredential(called, argument) || (isLast && isDatabasePassword(call, value));
}

/** Whether the call connects to a database, and this value, in the password's place, is a password. */
const isDatabasePassword = ({ name, rest, strings }: Call, value: string): boolean =>
  ofDatabase.test(name) &&
  !isPlace(value) &&
  !/^(?:utf-?8|latin)/i.test(value) &&
  (isHost(valueOf(strings[0])) || isCoined(value) || (rest.startsWith('(Array,') && /connect$/i.test(name)));

function shown(match: string, { name = '' }: Groups): string {
  const rest = match.slice(name.length);
  const found = [...rest.matchAll(texts)];
  const call = callOf(name, rest, found);
  let [left, from, depth, place] = [name, 0, 0, 0];
  for (const part of found) {
    const { open, value = '', end = '' } = part.groups ?? {};
    if (part[0] === ',' && depth === 1) place += 1;
    depth += part[0] === '(' ? 1 : part[0] === ')' ? -1 : 0;
    if (open === undefined || part === call.passed || value === '') continue;
    left += rest.slice(from, part.index) + (isMasked(call, part, place) ? `${open}***${end}` : part[0]);
    from = part.index + part[0].length;
  }
  return left + rest.slice(from);
}

const names =
  'auth|login|log_in|sign_?i?on|signin|attempt|passw|pwd|_pass|setPass|user_pass|kennwort|otp|2fa|pin|code|secret|key|token|licen[cs]e|bearer|credential|connect|__construct|ldap_|_bind|create_user|crypt|pkcs12|pkey|basic|digest|create_new_customer|hmac|plaintext|wp_install|jwt(?:->|::|\\.)|jsonwebtoken\\.|sequelize|pbkdf2|secretbox|pwhash|auth_cookie|logged_in_cookie|imap_open|apply_filters|do_action|call_user|sasl|(?:hash|passw|encod)\\w{0,40}(?:->|::)(?:check|verify|make|hash|encode)|hash_equals|new_user_notification';
const inner = `(?<=(?:Array|Object|Closure|Enum))\\((?:[^'"()\\n]|'[^'\\n]{0,200}'){0,300}\\)`;

/** A call that has a text among its arguments. */
const callHint = "\\('|\\(\"|, '|, \"|,'|\\(\\\\";

export const phpCalls: MaskingRule = {
  hint: callHint,
  shape: new RegExp(
    `(?<name>(?<![\\w\\\\])[\\w\\\\]{1,120}(?:(?:->|::|\\.)\\w{1,60}){0,2})\\((?<=(?:${names})\\w{0,60}\\()(?:${text}|[^'"()\\n]|${inner}){1,400}`,
    'gi',
  ),
  shown,
};

/** A database address, a name and a password, as arguments of any function. */
export const dsn: MaskingRule = {
  hint: 'mysql:|pgsql:|sqlsrv:|mariadb:|dblib:|firebird:',
  shape: new RegExp(
    `(?<before>(?<mark>\\\\{0,8}["'])(?:mysql|pgsql|sqlsrv|mariadb|dblib|firebird):(?:(?!\\k<mark>)${valueCharacter}){0,300}\\k<mark>, ?\\k<mark>(?:(?!\\k<mark>)${valueCharacter}){1,100}\\k<mark>, ?)(?<open>\\k<mark>)(?:(?!\\k<open>(?: {0,2}[,)\\]]|$))${valueCharacter}){1,300}`,
    'g',
  ),
};
