import { isCoined, isRandom } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';

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
