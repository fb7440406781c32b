import type { MaskingRule } from '../rule.ts';
import { nameEnd, quote, valueCharacter, namedValue } from '../syntax.ts';
import { isPlace, isRandom, isCoined } from '../value-shapes.ts';
import { isIssued, isPassword, looksIssued, state } from '../values.ts';
import {
  keyHint,
  keyNames,
  keys,
  numbers,
  others,
  passwordHint,
  passwordNames,
  passwords,
  secretHint,
  secretNames,
  credentialNames,
  sessions,
  suffix,
  telling,
  tellingHint,
  tellingKeyHint,
} from '../credential-names.ts';

/** Credentials that are recognised by what stands before them: a name, or a place where nothing else stands. */

/** Names of such lists. */
const paired = '(?:\\b(?:http_?|basic_?)?auth|credentials?|passw(?:or[dt]|d)|\\bpass|userpwd)';
const namePasswordPairs: readonly MaskingRule[] = [
  {
    hint: 'auth|credential|pass',
    shape: new RegExp(
      `(?<before>${paired}${nameEnd}[ \\t]{0,4}(?:=>|[:=]|,)\\s{0,40}(?:\\[|\\(|array ?\\(|array\\(\\d\\) ?\\{)\\s{0,40}(?:0 => |\\[0\\]=>\\s{0,40})?(?:string\\(\\d{1,3}\\) )?${quote}[^"'\\n]{1,100}${quote}(?:,|(?=\\s))\\s{0,40}(?:1 => |\\[1\\]=>\\s{0,40})?(?:string\\(\\d{1,3}\\) )?)(?<open>${quote})(?:(?!(?<!\\\\)\\k<open>[ \\t]{0,2}(?:$|[,)\\]}]))${valueCharacter}){1,200}`,
      'gim',
    ),
  },
  {
    // The format of `print_r`, on one line or more.
    hint: 'auth|credential|pass',
    shape: new RegExp(
      `(?<before>${paired}\\] => Array\\s{1,40}\\(\\s{1,40}\\[0\\] => [^\\n]{1,100}?\\s{1,40}\\[1\\] => )(?!\\s)[^\\n]{1,200}?(?=[ \\t\\r]*$| \\)| \\[)`,
      'gim',
    ),
  },
  {
    hint: 'auth',
    shape: /(?<before>auth(?:\[\]|%5B%5D)=[^&\s"'\\]{1,64}&auth(?:\[\]|%5B%5D)=)[^&\s"'\\]{1,200}/gi,
  },
];

/** Credentials that are recognised by the name before them. */

/** Excludes endings of names that describe a credential, such as `_enabled` or `_length`. */
const aside =
  '(?!(?:account|again|algo(?:rithm)?|arn|at|audience|change[ds]?|confirm\\w{0,8}|enabled|error|message|mail|email|needs|protected|protection|required|rules?|pattern|regexp?|visible|class|count|created|cron|date|desc(?:ription)?|digest|dir(?:ectory)?|endpoint|event|exist|expir[a-z]{1,6}|field|file(?:name)?|fingerprint|format|function|group|handler|hash(?:ed)?|hint|hook|id|index|info|issue[dr]?|job|label|last|len(?:gth)?|level|lifetime|link|location|manager|max|min|name|order|owner|page|path|permission|policy|prefix|provider|ref(?:erence)?|request|reset|rotation|run|scope|source|state|status|strength|suffix|task|time(?:stamp)?|title|ttl|type|updated?|ur[il]|used?|user|uuid|version)s?(?![a-z]))';
export const namedValues: readonly MaskingRule[] = [
  {
    hint: 'signature',
    shape: new RegExp(
      `(?<before>signature[\\w-]{0,5}${nameEnd}[:=][ \\t]{0,2}(?:${quote})?(?:t=\\d{1,12},)?(?:sha\\d{1,3}|v\\d)=)[\\w+/=-]{32,}`,
      'gi',
    ),
  },
  ...namePasswordPairs,
  {
    // `"name":"smtp_password","value":"…"`, and similar: the name of the setting is a value itself.
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>(?:name|key|field|id|slug|option|label)(?:${quote})?[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4}${quote}[\\w-]{0,60}(?:${telling})${suffix}${quote},\\s{0,20}(?:${quote})?(?:option_|meta_)?value(?:${quote})?[ \\t]{0,4}(?:=>|[:=])[ \\t]{0,4})(?<open>${quote})(?:(?!(?<!\\\\)\\k<open>)${valueCharacter}){1,500}`,
      'gi',
    ),
    isSecret: (value) => !state.test(value),
  },
  {
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>\\[(?:meta_|option_)?(?:name|key|field|id|slug|option|label)\\] => [\\w-]{0,60}(?:${telling})${suffix}\\s{1,20}\\[(?:option_|meta_)?value\\] => )(?!["\\s])(?:(?! [[)])${valueCharacter}){1,500}`,
      'gi',
    ),
    isSecret: (value) => !state.test(value),
  },
  {
    // The same on two lines of YAML.
    hint: 'value',
    also: tellingHint,
    shape: new RegExp(
      `(?<before>^[ \\t]{0,40}(?:- )?["']?(?:name|key)["']?: {1,4}["']?[\\w.-]{0,60}(?:${telling})${suffix}["']?[ \\t\\r]*\\n[ \\t]{0,40}["']?value["']?: {1,4}["']?)(?:(?<=["'])[^"'\\n]{1,300}(?=["'])|(?<!["'])(?![|>&*#])[^\\s"'](?:(?! #)[^\\n]){0,300}?(?=\\s*?$| #))`,
      'gim',
    ),
    isSecret: (value) => !state.test(value) && !isPlace(value),
  },
  { hint: passwordHint, shape: namedValue(passwords, 1, 3), begins: passwordNames, isSecret: isPassword },
  { hint: secretHint, shape: namedValue(credentialNames, 1, 3), begins: secretNames, isSecret: isIssued },
  { hint: tellingKeyHint, shape: namedValue(keys, 6, 8), begins: keyNames, isSecret: isIssued },
  {
    hint: `${keyHint}|schlüssel|schluessel|auth|licen|appid|app_id|ticket|jwt|sas`,
    shape: namedValue(others, 8, 8),
    isSecret: looksIssued,
  },
  {
    // A name with a word after `token` or `key`, such as `token_facebook`; only random values are masked.
    hint: 'secret_|token_|key_',
    shape: namedValue(
      `(?:secret|token|(?<![a-z])(?:access|api|consumer|licen[cs]e|private|secret)_?key)(?:_${aside}[a-z]{2,20}){1,2}`,
      16,
      16,
    ),
    isSecret: (value) => isRandom(value) && !isPlace(value),
  },
  {
    // The same for passwords: `WACHTWOORD_DB`
    hint: 'pass_|password_|passwd_|pwd_|pw_|wort_|woord_',
    shape: namedValue(
      `(?:${passwords})_(?:admin|api|app|backup|cms|database|db|dev|email|ftp|host|imap|ldap|live|local|mail|main|master|mysql|pg|postgres|prod|production|redis|root|server|sftp|shop|site|smtp|sql|ssh|stage|staging|test|user|vpn|web|wifi|wordpress|wp)`,
      4,
      4,
    ),
    begins: passwordNames,
    isSecret: isPassword,
  },
  {
    hint: 'pin|puk|cvc|cvv|cvn|csc|security_code|securitycode',
    shape: namedValue(numbers, 3, 3),
    isSecret: (value) => /^\d{3,8}$/.test(value),
  },
  {
    // The rest of the address follows the session id.
    hint: 'jsessionid',
    shape: /(?<before>;jsessionid=)[\w.!-]{10,200}/gi,
  },
  {
    hint: 'wordpress_|pass|sess|remember_|sid',
    shape: namedValue(sessions, 10, 10),
    // Between bars, it may be one of the names in an expression.
    isSecret: (value, before) =>
      !/^\d{0,6}$|^</.test(value) && (!(before.endsWith('|') || /session: $/i.test(before)) || isRandom(value)),
  },
];

