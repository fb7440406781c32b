import { isBare } from './syntax.ts';
import { isTelling } from './credential-names.ts';

/**
 * What a text in the place of a credential looks like: a placeholder, words about it, program code, or made by a
 * machine.
 */

const hidden =
  'redacted|filtered|hidden|masked|removed|omitted|censored|scrubbed|sanitized|deleted|present|geschwärzt|protected|secret value|not set|unset|none given|empty';
const forms = [
  // `********`, `●●●●`, `xxxx-xxxx`, and the value of a deleted cookie
  '(?=.*[x*•●∙·█▪⬤])[x*•●∙·█▪⬤.-]{3,}|[-_.]{4,}|%20|\\+',
  // `[REDACTED]`, also if the opening bracket belongs to the surrounding text
  `[<[({]{0,2}(?:value )?(?:${hidden})[>\\])}]{1,2}|${hidden}`,
  // `<your-key>`, `{token}`
  '<[a-z][\\w -]{0,40}>?|\\{[a-z_]{2,40}\\}',
  // `$PASSWORD`, `${PASSWORD:-}`, `{{ password }}`, `%env(PASSWORD)%`, `%s`
  '\\$[A-Z][A-Z\\d_]{2,60}|\\$?\\{{1,3}(?:\\s?[\\w.:?| -]{0,80})\\}{0,3}|%env\\([\\w:]{1,80}\\)%|%(?:\\d\\$)?s',
  // `%PASSWORD%`, `#{password}`, `os.environ.PASSWORD`, `var.password`
  '%[a-z_][a-z\\d_]{2,60}%|[#@]\\{[\\w.]{2,60}\\}',
  '(?:echo )?\\$env:\\w{2,60}|(?:var|local|data|module|config|settings|random_password|process\\.env|os\\.environ|import\\.meta\\.env)(?:\\.[a-z_][a-z_\\d]{0,60}){1,5}|(?:env|fd|file):[\\w./-]{1,100}|(?:process\\.env|os\\.environ|env)\\[["\'\\w\\]]{0,60}',
  // `YOUR_SECRET_KEY`, `put your unique phrase here`, `password_here`
  '(?:put |insert |enter )?your[ _-][\\w -]{0,60}(?:key|token|secret|passw(?:or)?d|phrase|licen[cs]e|code|here)|[\\w-]{1,40}[_-](?:here|placeholder)|change[_-]?me(?:[_-][a-z]{2,20})+|replace[_-]?me(?:[_-][a-z]{2,20})*|placeholder|tbd|todo',
  // `{{ lookup('env', 'DB_PASS') }}`, `!secret db_password`, `(sensitive value)`, `~`, `$1`, `:password` and `@p1` of a statement
  '\\{\\{-?\\s{0,4}[a-z_][^{}\\n]{0,100}\\}\\}|!(?:(?:secret|vault|env_var|env|ref|sub|reference|getatt)(?: .{0,80})?|[a-z_]{2,20} .{1,80})|<%[^\\n]{0,120}|\\.\\*[^\\n]{0,80}|\\$\\([a-z][\\w.]{2,60}\\)',
  '\\((?:sensitive|known)(?: .{0,30})?|~|\\$\\d|:[a-z_]{2,40}|@p\\d{1,3}',
  // References to a secret store: `op://vault/db/password`, `vault:secret/db#password`, `((db-password))`; and
  // encrypted values: `ENC[AES256_GCM,…]`
  '(?:ref\\+)?(?:vault|op|ssm|awssm|awssecrets|secretsmanager|aws-?sm|gcp-?sm|gsm|sm|secret|keyvault|akv|azurekeyvault|keepass|bw|lpass|pass|sops|env|doppler|infisical|conjur|chamber)(?:://|:(?=[\\w./-]{1,100}[/#])|\\+)[\\w./#?&=@:-]{1,200}|arn:aws[\\w-]{0,10}:[\\w./:*+=,@-]{1,200}',
  '\\(\\([\\w./-]{2,80}\\)?\\)?|ENC\\[\\w{3,20},[^\\n]{0,500}',
  // Value names in usage lines, and validation rules of a form: `required|string|min:8`
  '(?:\\|\\s?)?(?:(?:required|nullable|sometimes|string|filled|present|bail|confirmed|alpha_num|alpha_dash|current_password|(?:min|max|size|between|regex|same|different|exists|unique|required_\\w{2,20}):[^|\\s]{1,80})(?:\\s?\\|\\s?|$)){1,10}(?:[a-z_]{2,20}(?::[^|\\s]{1,80})?(?:\\s?\\|\\s?|$)){0,6}',
  // `%{HTTP:Authorization}`, a version number, `http/1.1`, and references to another place
  '%\\{[\\w:!.-]{1,60}\\}[a-z]?|[~^]?(?:[<>=]{1,2} ?)?v?\\d{1,3}(?:\\.\\d{1,5}){1,3}(?:-(?:alpha|beta|rc|dev)[\\w.]{0,12})?|http/\\d(?:\\.\\d)?|stdin|env|file|pass:\\*{3}',
  // A wrapper: `Secret([REDACTED …])`; and a template: `Bearer ${token}`
  `\\w{0,30}[([{<]{1,3}(?:${hidden})\\b[^\\n]{0,80}`,
  '(?:[a-z][\\w-]{0,20}[ :])?\\$\\{[^}\\n]{1,100}\\}?',
  // Checksums of downloads
  'sha(?:1|256|384|512)-[\\w+/]{27,90}={0,2}',
  // Comparison operators of a query
  '[!<>=]{1,3}|(?:not )?like',
  // Key fingerprints
  'sha(?:1|256|384|512):[\\w+/]{27,90}={0,2}|md5:(?:[\\da-f]{2}:){15}[\\da-f]{2}',
  // Column types
  '(?:(?:var)?(?:char|binary)|(?:tiny|small|medium|big)?int|(?:tiny|medium|long)?(?:text|blob)|decimal|datetime|timestamp|double|enum)(?:\\([\\d, ]{1,8}\\))?(?: unsigned)?',
];
/** A scheme may precede it, and the end of a sentence may follow. */
const whole = new RegExp(`^(?:(?:basic|bearer|digest|token)[ +])?(?:${forms.join('|')})[.,;:)\\]}'"\`/]{0,3}$`, 'i');
/**
 * Public keys: of shops, maps and statistics in browsers, PayPal application ids, and public SSH keys. Also
 * `@@PASSWORD@@` and command substitutions such as `$(cat /run/secrets/password)`, except for `echo` and `printf`.
 */
