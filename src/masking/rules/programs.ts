import { lineByLine } from '../multi-line.ts';
import { isCoined, isPlace, isRandom, prose, stateWords } from '../value-shapes.ts';
import type { MaskingRule } from '../rule.ts';
import { begun, valueCharacter } from '../syntax.ts';

/** Credentials on command lines, and in what programs send to servers. */

/** A flag, possibly continued on the next shell line, and its value up to a space. */
const mark = '\\\\{0,8}["\']';
const word = '[^\\s"\'\\\\]{3,}';
/** A value between two flags may contain spaces. */
const upTo = (name: string): string => `(?:(?!(?<!\\\\)\\k<${name}>)${valueCharacter}){1,200}(?=\\k<${name}>)`;
const flagValue = `(?:(?<open>${mark})${begun}(?:${upTo('open')}|${word})|${word})`;
/** The flag before a name that is followed by the password. */
const inside = `(?<inside>${mark})?`;

/** Programs, and the flags before a password; `:` and `,` if a name comes before it. */
const flags: readonly (readonly [hint: string, programs: string, flag: string, ahead?: string])[] = [
  [
    'sudo -s|-stdin|--with-token| su |-fd 0|-fd=0|cryptsetup|smbpasswd|insert|login -|passwd',
    'echo|printf',
    `(?:-[neE]{1,3} |["']%s(?:\\\\n)?["'] )?${inside}`,
    '(?=[^\\n|]{1,500}\\| ?(?:sudo -S|(?:sudo )?su\\b|[^\\n|]{1,200}(?:-stdin|--with-token|-fd[ =]0|\\bcryptsetup|\\b(?:smb)?passwd\\b|\\bpass insert|\\blogin -(?= |$))))',
  ],
  ['-stdin', 'docker|podman|helm|gh|passwd', '[^\\n|]{0,200}(?:-stdin|--with-token) {0,2}<<< ?'],
  ['http-basic', 'composer', 'http-basic\\.\\S{1,100} \\S{1,100} '],
  ['-oauth|-token|bearer', 'composer', '(?:(?:github|gitlab|bitbucket)-(?:oauth|token)|bearer)\\.\\S{1,100} '],
  ['alias set', 'mcl?i?', 'alias set (?:\\S{1,200} ){3}'],
  ['chpasswd', 'echo|printf', `${inside}[\\w.@-]{1,64}:(?=[^\\n]{1,200}\\| ?(?:sudo )?chpasswd)`],
];
const programOf = ([hint, programs, flag, ahead = '']: (typeof flags)[number]): MaskingRule => ({
  hint,
  shape: new RegExp(
    `(?<before>(?<![\\w./-](?<!/))(?:${programs})(?=\\s)${ahead}(?:(?! (?:${programs}) )[^\\n|;]){0,300}?[ \\t]${flag})${flag.includes(inside) ? `(?:${upTo('inside')}|${flagValue})` : flagValue}`,
    'g',
  ),
});

/** What follows `AUTH` to a mail server; the names of methods are not credentials. */
const ways = '(?!(?:response|LOGIN|PLAIN|CRAM|DIGEST|XOAUTH|OAUTHBEARER|NTLM|GSSAPI|SCRAM|EXTERNAL|ANONYMOUS)\\b)';

const state = new RegExp(`^(?:${stateWords})[.,;:!]?$`, 'i');
const tab = '(?:[ \\t]|#011|\\\\t|\\^I)';

/** The next XML-RPC value, with or without its type, and what precedes it. */
const opened = '<value>(?:<(?:string|int|i4)>)?';
const upToValue = '(?:(?!<value>)[^\\n]){0,120}';

