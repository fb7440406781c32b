import { casedOf } from './case-sensitive-groups.ts';

/** The words that name credentials, in the languages of the sites, and where such a name begins in a text. */

export type NamePattern = { readonly shape: RegExp; text: string; starts: readonly number[] };

const namePattern = (source: string): NamePattern => ({
  shape: casedOf(`(?=${source})`, 'gi'),
  text: '',
  starts: [],
});

/** All start positions. Many rules look for the same names, so the result for the last text is cached. */
export function startsIn(names: NamePattern, text: string): readonly number[] {
  if (names.text === text) return names.starts;
  const starts: number[] = [];
  names.shape.lastIndex = 0;
  for (let found = names.shape.exec(text); found !== null; found = names.shape.exec(text)) {
    starts.push(found.index);
    names.shape.lastIndex = found.index + 1;
  }
  names.text = text;
  names.starts = starts;
  return starts;
}

/** The start of a word, also inside `userPass` or after an escape. */
const word = '(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z]))|(?<=%[\\da-f]{2}|\\\\[nrt]))';
/** Prefixes of error codes, such as `incorrect_password`. */
const mistaken = '(?<!(?:bad|empty|expired|incorrect|invalid|lost|missing|no|unknown|wrong)_(?:user_?)?|action=lost)';

/** Excludes file names that a search prints before a match. */
const notFile = '(?<!\\bsasl_passwd(?=:))(?<!\\/etc\\/passwd(?=:\\S))';

/** Names whose value is always a credential, however short and whatever its characters. */
export const passwords = [
  `${mistaken}passw(?:or[dt]|d)${notFile}|requirepass|masterauth|(?:pass|encryption|recovery|seed)[ _-]?phrase|passcode|pwd|kennwort|zugangscode|geheimzahl`,
  'contrase(?:ñ|n)a|senha|palavra[ _-]passe|mot[ _-]?de[ _-]?passe|wachtwoord|passord|adgangskode|l(?:ö|o)senord',
  `${word}(?:psk(?![a-z])|mnemonic|wi-?fi[ _-]?(?:key|sleutel|code)|wagwoord|has(?:ł|l)o|heslo|geslo|jelsz(?:ó|o)|lozinka|parol[ae]|salasana|(?:ş|s)ifre|mdp|пароль|κωδικ(?:ός|ό)|סיסמ[הא]|slaptažodis|parool|lykilorð)|كلمة (?:المرور|السر)|mật khẩu|パスワード|密码|密碼|비밀번호`,
  `${word}(?:(?:admin|app|auth|become|bind|control|db|ftp|imap|ldap|login|mail|my|mysql|pg|pop3?|proxy|redis|root|sftp|site|smtp|sql|stage|sudo|user|vpn|web|wifi|wlan|wp|(?:private|ssh|ssl|tls)?key|(?:key|trust)?store|cert|pem|pfx)?_?pass|pw|psw|otp)`,
  '(?-i:(?<![A-Za-z])(?!BY|COM|OVER|TRES)[A-Z]{2,12}PASS(?![A-Za-z]))',
].join('|');

/** Names whose value is a credential unless it is a plain word. */
export const credentialNames = `${mistaken}(?<!existing|public_?key|(?:^|[^a-z]|(?-i:[a-z](?=[A-Z])))(?:page|next|prev(?:ious)?|continuation|sync|cursor|pagination|resume|lock|start|watch|change|design|ring)[_-]?)(?:secret|token)|(?<!load)credentials?|signature|saml_?re(?:sponse|quest)|${word}clave(?:[ _-](?:de acceso|api|secreta|privada))?|${word}jeton`;

/** Excludes lists: a name with a list of passwords has its own rule. */
const notPair = '(?!\\\\{0,8}["\']\\s?(?::|=>)\\s?(?:\\[|array ?\\())';