/** Credentials that are recognised by their position, where the name alone says too little. */

/** Whether the value has a letter and a digit. */
const isMixed = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);

export const byPosition: readonly MaskingRule[] = [
  {
    // An Akismet key has twelve hexadecimal digits, so only the text before it identifies it.
    hint: 'akismet|wordpress_api|wpcom_api|api key',
    shape:
      /(?<before>\b(?:(?:akismet[^\n]{0,60}?|wordpress_api_|wpcom_api_)key|api key)["'\]]{0,2}(?: (?:is|was|of)|[:=]| =>|)[ "'=(]{1,3})[\da-f]{12}(?![\w-])/gi,
    isSecret: isMixed,
  },
  {
    // `-Dsonar.login=…`: a token where a user name is expected.
    hint: 'sonar',
    shape: /(?<before>(?:\b|-D)sonar[._]login["']?[=:] ?["']?)(?:[\da-f]{40}|sq[apu]_[\da-f]{40})(?!\w)/gi,
  },
  {
    // Webhook addresses that contain a key.
    hint: '/deploy/srv|/api/push/|statuscake',
    shape:
      /(?<before>\/deploy\/srv-[\w-]{4,40}\?key=|\/api\/push\/|push\.statuscake\.com\/\?PK=)[\w-]{8,60}(?=[\s?&"']|$)/g,
    isSecret: isMixed,
  },
  {
    // Drupal: user number, time and key.
    hint: '/user/',
    shape:
      /(?<before>\/user\/(?:reset\/\d{1,12}|\d{1,12}\/cancel\/confirm|registrationpassword\/\d{1,12})\/\d{8,12}\/)[\w-]{32,}/g,
  },
  {
    // Values that a CI job asks to mask in its log.
    hint: 'add-mask|issecret|task.setvariable|::set-',
    shape:
      /(?<before>::add-mask::|##\[add-mask\]|##vso\[task\.setvariable variable=(?:[^\]\n]{0,100}issecret=true[^\]\n]{0,40}|[\w.]{0,40}(?:pass(?:word)?|secret|token|key)(?:;[^\]\n]{0,40})?)\]|::set-(?:output|env) name=[\w-]{0,40}(?:pass(?:word)?|secret|token|key)::)[^\n"\\]{1,300}/gi,
    isSecret: (value) => !value.startsWith('${{'),
  },
  {
    // Short key names in addresses: `?k=…`, `&lk=…`. Cache-busting version parameters have other names.
    hint: '\\?k=|&k=|lk=|ak=|sk=|al=|lic=|apik=',
    shape: /(?<before>[?&;](?:amp;)?(?:k|lk|ak|sk|al|lic|apik)=)[\w+/%.~-]{24,}={0,2}/gi,
    isSecret: (value, _, lead) =>
      (isRandom(value) || /^[\da-f]{32,}$/i.test(value)) && !(value.startsWith('6L') && lead.includes('anchor')),
  },
  {
    // Keys that people chose themselves; in addresses they are short.
    hint: 'import_key|cron_key|secret_key|api_key|apikey|access_key|auth_key|security_key',
    shape: /(?<before>[?&;](?:amp;)?(?:import|cron|secret|api|access|auth|security)_?key=)[\w.~-]{5,7}(?![\w.~%-])/gi,
    isSecret: (value) => isMixed(value) && isCoined(value) && /[A-Z]|\d[a-z]/.test(value),
  },
  {
    // `…/licenses/…`, `…/token/…/plugin.zip`
    hint: '/licen|/token|/api|/key|/secret|/activation|/serial|/unlock|/auth',
    shape:
      /(?<before>\/(?:licen[cs]es?|licen[cs]e[-_]keys?|tokens?|api[-_]?keys?|key|secrets?|activations?|serials?|unlock|auth)\/)[\w.~-]{16,}(?![\w.~-]*\.(?:js|css|php|html?)\b)/gi,
    isSecret: (value) => isRandom(value),
  },
  {
    // Links that log in: `?autologin=42~…`
    hint: 'autologin|auto_login|auto-login|\\?log|&log|;log|magic|one_time|onetime',
    shape:
      /(?<before>[?&;](?:amp;)?(?:auto[_-]?login|login[_-](?:hash|key|code|link|magic)|magic(?:[_-]?(?:login|link|key|code))?|one_?time(?:_?(?:login|link|key|code))?)=(?:\d{1,12}(?:[~:.]|%7E|%3A))?)[\w%.~+-]{8,}/gi,
    isSecret: (value, before) => isMixed(value) && (/\d\W$|%..$/.test(before) || isRandom(value, 8)),
  },
  {
    hint: 'magic|login link|login-link|log-in link|sign-in link|signin link|anmeldelink|inloglink|einmal-link|connexion',
    shape:
      /(?<before>\b(?:magic[ -](?:login[ -])?link|(?:log-?in|sign-?in)[ -]link|(?:anmelde|inlog|einmal-?)link|lien de connexion)\b[^"]{0,60}?https?:(?:\\?\/){2}[^\s"'<>\\]{0,300}[/=])[\w~%-]{16,}/gi,
    isSecret: (value) => isRandom(value) && !/^https?%/i.test(value),
  },
  {
    // The public site key of a captcha is not secret and is longer than the site key of a licence.
    hint: 'site_key|site-key|site key|sitekey',
    shape: /(?<before>site[ _-]?key["'\]]{0,2}[ \t]?(?:[:=]|=>)[ \t]?["']?)[A-Za-z\d]{10}(?![\w-])/gi,
    isSecret: isMixed,
  },
  {
    // Key pairs: `"private":"…"`
    hint: 'private',
    shape: /(?<before>\\{0,8}["']private\\{0,8}["']\s?(?::|=>)\s?\\{0,8}["'])[\w+/-]{32,}={0,2}(?=\\{0,8}["'])/g,
    isSecret: (value) => isRandom(value, 32),
  },
  {
    // A licence in serialised PHP of a plugin.
    hint: 'licen',
    shape: /(?<before>licen[cs]e[^\n]{0,60}?s:3:\\{0,4}"key";s:\d{1,3}:\\{0,4}")[^"\\\n]{8,100}/gi,
  },
  {
    // `headers Authorization Basic …`
    hint: 'authorization ',
    shape: /(?<before>\bauthorization (?:basic|bearer|digest|token|apikey) )(?!realm|auth)[\w+/.~-]{10,}={0,2}/gi,
    isSecret: (value) => isMixed(value) || isRandom(value),
  },
  {
    // WordPress stores each session under the hash of the token in the login cookie.
    hint: 'session_tokens',
    shape: /(?<before>)(?<![\da-f])[\da-f]{64}(?![\da-f])/g,
    // On the line that says `session_tokens`, or where the hash is an array key, as on the next lines of a dump.
    isSecret: (_, __, lead, line) =>
      !/sha\d{1,3}["']?[:=]\s?["']?$/i.test(lead) &&
      (line.includes('session_tokens') || /\[["']?$|s:64:\\{0,8}"$/.test(lead)),
  },
  {
    // `Invalid credentials (admin/…)`, `login failed for admin:…`
    hint: 'credential|login f|login a|login:|login/|login \\(|logon|log in|authentication|anmeld',
    shape:
      /(?<before>\b(?:(?:credentials?|log_?in|logon|authentication|anmeldung) (?:failed |attempt |failure |error )?(?:for |with |by |as )?(?:user )?["'(]?)[\w.@-]{1,64}[:/])[^\s"':/()\\]{5,60}(?![\w:/])/gi,
    isSecret: (value) => isMixed(value) && /[A-Z]|[^\w.-]/.test(value) && !/^[\w-]+\.[\w.-]+$/.test(value),
  },
  {
    // `user [admin] pass [sesame]`, `Command [pass] [sesame]`
    hint: 'pass|pwd',
    shape:
      /(?<before>(?:\b(?:user(?:name)?|login|log|benutzer) ?[[(][^\n[\]()]{1,64}[\])],? (?:with |mit )?(?:password|passwort|passwd|pass|pwd|pw)|\bcommand \[pass\]) ?[[(])(?!ok|yes|no|set|true|false|empty|hidden)[^\s[\]()*]{3,60}(?=[\])])/gi,
  },
];
