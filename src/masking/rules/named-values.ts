import { namePasswordPairs } from './name-password-pairs.ts';
import { isPlace, isRandom } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';
import { nameEnd, namedValue, quote, valueCharacter } from '../syntax.ts';
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