const open =
  /^(?:[Bb]earer |[Bb]asic )?(?:\$\((?!echo|printf)(?:<[^\n]*|[a-z_./-]{2,40}(?:[ )][^\n]*)?)|\$\([A-Z][A-Z\d_]{2,60}\)|[<[]?(?:[A-Z]{2,20}[_-]){0,4}(?:PASS(?:WORD|WD|PHRASE)?|PWD?|SECRET|TOKEN|KEY|CREDENTIALS?|OTP|HASH|VALUE)(?:_\d{1,3})?[>\]]?|@@[A-Z\d_]{2,60}@@|__[A-Z\d_]{2,60}__|pk_(?:live|test)_\w+|(?:live|test)_pk_\w+|pk\.eyJ[\w.-]+|rzp_(?:live|test)_\w{10,20}|phc_\w+|sb_publishable_[\w-]+|FLWPUBK[\w-]+|value|APP-[A-Z\d]{17}|1:\d{6,20}:(?:android|ios|web):[\da-f]+|(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+)(?: \S.*)?)[.,;:)\]}'"\\]{0,3}$/;
/** A scheme alone precedes something that cannot be a credential. */
const scheme = /^(?:basic|bearer|digest|negotiate|ntlm)$/i;

export const isPlaceholder = (value: string): boolean =>
  (value.length < 120 && (whole.test(value.trimEnd()) || scheme.test(value))) ||
  (value.length < 1_000 && open.test(value));

/** Words that stand in the place of a credential and say something about it, such as `missing` or `hidden`. */
export const stateWords = [
  'accepted|added|argument|array|bool|changed|closed|configured|created|deleted|denied|disabled|empty|enabled|encrypted|expected|expired|failed|false|hidden|ignored|include',
  'erforderlich|fehlt|gesetzt|inactive|incorrect|ja|keine?s?|leer|n\\/a|nein|nicht|invalid|is|matched|mismatch|missing|must|nil|no|none|not|null|object|off|ok|omit|on|optional|parameter|path|plain|redacted|rejected',
  'hashed|removed|required|reset|same-origin|saved|set|stored|string|true|undefined|unchanged|unknown|unset|updated|valid|value|verified|was|wrong|yes',
  // The same words in other languages: Dutch and German, then Southern, Northern and Eastern European ones.
  'aangepast|fout(?:ief)?|gewijzigd|leeg|nee|onbekend|ongeldig|onjuist|ontbreekt|opgeslagen|vereist|verkeerd|verlopen|verplicht|vergeten|abgelaufen|falsch|geändert|gespeichert|gültig|pflichtfeld|ungültig|unbekannt|vergessen|verändert',
  'incorrecte?s?|invalides?|requise?|obligatoires?|erronée?|modifiée?|expirée?|manquante?|oubliée?|vide|incorrect[ao]|inv[áa]lid[ao]|obligatori[ao]|requerid[ao]|vac[íi][ao]|err[óo]ne[ao]|caducad[ao]|incorret[ao]|obrigat[óo]ri[ao]|expirad[ao]|vazi[ao]|alterad[ao]|errat[ao]|obbligatori[ao]|richiest[ao]|scadut[ao]|sbagliat[ao]|mancante|vuot[ao]|gre[șs]it[ăa]|invalid[ăa]|obligatori[ue]|necesar[ăa]',
  'feil|ugyldig|påkrevd|mangler|utløpt|endret|forkert|påkrævet|udløbet|ændret|fel|felaktigt?|ogiltigt?|obligatoriskt?|krävs|saknas|ändrat|väärä|virheellinen|pakollinen|vaaditaan|puuttuu|vanhentunut',
  'nieprawidłowe|niepoprawne|błędne|wymagane|puste|zmienione|nesprávné|neplatné|povinné|chybné|prázdné|nesprávne|chybně|napačno|neveljavno|obvezno|netočna|neispravna|pogrešna|obavezna|hibás|helytelen|érvénytelen|kötelező|üres|yanlış|hatalı|geçersiz|zorunlu|gerekli|boş',
  'невер(?:ный|ен|но)|неправильный|обязател(?:ен|ьно)|требуется|пуст(?:ой)?|истёк|грешна|невалидна|必須|無効|不正|错误|必填|无效|錯誤|無效|오류|필수|잘못됨',
].join('|');

