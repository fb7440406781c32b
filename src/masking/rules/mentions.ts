import { casedOf } from '../case-sensitive-groups.ts';
import { loginCodes } from './typed-codes.ts';
import { isPlace, isRandom, technical, prose, stateWords } from '../value-shapes.ts';
import type { MaskingRule } from '../rule.ts';
import { nameEnd, made } from '../syntax.ts';
import { keys, openKeys, passwordHint, passwordNames, passwords } from '../credential-names.ts';
import { isWritten } from '../values.ts';

/** Credentials inside sentences, and some that one word nearby identifies. */

const state = new RegExp(`^(?:${stateWords})[.,;:!]?$`, 'i');
/** Whether the word after `app password` is only its name. */
const isNameOfApp = (value: string, before: string): boolean =>
  /\bapp(?:lication)?[ _-]pass(?:word)?\W*$/i.test(before) && !isRandom(value, 12);
const opens = '(?:access|activation|api|auth|encryption|licen[cs]e|master|private|secret|signing)[ _-]?key';
const open = casedOf(
  `\\bgpg: |\\barn:|public_?key_?token|\\b(?:get|describe|delete|edit|patch) secrets?\\W|\\b(?:rsa|dsa|ecdsa|eddsa) key\\W|\\b(?:cach(?:e|ing)|memcached?|redis|s3)\\b(?![^\\n]{0,20}${opens})[^\\n]{0,20}\\bkeys?\\W|\\b(?:cache|concurrency|hash|index|sort)["']?:\\s{1,20}["']?key\\W|(?:(?<![a-z])(?:${openKeys}|checksum|hash)[ _-]?|(?-i:(?<=[a-z])(?=[A-Z]))(?:${openKeys}))key\\W|key[ _-](?:id|name|type|pair|fingerprint|column)\\b`,
  'i',
);
/** Whether the value is a build's cache key: words, then a hash of the input. */
const isBuildCacheKey = (value: string): boolean =>
  /^(?=(?:[a-z\d.]{1,15}[-_]){0,3}[a-z]{3})[a-z][a-z\d]{0,15}(?:[-_][a-z\d.]{1,15}){0,5}[-_][\da-f]{8,64}$/i.test(
    value,
  );
/** A program with its version, as in a user agent. */
const programVersion = /^[A-Za-z][A-Za-z-]{1,40}\/v?\d{1,5}(?:\.\d{1,6}){1,4}(?:[-+.][a-z\d.]{1,12})?$/;
const counted =
  /accessor_?id|\b(?:checked out|commit|revision|fingerprint|checksum|class|function|hook|event|file|customer|order|intent|request|job|trace|batch|build|container|contact|(?<!session )id)\b|[./]\w*$/i;

/** Whether the value is the public id of an OpenPGP key. */
const isKeyId = (value: string, line: string): boolean =>
  /^(?:0x)?(?:[\dA-F]{8}){1,5}[:.,]?$/.test(value) && /gpg|pgp|(?:\bsigning|\bpublic)[ _-]?key/i.test(line);
const opening = '(?:\\\\{0,8}["\'“„«‘`]|[\\[({])';
const closing = '["\'”“»’`\\])}]';

/** Words for a password in the languages of the rules below. */
const saidHint = passwordHint;