/** Names whose value is a credential only if it is long enough. */
export const keys = [
  '(?:access|account|activation|admin|api|app|application|auth|cipher|communication|consumer|crc|crypt|customer|deploy|device|encryption|hmac|import|jwt|licen[cs]e|logged_?in|master|merchant|nonce|order|portal|private|push|reset|rest|rp|rsa|secret|secure|security|server|service|shared|signing|ssh|storage|subscription|terminal|totp|transaction|vault|webhook)[ _-]?key',
  '(?:auth|authori[sz]ation|autologin|backup|invite|licen[cs]e|login|mfa|otp|device|user|purchase|recovery|security|sms|unlock|verification)[ _-]?code',
  '(?:api|geheime|licentie|privé|toegangs|beveiligings|encryptie|versleutelings)[ _-]?sleutel',
  `(?:api|geheime?[rs]?|lizenz|privater?|sicherheits|zugangs)[ _-]?schl(?:ü|ue)ssel|${word}(?:cl(?:é|e)[ _-](?:api|secr(?:è|e)te|priv(?:é|e)e)|chiave[ _-](?:api|segreta|privata))`,
  `licen[cs]e[ _-]?number|code_verifier|appsecret_proof|client_assertion|bearer|${word}(?:hmac|salt)|(?<=[_-])(?:auth${notPair}|salt)|(?<=["'?&;])auth${notPair}`,
].join('|');

/** Names of keys that are not secret: database keys, cache keys, public keys. */
export const openKeys =
  'array|authorized|bad|block|bucket|cache|cart|column|composite|concurrency|dedup|dedupe|duplicate|entity|field|file|foreign|gpg|group|host|idempotency|index|item|job|kv|limit|lock|lookup|map|menu|message|meta|no_?such|object|option|page|parent|pgp|pub|partition|post|prefix|primary|public|publishable|query|queue|record|registry|row|schema|search|sentry|setting|shard|site|sitemap|sort|surrogate|tag|throttle|topic|transient|translation|unique|websocket';
/** Names whose value is a credential only if it looks like one: any other key, and licences. */
export const others = `[a-z](?<!${word}(?:${openKeys}|key|possible|truncated|with)|_id)[ _-]?key|licen[cs]e|(?<!(?:algolia|apple|facebook|fb|github|google|ios|onesignal|paypal|pusher)[_-]?)app_?id|schl(?:ü|ue)ssel|${word}(?:authentication|ticket|hash_?key|jwt|sas)`;

/** Names of numeric codes that people type. */
export const numbers = `${word}(?:security_?code|pin|puk|cvc2?|cvv2?|cvn|csc)(?:_?(?:code|number|no))?`;

/** Names of login cookies and other sessions. */
export const sessions = [
  'wordpress_(?:logged_in_|sec_)?[\\da-f]{8,64}|wordpress_(?:logged_in|sec)|wp-(?:postpass|resetpass)[\\w-]{0,66}',
  'woocommerce_session(?:_[\\da-f]{8,64})?|remember_(?:[a-z]{1,12}_)?[\\da-f]{0,64}|[js]?sess(?:ion)?_?(?:id|key)?|connect\\.sid|(?<![a-z])sid',
].join('|');

/** Suffixes that do not change a name's meaning. */
export const suffix =
  '(?:[_-]?(?:\\d{1,2}|again|base|clear|confirm\\w{0,6}|current|development|live|new|old|param|plain|private|prod(?:uction)?|repeat|sandbox|staging|string|text|test|value|(?<=[_-])(?:ap|asia|au|ca|ch|de|dev|eu|na|oc|uk|us)(?![a-z])))?';

const whole = casedOf(`(?:${passwords}|${credentialNames}|${keys}|${numbers})${suffix}$`, 'i');
/** Whether a column, field or option of this name holds a credential. */
export const isTelling = (name: string): boolean => whole.test(name.slice(0, 200));

/** Every text with one of these names contains at least one of these words; see `hint` of a rule. */
export const passwordHint =
  'pass|phrase|pwd|wort|senha|contrase|adgang|wachtw|psw|otp|mdp|geheim|hasło|haslo|heslo|geslo|jelsz|lozinka|parol|salasana|sifre|ifre|senord|zugangscode|пароль|パスワード|密码|密碼|비밀번호|pw|psk|mnemonic|wagwoord|wifi|wi-fi|κωδικ|סיסמ|كلمة|mật khẩu|slaptaž|parool|lykilor';
export const secretHint = 'clave|jeton|secret|token|credential|signat|saml';
export const keyHint = 'key';
const foreignKeyHint = 'sleutel|schlüssel|schluessel|clé|cle_|cle-|chiave';
export const tellingKeyHint = `${keyHint}|${foreignKeyHint}|bearer|auth|salt|code|hmac|licen|proof|assertion`;
export const tellingHint = `${passwordHint}|${secretHint}|${tellingKeyHint}`;
export const telling = `${passwords}|${credentialNames}|${keys}`;

/** Patterns for the positions where such a name starts. */
export const passwordNames = namePattern(`(?:${passwords})`);
export const secretNames = namePattern(`(?:${credentialNames})`);
export const keyNames = namePattern(`(?:${keys})`);