/** Words that continue a sentence about a password, so no password follows. */
export const prose =
  /^(?:a|abgelaufen|an|and|are|at|been|bitte|but|can(?:not|'t)?|could|das|der|die|do|does|ein|enter|falsch|field|for|from|ha[ds]|have|if|in|incorrecta?|ist|it|kein|log(?:ged)?|may|min(?:destens|imum)?|must|needs?|nicht|not?|of|or|please|see|should|siehe|some|stimmt|that|the|this|to|too|un(?:able|gültig)|use|vergessen|was|when|wird|will|demasiado|komt|moet|mag|muito|muy|te|trop|troppo|túl|wordt|zu|niet|non|não|nie|inte|ikke|via|given|instead|option|flag|argument|supplied|deprecated|specified|provided|with|would|wurde|you|your|zie|staat|voir|vedi|ver|veja|zobacz|ask|check|kept|lives|managed|moved)$/i;

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
function isJumbled(text: string): boolean {
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

/** Recognises program code in the place of a credential: an expression, a call or a type. */

/** One step of a chain: `.password`, `->password`, `::password`, `?.password`. */
const step = '(?:\\??\\.|->|::)[A-Za-z_]\\w{0,40}';
const chain = new RegExp(`^(?:(?:await|new|return|typeof)\\s)?[$@]?[A-Za-z_]\\w{0,40}(?:${step}){1,6}[,;)]{0,3}$`);
const roots =
  /^(?:this|self|req|request|params?|args?|argv|opts?|options?|config|cfg|conf|settings?|data|input|form|body|ctx|context|state|props|event|payload|row|process|app|env|values?|session|response|res|result|user|account|credentials?|creds|secrets?|local|var|module|each|inputs|outputs|github|steps|vars)$/i;
/** A function call. Function names consist of words: `models.CharField(`, `generate_password_hash(`. */
const called = /^(?:(?:await|new|return)\s)?[$@]?((?:[A-Za-z_]{1,40}(?:\??\.|->|::)){0,6}[A-Za-z_]{1,40})\(/;
const types =
  /^&?(?:(?:readonly |mut )?(?:str(?:ing)?|bytes|text|any|unknown|buffer|secret(?:str|string|<\w{1,20}>)?|securestring|varchar|charfield|nullable)(?:\[\])?|(?:optional|option)[[<]\w{1,20}[\]>])\??(?: ?[|=] ?[^\n]{0,60})?[,;)}]{0,3}$/i;

/** What may follow an expression: a default, a condition or a remark. */
const trailer = /\s+(?:\|\||&&|\?\??|\?:|or|and|if|unless|#|\/\/|--)(?:\s.*)?$/s;

const isChain = (value: string): boolean => {
  if (!chain.test(value)) return false;
  const names = value.replace(/^(?:await|new|return|typeof)\s/, '').match(/[A-Za-z_]\w*/g) ?? [];
  const [root = '', last = ''] = [names[0], names.at(-1)];
  // `DataTypes.STRING`
  return isTelling(last) || roots.test(root) || (/^[A-Z][a-z]/.test(root) && /^[A-Z_]+$/.test(last));
};
const isCall = (value: string): boolean => {
  const name = called.exec(value)?.[1];
  if (name === undefined || isRandom(value) || isJumbled(value)) return false;
  return /\.|->|::|_|[a-z][A-Z]/.test(name) || /^\w+\((?:[:$@?]|\)|[a-z_]+[,)])/.test(value);
};
/** The start of an assignment: a property, or a variable with its type. */
const declares =
  /(?:\.|->|::|\b(?:auto|const|final|let|private|protected|public|readonly|static|string|val|var) \$?)[\w$]{0,20}$/i;
/** The start of a declaration in a typed language: a value without quotation marks is an expression there. */
const declared =
  /(?:\b(?:const|final|let|val|var|auto|char\[\]|(?:private|protected|public|static|readonly)(?: [\w<>[\]]{1,20}){0,2}|[Ss]tring) (?:mut )?[\w$]{0,20}|\b(?:self|this)(?:\.|->)_{0,2}[\w$]{0,20}|(?:^|[\s(])\$[\w>-]{0,20})$/;
const isExpression = (value: string, before: string, lead: string): boolean =>
  /\s(?::?=)\s*$/.test(before) &&
  declared.test(lead) &&
  /^[A-Za-z_$@!][\w$.]*(?:[([;,?&|].*)?$/.test(value) &&
  !/\d/.test(value);
/** A variable name such as `hashedPassword` in code. In a settings file, an ordinary word may be the value. */
const isVariable = (value: string, before: string, lead: string): boolean =>
  /[)\w\]] (?:[!=]?={1,2}|=>|:=) $|: $/.test(before) &&
  (/^[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,3}[,;)]{0,2}$/.test(value) ||
    /^[a-z]{2,20}(?:_[a-z]{2,20}){1,3}[,;)]{1,2}$/.test(value) ||
    (before.trimEnd().endsWith(' ==') && /^[a-z]{2,20}(?:_[a-z]{2,20}){0,3}:?$/.test(value)) ||
    (declares.test(lead) && /^[a-z_]{2,40}[,;)]{0,2}$/.test(value))) &&
  isTelling(value.replace(/[,;)]+$/, ''));