export const programs: readonly MaskingRule[] = [
  {
    hint: 'auth plain|auth login|auth xoauth|auth oauth|auth cram|auth ntlm|authenticate',
    shape: new RegExp(
      `(?<before>\\bAUTH(?:ENTICATE)? ["']?(?:PLAIN|LOGIN|XOAUTH2?|OAUTHBEARER|CRAM-MD5|DIGEST-MD5|NTLM|SCRAM-[\\w-]{1,12})["']?[ :=]{1,3}["']?(?:(?:initial[ -])?response[ :=]{1,3}["']?)?)${ways}[\\w+/=-]{6,}`,
      'gi',
    ),
    isSecret: (value) => /[a-z\d=]/.test(value) && !value.startsWith('--'),
  },
  {
    // In a whole text, the following lines are read as in a log.
    hint: 'auth login|auth plain|auth xoauth|auth oauth|auth cram|auth digest|auth ntlm|334 |334\n',
    shape:
      /(?:\bAUTH (?:LOGIN|PLAIN|XOAUTH2?|OAUTHBEARER|CRAM-MD5|DIGEST-MD5|NTLM)|\b334(?: [\w+/=]{0,500})?)[ \t\r]*(?:\n[^\n]{0,300}(?=\n|$)){1,12}/gi,
    shown: lineByLine,
  },
  {
    hint: 'auth ',
    shape: new RegExp(`(?<before>(?<![\\w-])AUTH (?:default )?)${ways}[^\\s"'\\\\<]{5,}(?=$|["'])`, 'g'),
    isSecret: isCoined,
  },
  {
    // The answer to `334 …` is on the same line or, as `multi-line.ts` knows, on the next.
    hint: '334 ',
    shape:
      /(?<before>\b334 [\w+/=]{0,500}[^\w+/=\n][^\n]{0,60}(?:CLIENT|C|>)[ :>-]{0,4}(?:SERVER)?[: ]{1,3})[\w+/]{4,}={0,2}(?=\s|$)/g,
  },
  {
    hint: 'PASS ',
    shape:
      /(?<before>(?<![\w-] |[\w-])PASS (?!\()|(?<=[>:,] |\bquote )PASS )[^\s"'\\][^\n"'|\\]{1,100}?(?=: \d{3}|[|"'\\]| \(|\r?$)/gm,
    // Not a test result that says everything passed.
    isSecret: (value, _, lead) =>
      (/[>:,]\s?$/.test(lead) || !/^[a-z]+(?: [a-z]+)+$/i.test(value)) &&
      value.split(' ').length < 3 &&
      !isPlace(value) &&
      !/^\S*\.(?:test|spec|js|ts|php)\b|^\d{1,3}\b|^\*+|^- |^(?:command|not)\b/.test(value),
  },
  {
    hint: ' login |auth',
    shape:
      /(?<before>(?:\b[A-Za-z]{1,3}\d{1,6} LOGIN (?:\\{0,8}"[^"\n\\]{1,100}\\{0,8}"|[^\s"\\]{1,100}) (?:\\{0,8}")?)|\\{0,8}"AUTH\\{0,8}" (?:\\{0,8}"[^"\n\\]{1,60}\\{0,8}" (?=\\{0,8}"))?\\{0,8}")(?:(?<=")[^"\n\\]{1,200}|[^\s"\\]{1,200})/gi,
  },
  {
    hint: 'snmp|community',
    shape:
      /(?<before>\b(?:r[ow]community6? |snmp\w{0,12}[^\n]{0,60}(?<!\$)\bcommunity(?:[ _-]?(?:string|name))?["']?[ :=]{1,3}["']?|snmp(?:walk|get|set)[^\n]{0,60} -c ))(?!string|name|(?:for|is|of|not|was|with)\b)[^\s"',;\\]{3,60}/gi,
    isSecret: (value) => !state.test(value),
  },
  {
    // postfix's credentials for other servers: host, name and password.
    hint: ':465 |:465\t|:587 |:587\t|]:25|:submission|:smtps |:smtp ',
    shape:
      /(?<before>(?<![^\s"'>](?<!^[+-]))(?<host>\[[\w.-]{1,100}\]|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):(?:25|465|587|2525|submissions?|smtps?)[ \t]{1,40}[A-Za-z][\w.@+-]{0,100}:)[^\s"'\\]{3,100}(?=["'\\]|\s*$)/gm,
    isSecret: (value, before) =>
      before.includes('@') ? !/^\d|^(?:ok|failed)$/i.test(value) : isCoined(value) && value.length >= 6,
  },
  {
    // The same in search results, after the file's name and line number.
    hint: 'sasl_passwd',
    shape:
      /(?<before>\bsasl_passwd[\w.]{0,8}(?::(?:\d{1,6}:)?|-\d{1,6}-)[ \t]{0,4}\[?[\w.-]{1,100}\]?(?::\w{1,12})?[ \t]{1,40}[\w.@+-]{1,100}:)[^\s"'\\]{1,100}/g,
  },
  {
    // The same for exim: host, name, password.
    hint: 'passwd\\.client',
    shape: /(?<before>\bpasswd\.client:(?:\d{1,6}:)?[ \t]{0,4}[\w.*-]{1,100}:[\w.@+-]{1,100}:)[^\s"'\\]{1,100}/g,
  },
  {
    // A client's login to dovecot, with tabs as it logs them.
    hint: 'resp=|cont#011|cont |cont\t',
    shape: new RegExp(
      `(?<before>\\b(?:AUTH${tab}\\d{1,10}${tab}[A-Z][A-Z\\d-]{2,20}${tab}(?:[^\\n]{0,600}?${tab})?resp=|CONT${tab}\\d{1,10}${tab}(?=[\\w+/=]{4,1004}(?:\\s*$|["\\\\]))))[\\w+/]{4,1000}={0,2}`,
      'gm',
    ),
  },
  {
    // `expect`'s answer to a password prompt.
    hint: 'send',
    also: 'assword|asswort|asswd|assphrase|ennwort',
    shape: new RegExp(
      `(?<before>(?:assw(?:or[dt]|d)|assphrase|ennwort)[^"'\\n]{0,20}["'][^"']{0,60}?\\bsend(?: -[-s])? )(?<open>${mark})(?:(?!\\k<open>|\\\\{1,4}[rn])${valueCharacter}){1,200}`,
      'gi',
    ),
  },
  {
    // Redis settings. If another word follows, it is a sentence.
    hint: 'requirepass|masterauth|auth-pass',
    shape: new RegExp(
      `(?<before>\\b(?:requirepass|masterauth|sentinel auth-pass \\S{1,64})["']?[ \\t]{1,8})(?:(?<open>${mark})${begun}${upTo('open')}|[^\\s"'\\\\]{3,200}(?=[ \\t\\r]*(?:$|[#|&])|["'\\\\]))`,
      'gim',
    ),
    isSecret: (value) => !state.test(value) && !prose.test(value),
  },
  {
    hint: 'requirepass|masterauth|auth-pass',
    shape: /(?<before>\b(?:requirepass|masterauth|sentinel auth-pass \S{1,64}) {1,8})[^\s"'\\]{3,200}/gi,
    isSecret: (value) => isCoined(value) && !state.test(value) && !prose.test(value),
  },
  {
    // The command prints only the password.
    hint: 'application-password create',
    shape: /(?<before>\bapplication-password create [^\n]{1,300}--porcelain[^\n]{0,100}\n)[A-Za-z\d]{24}(?!\S)/g,
  },
  {
    hint: 'machine ',
    shape: /(?<before>\bmachine \S{1,200}\s(?:login \S{1,100}\s)?password )[^\s"'\\]{1,200}/g,
  },
  {
    // Lines of `.pgpass`: host, port, database, user, password.
    hint: ':5432:|pgpass',
    shape: /(?<before>(?<![\w.*-])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,64}:[\w*.-]{1,64}:)[^\s:"\\][^\n:"\\]{1,100}/g,
  },
  {
    // `credentials: name / password`
    hint: 'credential|zugangsdaten|logindaten|identifiants',
    shape:
      /(?<before>\b(?:credentials?|zugangsdaten|logindaten|identifiants)(?: (?:used|are|were|given|sent|supplied|provided))?["']?[ \t]?[:=][ \t]?["']?[^\s/:|"'{[]{1,60} ?[/:|] ?)[^\s"'\\][^\n"'\\]{1,60}/gi,
    isSecret: (value) => !isPlace(`/${value}`) || isCoined(value),
  },
  {
    // An XML-RPC call with a name and a password; a blog number and an application key may come first.
    hint: 'methodname',
    shape: new RegExp(
      `(?<before><methodName>(?:wp|mt|metaWeblog|blogger)\\.\\w{1,60}</methodName>${upToValue}(?:${opened}[\\dA-F]{0,40}<${upToValue}){0,2}${opened}[^<\\n]{1,60}<${upToValue}${opened})[^<\\n"\\\\]{1,200}`,
      'g',
    ),
  },
  {
    hint: 'xmlrpc|xml-rpc|getusersblogs',
    shape:
      /(?<before>\b(?:wp|mt|metaWeblog|blogger)\.\w{1,60} ?[[(]\s?(?:\d{1,10}, ?)?(?<open>["'])[^"'\n]{1,60}\k<open>, ?\k<open>)[^"'\n]{1,200}/g,
    shown: (_, { before = '' }) => `${before}***`,
  },
  {
    // The name may be as sensitive as the password.
    hint: ' -u|-user',
    shape: /(?<before>(?<![\w./-])curl(?=\s)[^\n|;]{0,300}?\s(?:-u|--user)[ =]?["']?)[\w-]{16,}(?=:)/g,
    isSecret: (value) => isRandom(value),
  },
  {
    hint: 'http-basic',
    shape: /(?<before>\bcomposer\s[^\n|;]{0,100}?\shttp-basic\.\S{1,100} ["']?)[\w-]{16,}/g,
    isSecret: (value) => isRandom(value),
  },
  {
    hint: 'storepass|keypass',
    shape: new RegExp(`(?<before>\\s-(?:src|dest|new)?(?:storepass|keypass)[ =])${flagValue}`, 'g'),
  },
  {
    hint: 'ftp> user|user ',
    shape: new RegExp(`(?<before>\\bs?ftp> ?user \\S{1,64} )${flagValue}`, 'g'),
  },
  {
    // `net use Z: \\\\nas\\backup /user:name …`, and in reverse order
    hint: '/user:',
    shape:
      /(?<before>\bnet use (?:[a-z*]:? )?\\{2,8}[^\s"']{1,200} (?:\/[^\s"']{1,60} ){0,3}\/user:[^\s"']{1,64} )(?!\/)[^\s"']{3,100}|(?<mind>\bnet use (?:[a-z*]:? )?\\{2,8}[^\s"']{1,200} )(?!\/)[^\s"']{3,100}(?= (?:\/[^\s"']{1,60} ){0,3}\/user:)/gi,
    shown: (_, { before, mind = '' }) => `${before ?? mind}***`,
  },
  {
    // `wp plugin license activate slug …`
    hint: 'licen',
    shape: /(?<before>\blicen[cs]e (?:activate|add|register|set|update) (?:[a-z][a-z-]{0,40} )?["']?)[\w+/=-]{8,}/g,
    isSecret: (value) => /\d/.test(value) && isRandom(value, 8),
  },
  {
    // Redis: `user default on >…`
    hint: 'user ',
    shape: /(?<before>\b(?:acl setuser|user) [\w.-]{1,40} [^\n"']{0,100}?>)[^\s"']{3,200}(?= |$)/gi,
    isSecret: (_, before) => /\bon\b|[~&+]/.test(before),
  },
  {
    // A command that prints a setting, or form data from a browser: in a whole text, the following lines are read as in
    // a log.
    hint: ' get |printenv|echo |form-data|--porcelain',
    shape:
      /^[^\n]{0,300}(?: get |\bprintenv |\becho |\bform-data;|--porcelain)[^\n]{0,300}(?:\n[^\n]{0,300}(?=\n|$)){1,12}/gm,
    shown: lineByLine,
  },
  ...flags.map(programOf),
];