export const mentions: readonly MaskingRule[] = [
  {
    // `password for user "tina" was changed to "…"`, `the pass phrase is "…"`, `already defined, was "…"`
    hint: saidHint,
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:${passwords})(?:s|["'\\])*]{1,2})?,?(?: [^\\s"'=:]{1,30}| \\\\{0,8}["'][^\\n"'\\\\]{1,60}\\\\{0,8}["']){0,6}? (?:is|was|to|ist|war|auf|lautet|als|est|es|è|é|är|er)[ :]{1,2}${opening})[^\\n"'”“»’\`\\])}\\\\]{1,200}(?=\\\\{0,8}${closing})`,
      'gi',
    ),
    isSecret: (value, _, __, line) =>
      !state.test(value) &&
      !prose.test(value) &&
      !isPlace(value) &&
      !/^\d$/.test(value) &&
      !/\bcomment on\b/i.test(line),
  },
  {
    // `your one-time password is …`
    hint: saidHint,
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:${passwords})(?: [^\\s=:]{1,40}){0,6}? (?:to|is|auf|zu|ist|lautet|est|es|è|é|är|er)[ :]{1,3})[^\\s"',;\\\\]{4,100}`,
      'gi',
    ),
    isSecret: (value) => isWritten(value.replace(/[.!]$/, '')),
  },
  {
    // `pw changed from … to …`
    hint: 'pass|pw|wort',
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:${passwords})(?:\\\\{0,8}["'])?(?: [\\w-]{1,20}){0,4}? (?:from|von) \\\\{0,8}["']?)(?<old>[^\\s"',;\\\\]{3,100})(?<to>\\\\{0,8}["']? (?:to|auf|zu|in) \\\\{0,8}["']?)(?<fresh>[^\\s"',;\\\\]{3,100})`,
      'gi',
    ),
    shown: (match, { before = '', old = '', to = '', fresh = '' }) =>
      [old, fresh].some((value) => isWritten(value) && !technical.test(value)) ? `${before}***${to}***` : match,
  },
  {
    // `with password …`, `as … identified by pass …`
    hint: 'pass|pw|wort',
    shape: new RegExp(
      `(?<before>(?:\\b(?:with|mit|using|con|avec|and|und)|\\b(?:user(?:name)?|login|benutzer)[ =:"']{1,3}[^\\s,]{1,80},?) (?:the )?(?:${passwords}) ["']?)[^\\s"'\\\\]{3,100}`,
      'gi',
    ),
    isSecret: (value, before) =>
      !state.test(value) &&
      !prose.test(value) &&
      (/login/i.test(before) || isWritten(value) || /\p{Lu}.*[\p{Lu}_-]|_/u.test(value)) &&
      // `ALTER USER … PASSWORD EXPIRE`
      !/^(?:EXPIRE|HISTORY|REQUIRE|REUSE)\b/.test(value),
  },
  {
    // `invalid password "…"`, `password (…) does not match`
    hint: 'pass|pw|wort|senha|contrase',
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:(?<![A-Za-z\\d-])|(?-i:(?<=[a-z])(?=[A-Z])))(?:${passwords}) ${opening})[^\\n"'”“»’\`\\])}\\\\]{3,60}(?=\\\\{0,8}${closing})`,
      'gi',
    ),
    isSecret: (value, before, lead) =>
      !isNameOfApp(value, lead + before) &&
      (/[([{]$/.test(before) || value.includes(' ')
        ? isWritten(value) && !(/[([{]$/.test(before) && /\s/.test(value))
        : !state.test(value) && !prose.test(value)),
  },
  {
    // `passphrase: correct horse battery staple`: several words, up to a sign.
    hint: 'phrase',
    shape: new RegExp(
      `(?<before>(?<!\\b(?:bad|empty|incorrect|invalid|missing|no|wrong) )\\bpass[ _-]?phrase${nameEnd}[ \\t]?[:=][ \\t]{1,8})(?!["'\`])[^\\s"\\\\,;|(){}<>[\\]][^\\n"\\\\,;|(){}<>[\\]]{2,200}`,
      'gi',
    ),
    isSecret: (value) => {
      const [first = '', ...others] = value.split(/\s+/);
      return others.length > 0 && !state.test(first) && !prose.test(first) && !/^\d{1,3}$/.test(first);
    },
  },
  {
    // E-mails write the password alone on the line below: `Your password:`
    hint: ':\n|: \n|:\r\n',
    shape: new RegExp(
      `(?<before>(?:${passwords}|${keys}):[ \\t]?\\r?\\n(?:[ \\t]{0,20}\\r?\\n)?[ \\t]{0,20})[^\\s"'<>()[\\]{}=:,;\\\\]{6,100}(?=[ \\t\\r]{0,4}$)`,
      'gim',
    ),
    isSecret: (value) =>
      isRandom(value) ||
      (/\d/.test(value) && /\p{L}/u.test(value) && /\p{Lu}|[^\w.@/-]|[\da-f]{20}/u.test(value) && isWritten(value)),
  },
  {
    // `password …`, without a sign in between
    hint: 'pass|pwd|wort|senha|contrase|wachtw|adgang',
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?<!(?<!\\b(?:bind|root|admin|smtp|ldap|db|user|wpa|wifi|ftp|mysql|auth)[_-]?)[\\w-])(?:${passwords}) )[^\\s"',;:<>()\\\\]{5,100}(?=[\\s"',;.]|$)`,
      'gi',
    ),
    isSecret: (value, before, lead) =>
      !isNameOfApp(value, lead + before) &&
      !lead.endsWith('=') &&
      /\d/.test(value) &&
      /\p{L}/u.test(value) &&
      isWritten(value) &&
      !technical.test(value),
  },
  {
    // `using password … for account …`
    hint: 'pass|pw|wort',
    shape: new RegExp(
      `(?<before>\\b(?:using|with|mit|trying) (?:the )?(?:${passwords}) )(?!auth|plugin|stor|hash|type|reset|less|polic|manager|file|grant|method|mechanism|login|encrypt|endpoint|prompt|protect|based)[^\\s"',;\\\\]{4,100}(?= (?:for|für|on) (?:the )?(?:account|user|host|login|mailbox|benutzer|konto|postfach)\\b)`,
      'gi',
    ),
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    // `secret "…"`, and a key in quotation marks
    hint: 'secret|token|key',
    shape: new RegExp(
      `(?<before>\\b(?<!unexpected )(?:secret|token|(?:api|license|licence|signing|secret)[ _-]?key) )(?<open>\\\\{0,8}["'\`“„«‘])(?:(?!\\k<open>)[^\\s"”“»’\\\\]){8,100}(?=\\k<open>|[”“»’])`,
      'gi',
    ),
    isSecret: (value) =>
      isWritten(value) && (/^\w[\w./:-]*$/.test(value) ? isRandom(value, 8) : !/[=>]{2}|\/\w+\//.test(value)),
  },
  {
    // `Using API key … for account`, `authenticating with token … on`
    hint: 'secret|token|key',
    shape: new RegExp(
      `(?<before>\\b(?:using|with) (?:the )?(?:secret|token|(?:api|licen[cs]e|access)[ _-]?key) )${made(8, 100)}(?= (?:for|on|at|to|from|failed|rejected|was)\\b|$)`,
      'gi',
    ),
    isSecret: (value) => isRandom(value, 8) && !technical.test(value),
  },
  {
    // `license key …`: short keys that are issued to one customer. A captcha's site key is public.
    hint: 'secret key|nse key|nce key|on key|s key|g key|t key|e key|client secret|api secret|p secret',
    shape: new RegExp(
      `(?<before>\\b(?:(?:access|account|activation|encryption|licen[cs]e|private|secret|security|shared|signing|storage) key|(?:api|app|client|consumer|webhook) secret) )${made(8, 120)}(?![\\w~+/=-])`,
      'gi',
    ),
    isSecret: (value, _, __, line) =>
      /\d/.test(value) &&
      (isRandom(value, 8) || /^(?=.*[a-z])(?=.*[A-Z])[\w+/]{40}$/.test(value)) &&
      !isPlace(value) &&
      !technical.test(value) &&
      !isKeyId(value, line),
  },
  {
    // `new password for somebody: …`
    hint: 'pass|pw|wort|senha|contrase',
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:${passwords}) (?:(?:is|was|has been) )?(?:generated |created |set )?(?:for|of|für|von|to|para|pour)(?: [^\\s:=]{1,60}){1,4}: )[^\\s"'\\\\]{4,100}`,
      'gi',
    ),
    isSecret: isWritten,
  },
  {
    // `OTP 482913 sent`
    hint: 'otp|pin',
    shape: /(?<before>\b(?:t?otp|pin|pin[ -]?codes?|cijfercode|toegangscode) )(?!(?:19|20)\d\d\b)\d{4,8}(?![\w.:-])/gi,
  },
  {
    // Licence keys in groups: `A1B2C3D4-E5F6A7B8-…`
    hint: 'licen|key|serial|activat|purchase|register|lizenz',
    shape: /(?<before>)(?<![\w-])[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){2,7}(?![\w-])/g,
    isSecret: (value, _, __, line) =>
      /licen|key|serial|activat|purchase|register|lizenz/i.test(line) &&
      value.split('-').filter((group) => /\d[A-Z]|[A-Z]\d/.test(group)).length >=
        (value.length > 13 && /licen|lizenz|serial/i.test(line) ? 1 : 2),
  },
  {
    // `login attempt with "…" as password`
    hint: 'pass|wort',
    shape: new RegExp(
      `(?<before>\\b(?:with|mit|used|tried|entered|sent) ${opening})[^\\n"'\\])}\\\\]{1,100}(?=\\\\{0,8}${closing} (?:as|als|for) (?:the )?(?:${passwords}))`,
      'gi',
    ),
  },
  {
    hint: 'pass|wort',
    shape: new RegExp(
      `(?<before>\\b(?:with|mit|used|tried) )[^\\s"'\\\\]{4,100}(?= (?:as|als) (?:the )?(?:${passwords}))`,
      'gi',
    ),
    isSecret: isWritten,
  },
  {
    // `PASSWORD elastic = …`
    hint: 'password ',
    shape: /(?<before>\bPASSWORD [a-z_]{1,40} = )[^\s"'\\]{4,100}/g,
  },
  {
    // `DB_PASS Hering88`: a variable name and its value, also in columns.
    hint: 'pass|pwd|_pw|secret|token|_key',
    shape:
      /(?<before>(?<![\w$'"`.=&-])(?:(?=\w{0,40}_)\w{0,40}(?:pass(?:w(?:or|))?d?|pwd?|secret|token|(?:secret|api|access|licen[cs]e|consumer|private|auth|site|encryption|signing)_key)|(?<=^|[\]>] {1,4}|^ {0,20})password(?=\t| {2}))[ \t]{1,20}["']?)(?![}|(]|--?[a-z])(?:[^\s"'`;,()\\]|[(;,](?=[^\s"'`;,()\\])|\)(?=[^\s"'`;,()\\]|\s|$)){4,200}(?=["';,\\]|\s|$)/gim,
    isSecret: (value, before) =>
      (isWritten(value) && !/^[a-z_]{2,30}=/.test(value)) ||
      (/(?<!\w)password(?:\t| {2})\s*$/i.test(before) && !prose.test(value) && !state.test(value)),
  },
  {
    // `ww: …`, the Dutch abbreviation
    hint: 'ww:|ww =',
    shape: /(?<before>(?<![a-z./@-])ww ?[:=] ?["'“„«‘`]?)[^\s"'<>“”«»`\\]{3,100}/gi,
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    // `Please use the following password to proceed to installation:`, with the password alone on the line below
    hint: passwordHint,
    also: ':\n|: \n|:\r\n',
    begins: passwordNames,
    shape: new RegExp(
      `(?<before>(?:${passwords})(?: [^\\s:="']{1,30}){1,8}:[ \\t]?\\r?\\n(?:[ \\t]{0,20}\\r?\\n)?[ \\t]{0,20})[^\\s"'<>()[\\]{}=:,;\\\\]{6,100}(?=[ \\t\\r]{0,4}$)`,
      'gim',
    ),
    isSecret: (value) => isRandom(value) || (/\d/.test(value) && /\p{Lu}|[^\w.@/-]/u.test(value) && isWritten(value)),
  },
  ...loginCodes,
  {
    // `API key … rejected`, `token expired: …`: a random string some words after the word for a credential.
    hint: 'key|token|secret|licen|auth|credential|code|bearer|signature|session|hmac',
    shape:
      /(?<before>(?:key|token|secret|licen[cs]e|auth|authorization code|credentials?(?<!badcredentials?)|bearer|code|signature|session(?: id)?|hmac)["'\]]{0,2}(?=[\s:=,(>])(?:[ \t]?(?:[:=,>-]|=>)|[ \t]\(?[a-z][a-z'-]{0,20}\)?(?=[\s:])){0,5}[ \t:=]{0,2}["'`(<[]{0,2})(?=[\w.+/=:~-]{16})[\w.+/=:~|-]{16,500}/gi,
    isSecret: (value, before, lead, line) =>
      isRandom(value.replace(/[.:,]+$/, ''), /key|secret|token|authorization code/i.test(before) ? 16 : 24) &&
      !isPlace(value) &&
      !isKeyId(value, line) &&
      !/^[a-z]{1,20}_id=/i.test(value) &&
      !programVersion.test(value) &&
      !(/signature|session/i.test(before) && /[.:]\w/.test(value)) &&
      !open.test(lead + before) &&
      !(/(?:^|[^\w -])\s*["']?key["']?(?:: ?| )["']?$/i.test(lead + before) && isBuildCacheKey(value)) &&
      !counted.test(before),
  },
];