/**
 * Whether a quoted text is a prompt (`"Password: "`), a configuration key (`"Auth:Password"`) or a path
 * (`"/run/secrets/key"`).
 */
export const isAsked = (value: string): boolean => {
  const [last = ''] = value.replace(/[\s:?>*]+$/, '').match(/[^:./]*$/) ?? [];
  return isTelling(last.trim()) || /^(?:proxy-)?authorization$/i.test(last) || /^(?:\.{0,2}|~)\/[\w.-]+\//.test(value);
};

/** Code by itself, whatever stands around it. */
const isCode = (value: string): boolean =>
  isChain(value) ||
  isCall(value) ||
  /^(?:await|async|new|yield|return|typeof|lambda|function)$/.test(value) ||
  types.test(value) ||
  /^[$@]?[A-Za-z_][\w.]{0,40}(?:\(|\[["']?[\w.:-]{0,40}["']?\]?[;,)]*)$/.test(value);

/** `${DB_PASSWORD:?must be set}` */
const isDemand = (value: string, lead: string): boolean => /^[?+]/.test(value) && /\$\{\w*$/.test(lead);

/** `login(user=user, password=password)` */
const isOwnName = (value: string, before: string, lead: string): boolean =>
  /[(,] ?\w{0,30}$/.test(lead) &&
  /^\w+ ?= ?$/.test(before) &&
  before.replace(/\W+$/, '').endsWith(value.replace(/[,;)]+$/, ''));

/** Go prints an empty field like this: `{Token: Expires:0}`. */
const isNextField = (value: string, lead: string): boolean =>
  /\{[^{}]{0,40}$/.test(lead) && /^[A-Z][A-Za-z]{1,30}:(?:\d+|false|true|<nil>|[[{].*|map\[.*)?[,}\]]*$/.test(value);

/** Whether a value is code: an expression, or the name that a function looks up. */
export function isCodeExpression(value: string, before: string, lead: string): boolean {
  // `${DB_PASSWORD:-$OTHER}`
  if (/^[-=]/.test(value) && /\$\{\w*$/.test(lead) && isPlaceholder(value.slice(1))) return true;
  // In serialised PHP, this may be the name of the next value.
  if (/;s:\d{1,5}:\\{0,8}["']$/.test(before)) return isTelling(value);
  if (!isBare(before)) return /[\w\]][[(]\s?\\{0,8}["']$/.test(before) && isAsked(value);
  if (value.length > 300) return false;
  const first = value.replace(trailer, '');
  return (
    isCode(first) ||
    isVariable(first, before, lead) ||
    isExpression(first, before, lead) ||
    isOwnName(first, before, lead) ||
    isDemand(value, lead) ||
    (before.endsWith('{') && isTelling(value)) ||
    isNextField(first, lead)
  );
}
