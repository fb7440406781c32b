import { isCoined, isPlace, isRandom } from '../randomness.ts';
import type { MaskingRule } from '../rule.ts';
import { isWritten } from '../values.ts';
import { passwordHint, passwordNames, passwords, telling } from '../credential-names.ts';
import { prose } from '../placeholders.ts';

/** Credentials between the words of a sentence, and beside related credentials. */

const bare = (value: string): string => value.replace(/[.,;:!?)\]}]+$/, '');
const isMixed = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);

export const sentenceParts: readonly MaskingRule[] = [
  {
    // `comparing … with stored password`, `… does not match the password of …`
    hint: passwordHint,
    also: 'compar|check|match|verif|vergl|prüf|test|controle',
    shape: new RegExp(
      `(?<before>\\b(?:compar(?:ing|ed?)|check(?:ing|ed)?|match(?:ing|ed)?|verify(?:ing)?|verified|test(?:ing|ed)?|vergleiche?|prüfe|vergelijk|controleer) ["'\`]?)[^\\s"'\`\\\\]{4,100}(?=["'\`]? (?:with|to|against|and|mit|gegen|met|tegen) (?:[a-z]{2,12} ){0,3}(?:${passwords}))`,
      'gi',
    ),
    isSecret: (value) => isWritten(value) && (/\d/.test(value) || /[^\w-]/.test(value)),
  },
  {
    // `Password for the [elastic] user successfully reset. New value: …`
    hint: passwordHint,
    also: 'value|one|wert|waarde|valeur|valor|neues|nieuwe',
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>(?:${passwords})\\b[^\\n]{0,100}?\\b(?:new|current|temporary|initial|generated|neuer|nieuwe|nouvelle|nuevo|novo) (?:value|one|wert|waarde|valeur|valor)(?: is| ist)? ?[:=]? ["'\`]?)[^\\s"'\`\\\\]{6,100}`,
      'gi',
    ),
    isSecret: (value) => isWritten(bare(value)) && isMixed(value),
  },
  {
    // `Please use the following password to proceed to installation:`, with the password alone on the line below
    hint: passwordHint,
    also: ':\n|: \n|:\r\n',
    begins: [passwordNames],
    shape: new RegExp(
      `(?<before>(?:${passwords})(?: [^\\s:="']{1,30}){1,8}:[ \\t]?\\r?\\n(?:[ \\t]{0,20}\\r?\\n)?[ \\t]{0,20})[^\\s"'<>()[\\]{}=:,;\\\\]{6,100}(?=[ \\t\\r]{0,4}$)`,
      'gim',
    ),
    isSecret: (value) => isRandom(value) || (isMixed(value) && /\p{Lu}|[^\w.@/-]/u.test(value) && isWritten(value)),
  },
  {
    // `unique security ID …`
    hint: 'security id|security-id|security_id|unique id',
    shape: /(?<before>\b(?:unique )?(?:security|unique)[ _-]id["']?(?: is| ?[:=]| ?=>)? ["']?)[\w-]{8,64}(?![\w-])/gi,
    isSecret: (value) => /\d|[a-z][A-Z]/.test(value) && isRandom(value, 8) && !/^[\da-f]{8}-/i.test(value),
  },
  {
    // `OTP for user 729: 499811`
    hint: 'otp |tan |2fa |mfa |passcode |einmalpasswort |one-time',
    shape:
      /(?<before>(?<![a-z\d])(?:t?otp|m?tan|2fa|mfa|passcode|einmalpasswort|one-time[ -](?:password|passcode|pin|code)) (?:for|of|für|voor|van|pour|para|to) [^\n:;=+(]{1,60}(?<!\b(?:client|customer|error|id|job|order|port|request|ticket|user))(?: ?[:=] ?| is )["']?)\d{4,8}(?![\w.:-]\d|\w)/gi,
  },
  {
    // `mTAN r95xej für Auftrag …`
    hint: 'tan |tan:|tan=',
    shape:
      /(?<before>(?<![\w-])(?:(?:m|sms|push|photo|chip|smart|itan)-?TAN|TAN)(?: (?:ist|lautet|is|code))?(?: ?[:=] ?| )["']?)(?=[a-z]*\d)[a-z\d]{5,10}(?![\w.-]*\w)/gi,
    isSecret: (value, before) => (/TAN/.test(before) || /^m/i.test(before)) && !/^\d{1,3}[a-z]{1,3}$|^v\d/i.test(value),
  },
  {
    // A signature beside another key: `?k=…&s=…`
    hint: '&s=|\\?s=|&sig=|&sign=|amp;s=',
    shape:
      /(?<before>[?&;](?:(?:k|key|api_?key|apikey)=[^&\s"'<>]{3,100}&(?:amp;)?(?:[a-z]{1,10}=[\w.-]{0,20}&(?:amp;)?){0,3})?(?:s|sig|sign)=)[\w-]{24,128}(?=(?<hind>&(?:amp;)?(?:[a-z]{1,10}=[\w.-]{0,20}&(?:amp;)?){0,3}(?:k|key|api_?key|apikey)=)?)/gi,
    isSecret: (value, before, _, line) =>
      isRandom(value, 24) && (/[?&;](?:k|\w*key)=/i.test(before) || /[?&;](?:k|api_?key)=/i.test(line)),
  },
  {
    // Pushover requests have an application key and a user key.
    hint: 'pushover|user=',
    also: 'token=',
    shape: /(?<before>(?<![\w-])user=)[a-z\d]{30}(?![\w-])/gi,
    isSecret: (value, _, __, line) => isMixed(value) && isRandom(value, 30) && /(?<![a-z])token=/i.test(line),
  },
  {
    // Shop sessions, whose cookies also appear outside of cookie headers
    hint: 'frontend=|frontend_cid=|adminhtml=|typo_user=|cakephp=|ci_session=|xf_session=|xf_user=',
    shape:
      /(?<before>(?<![\w?&.-])(?:frontend(?:_cid)?|adminhtml|[fb]e_typo_user|cakephp|ci_session|xf_session|xf_user)=)[\w%,-]{20,200}(?![\w.])/gi,
    isSecret: (value) => isRandom(value, 20),
  },
  {
    // A secret that contains slashes: `s3://KEY:SECRET@bucket`
    hint: '@',
    shape: /(?<before>:\/\/[^\s/:@"'?]{1,64}:)(?!\d{1,5}\/)[^\s/"'\\<>?@]{0,200}\/[^\s"'\\<>?@:]{1,256}(?=@[\w[])/g,
    isSecret: (value) =>
      isRandom(value) || (isCoined(value) && isMixed(value) && !isPlace(value) && !prose.test(value)),
  },
  {
    // PHP variables printed in columns: `_SERVER["PHP_AUTH_PW"]`
    hint: 'server[|env[|post[|request[|session['.replaceAll('[', '\\['),
    shape: new RegExp(
      `(?<before>_(?:SERVER|ENV|POST|REQUEST|SESSION|GET)\\[\\\\{0,4}["'][\\w-]{0,40}?(?:${telling})\\\\{0,4}["']\\](?:\\t| {1,20}\\t?)["']?)(?![=:|])[^\\s"'\\\\<>]{4,200}(?=["'\\s]|$)`,
      'gi',
    ),
    isSecret: (value, before) => (/\t/.test(before) ? !prose.test(value) : isWritten(value)),
  },
];
