/**
 * What stands in the place of a credential: placeholders (masked, left out, or the name of its source), and words that
 * say something about it.
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
