import { isPlaceholder } from '../value-shapes.ts';
import type { Groups, MaskingRule } from '../rule.ts';
import { valueCharacter } from '../syntax.ts';

/** Reads command lines word by word. The table says which flag or argument of which program is a password. */

type PasswordPlaces = {
  /** Flags whose value is the next word, or follows `=` or `:`. */
  readonly flags?: RegExp;
  /** The start of a word whose rest is the password. */
  readonly glued?: RegExp;
  /** A flag, and the name that comes before the password in the next word: `-U name%…`. */
  readonly pairs?: readonly [flag: RegExp, name: RegExp];
  /** Text before the password inside any word. */
  readonly inWord?: RegExp;
  /** The password is the argument at this place after one of these words. */
  readonly behind?: readonly [words: RegExp, place: number];
  /** Text that must also be in the line. */
  readonly only?: RegExp;
};

const table: readonly (readonly [programs: string, taken: PasswordPlaces])[] = [
  [
    'mysql|mariadb|mysqldump|mysqladmin|mysqlimport|mysqlcheck|mysqlshow|mysqlslap|mysqlpump|mydumper|xtrabackup|mariabackup|mariadb-dump|mariadb-admin',
    { glued: /^-p(?=.)/ },
  ],
  ['mysqladmin', { behind: [/^password$/, 1] }],
  [
    'sqlcmd|bcp|osql|zip|unzip|zipcloak|ipmitool|mosquitto_(?:pub|sub|rr)|freetds|tsql|mbstream',
    { flags: /^-P$/, glued: /^-P(?=[^\s-])/ },
  ],
  [
    'mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|cypher-shell|ncftp|ncftpput|ncftpget|hydra|nxc|netexec|crackmapexec|smbmap|evil-winrm|rdesktop|wlfreerdp|psexec|PsExec|PsExec64|twine|impacket-\\w+|veracrypt|steghide|kcadm\\.sh|influx|doveadm|useradd|usermod|arangosh|rabbitmqadmin|sshpass|rundeck',
    { flags: /^-p$/ },
  ],
  [
    'cf|ibmcloud|oc|az|docker|podman|helm|buildah|skopeo|nerdctl|crane|flux|oras|regctl',
    { flags: /^-p$/, only: / login\b/ },
  ],
  ['sshpass', { glued: /^-p(?=.)/ }],
  ['rabbitmqadmin|http|https|xh', { pairs: [/^(?:-a|--auth)$/, /^[^\s:]+:/] }],
  ['7z|7za|7zr|7zz|unrar|rar|lsar|unar', { glued: /^-(?:hp|p)(?=.)/ }],
  ['unar|lsar|pdftotext|pdfunite', { flags: /^(?:-password|-upw|-opw)$/ }],
  ['pdftk', { behind: [/^(?:user_pw|owner_pw|input_pw)$/, 1] }],
  ['redis-cli|valkey-cli|keydb-cli', { flags: /^(?:-a|--pass)$/, behind: [/^auth$/i, 1] }],
  ['ldap(?:search|add|modify|whoami|delete|passwd|compare|modrdn|exop)', { flags: /^-w$/ }],
  ['ldappasswd', { flags: /^-[sa]$/ }],
  ['snmp(?:walk|get|set|bulkwalk|bulkget|table|trap|status|getnext)', { flags: /^-[cAX]$/ }],
  ['plink|pscp|psftp|putty|kitty', { flags: /^-pw$/ }],
  ['swaks', { flags: /^(?:-ap|--auth-password)$/ }],
  ['sendemail|sendEmail', { flags: /^-xp$/ }],
  ['x11vnc|vncviewer', { flags: /^-passwd$/ }],
  [
    'xfreerdp|xfreerdp3|wlfreerdp|sdl-freerdp|mstsc|cmdkey|ktpass|schtasks|wmic|net(?:dom)?|winrs|appcmd|certutil',
    { glued: /^[/-](?:p|gp|pass|password|passwordd|pw|rp):(?=.)/i, flags: /^\/(?:rp|pass|password)$/i },
  ],
  ['dsadd|dsmod', { flags: /^-pwd$/ }],
  [
    'smbclient|rpcclient|net|smbget|smbcacls|wmiexec',
    { pairs: [/^(?:-U|--user)$/, /^[^\s%]+%/], glued: /^-U[^\s%]+%/ },
  ],
  [
    'curl',
    {
      pairs: [/^(?:-[a-zA-Z]{0,5}[uU]|--user|--proxy-user)$/, /^[^\s:]+:/],
      glued: /^(?:-u|--(?:proxy-)?user=)[^\s:-][^\s:]*:(?=.)/,
      flags: /^--pass$/,
    },
  ],
  ['lftp|ncftp|open', { pairs: [/^-u$/, /^[^\s,]+,/] }],
  ['etcdctl|curlftpfs|elasticdump|esrally|wrk', { pairs: [/^(?:--user|-u)$/, /^[^\s:]+:/], glued: /^--user=[^\s:]+:/ }],
  [
    'sqlplus|sqlldr|rman|expdp|impdp|exp|imp|tnsping|sqlcl',
    { inWord: /^(?:userid=|target=|catalog=|auxiliary=)?[A-Za-z_]\w{0,40}\/(?=[^/@\s]+(?:@|$))/i },
  ],
  ['rman', { inWord: /^[A-Za-z_]\w{0,40}\/(?=[^/@\s]+@)/ }],
  ['openssl|gpg|gpg2|easyrsa|step', { flags: /^(?:-k|-K|--passphrase)$/, inWord: /^(?:--pass(?:in|out)=)?pass:(?=.)/ }],
  ['openssl', { behind: [/^passwd$/, 1] }],
  ['keytool|jarsigner|apksigner|zipalign', { flags: /^-(?:(?:src|dest|new)?(?:storepass|keypass)|new)$/ }],
  ['ssh-keygen', { flags: /^-[NP]$/ }],
  ['htpasswd', { behind: [/^-(?!\w*n)[a-zA-Z]{0,5}b[a-zA-Z]{0,5}$/, 3] }],
  ['htpasswd', { behind: [/^-(?=\w*n)[a-zA-Z]{0,5}b[a-zA-Z]{0,5}$/, 2] }],
  ['doveadm', { behind: [/^(?:test|login)$/, 2] }],
  ['isql|iusql', { behind: [/^iu?sql$/, 3] }],
  ['wpa_passphrase', { behind: [/^wpa_passphrase$/, 2] }],
  ['nmcli|iw|iwconfig', { behind: [/^(?:password|wifi-sec\.psk|802-11-wireless-security\.psk|802-1x\.password)$/, 1] }],
  ['drush|drush9|drush\\.php', { behind: [/^(?:user[:-]password|upwd)$/, 2] }],
  ['neo4j-admin', { behind: [/^set-initial-password$/, 1] }],
  ['net', { behind: [/^user$/i, 2] }],
  ['bw', { behind: [/^unlock$/, 1] }],
  ['rclone', { behind: [/^obscure$/, 1] }],
  ['mkpasswd', { behind: [/^mkpasswd$/, 1] }],
  ['rabbitmqctl', { behind: [/^(?:add_user|change_password|authenticate_user)$/, 2] }],
  [
    'v-add-user|v-change-user-password|v-add-database|v-add-mail-account',
    { behind: [/^v-(?:add-user|change-user-password)$/, 2] },
  ],
  ['asadmin|wsadmin\\.sh|jboss-cli\\.sh|kcadm\\.sh|activemq', { flags: /^(?:-password|--password|-p)$/ }],
  ['vault', { behind: [/^login$/, 1] }],
  ['cargo|npm|ngrok|pulumi|railway|fly|flyctl|ngc|doctl|civo', { behind: [/^(?:login|authtoken|add-authtoken)$/, 1] }],
  ['(?:dotnet )?nuget|paket', { flags: /^(?:-k|-ApiKey|--api-key)$/i }],
  [
    'doctl|vercel|netlify|surge|wrangler|hcloud',
    { flags: /^(?:-t|--token|--auth)$/, only: / (?:auth|deploy|--prod)\b/ },
  ],
  ['snyk', { behind: [/^auth$/, 1] }],
  ['plesk|whmapi1|uapi|cpapi2|virtualmin', { flags: /^-{1,2}(?:passwd|password|pass)$/ }],
  ['sc|sc\\.exe', { flags: /^password=$/i }],
];
const programTable = table.map(([programs, taken]) => ({ shape: new RegExp(`^(?:${programs})$`), taken }));
const names = table.map(([programs]) => programs).join('|');
/** A hint for each name: its plain start if it is an expression, else the whole name. */
const begins = names
  .replaceAll(/\(\?:[^()]*\)/g, '(')
  .split('|')
  .map((name) => (/[(\\[]/.test(name) ? name.replace(/[(\\[].*$/, '') : `${name} `))
  .filter((name) => name.length > 2);

/** A shell word, with its quoted parts. In JSON the quotation marks are escaped. */
const word =
  /(?:(?<mark>\\{0,8}["'])(?:(?!\k<mark>)[^\n])*(?:\k<mark>|$)|[^\s"'|;&<>]|[<>]\(|&(?=\S)(?!&)|[|;<>&]\S{0,2})+/g;
const ends = /^(?:\|\|?|&&?|;|>>?|<)/;
const opened = /^\\{0,8}["']/;
/** Splits a word into its opening quotation mark, its content and its closing mark. */
function partsOf(raw: string): readonly [open: string, inside: string, close: string] {
  const open = opened.exec(raw)?.[0] ?? '';
  const isWhole = open !== '' && raw.length > open.length && raw.endsWith(open);
  if (isWhole) return [open, raw.slice(open.length, -open.length), open];
  if (open !== '') return [open, raw.slice(open.length), ''];
  const close = /["'\\)\]},;]*$/.exec(raw)?.[0] ?? '';
  return /["']/.test(close) && !/["']/.test(raw.slice(0, -close.length))
    ? ['', raw.slice(0, -close.length), close]
    : ['', raw, ''];
}

const isNone = (value: string): boolean =>
  value === '' ||
  isPlaceholder(value) ||
  /^-{1,2}[a-z]|^[A-Z_]*(?:PASS|PW)[A-Z_]*$/.test(value) ||
  /^(?:[(#]|\/\/|(?:by|for|from|and|to|of|in|on|with|is)$|\$[A-Za-z_{(]|https?:\/\/|\/[a-z]+(?::|$))/i.test(value);
const hidden = ([open, inside, close]: readonly [string, string, string], from = 0): string => {
  const mark = opened.exec(inside.slice(from))?.[0] ?? '';
  const start = from + mark.length;
  const end = mark === '' ? -1 : inside.indexOf(mark, start);
  const value = end === -1 ? inside.slice(start) : inside.slice(start, end);
  const behind = end === -1 ? '' : inside.slice(end);
  return isNone(value) ? `${open}${inside}${close}` : `${open}${inside.slice(0, start)}***${behind}${close}`;
};

type WordState = { isNext: boolean; pair: RegExp | undefined; left: number };
/** Where the credential begins that the words before have announced; undefined: it is not in this word. */
function announcedIn(inside: string, state: WordState): number | undefined {
  const { isNext, pair } = state;
  state.isNext = false;
  state.pair = undefined;
  if (isNext) return 0;
  const name = pair?.exec(inside)?.[0];
  if (name !== undefined) return name.length;
  if (state.left === 0 || inside.startsWith('-')) return undefined;
  state.left -= 1;
  return state.left === 0 ? 0 : undefined;
}
/** The flag and its sign in `--password=tiger`. */
function flagIn(inside: string, { flags }: PasswordPlaces): string | undefined {
  const flag = /^[^=\s]{1,40}=(?=.)/.exec(inside)?.[0];
  return flag !== undefined && flags?.test(flag.slice(0, -1)) === true ? flag : undefined;
}
/** A quoted text may be a command itself. */
const shownInside = (raw: string, [open, inside, close]: readonly [string, string, string]): string =>
  inside.includes(' ') && inside !== raw
    ? `${open}${inside.replace(command.shape, (match, program: string) => shown(match, { program }))}${close}`
    : raw;
/** Masks one word, and remembers in `state` what it says about the next words. */
function shownWord(raw: string, taken: PasswordPlaces, state: WordState): string {
  const parts = partsOf(raw);
  const [, inside] = parts;
  const announced = announcedIn(inside, state);
  if (announced !== undefined) return hidden(parts, announced);
  if (taken.flags?.test(inside) === true) state.isNext = true;
  const flag = flagIn(inside, taken);
  if (flag !== undefined) return hidden(parts, flag.length);
  const begun = (taken.glued?.exec(inside) ?? taken.inWord?.exec(inside))?.[0];
  if (begun !== undefined)
    return taken.inWord === undefined ? hidden(parts, begun.length) : upToHost(parts, begun.length);
  if (taken.pairs?.[0].test(inside) === true) state.pair = taken.pairs[1];
  if (taken.behind?.[0].test(inside) === true) state.left = taken.behind[1];
  return shownInside(raw, parts);
}
/** Masks `tiger` in `scott/tiger@orcl`. */
const upToHost = (parts: readonly [string, string, string], from: number): string => {
  const host = /@[^@]*$/.exec(parts[1])?.[0] ?? '';
  return hidden([parts[0], parts[1].slice(0, parts[1].length - host.length), host + parts[2]], from);
};

function shownBy(line: string, taken: PasswordPlaces): string {
  const state: WordState = { isNext: false, pair: undefined, left: 0 };
  let isOver = false;
  return line.replaceAll(word, (raw) => {
    isOver ||= ends.test(raw);
    return isOver ? raw : shownWord(raw, taken, state);
  });
}

const shown = (match: string, { program = '' }: Groups): string =>
  programTable
    .filter(({ shape, taken }) => shape.test(program) && (taken.only?.test(match) ?? true))
    .reduce((left, { taken }) => shownBy(left, taken), match);

const command: MaskingRule = {
  also: [...new Set(begins)].join('|'),
  hint: 'curl |isql |--auth|-user| -p| -a | -w | -s | -c | -u| -x| -k | -n |-pass|passwd|password|pass:|/p:|/pass|/rp|storepass|keypass|passphrase|obscure|_user|v-add|v-change| user | auth|login |unlock|upwd|sqlplus|sqlldr|rman|expdp|impdp| imp | exp |-new |-pw|-hp|-t |--token|-apikey|authtoken|psk|user_pw|owner_pw|htpasswd',
  shape: new RegExp(`(?<![\\w./-](?<!/))(?<program>${names})(?:\\.exe)?(?= )(?:${valueCharacter}){1,1000}`, 'g'),
  shown,
};

const listed = '["\'],\\s?["\']';
const mark = '\\\\{0,8}"';
const separate = '(?:-p|-P|-a|-w|-pw|--pass|--password|--passwd|--passphrase|--token|-hp)';
export const commandLines: readonly MaskingRule[] = [
  command,
  {
    // A command as a list of words: `["sshpass","-p","…"]`
    hint: `'-p|'-a|'-w|'--p|'--t|'-h|"-p|"-a|"-w|"--p|"--t|"-h`,
    shape: new RegExp(
      `(?<before>["'](?:/[\\w/]{1,40}/)?(?:${names})["'],[^\\n\\]]{0,300}?["'](?:${separate}${listed}|-p(?=[^"'])))[^"'\\n]{1,200}`,
      'g',
    ),
    isSecret: (value) => !value.startsWith('-') && !/^\d{2,5}(?::\d{2,5})?$/.test(value),
  },
  {
    // The format of auditd: `a0="sshpass" a1="-p" a2="…"`
    hint: ' a1=',
    shape: new RegExp(
      `(?<before>\\ba0=${mark}(?:${names})${mark}[^\\n]{0,300}? a\\d{1,2}=${mark}(?:${separate}${mark} a\\d{1,2}=${mark}|-p(?=[^"\\\\])))[^"\\\\\\n]{1,200}`,
      'g',
    ),
    isSecret: (value) => !value.startsWith('-'),
  },
  {
    // Standard input of a command: `cryptsetup luksOpen /dev/sda x <<< "…"`
    hint: '<<<',
    also: 'passw|login|kinit|cryptsetup|luks|secret|token|env add|stdin|gpg|sudo|unlock',
    shape: /(?<before><<< ?)(?<open>["']?)(?:(?<=["'])[^"'\n]{3,200}(?=["'])|(?<!["'])[^\s"']{3,200})/g,
    isSecret: (value) => !value.startsWith('$'),
  },
  {
    // `gh secret set NAME --body …`, `aws secretsmanager … --secret-string …`
    hint: '--body|--value|--data|-string|--plaintext| -b ',
    also: 'secret|securestring|keyvault',
    shape:
      /(?<before>\b(?:secrets?|secretsmanager|SecureString|keyvault)\b[^\n]{0,200}?\s(?:--(?:body|value|data|secret-string|string-value|plaintext)|-b)[ =])(?<open>["']?)(?:(?<=["'])[^"'\n]{3,500}(?=["'])|(?<!["'])[^\s"']{3,500})/g,
    isSecret: (value) => !/^(?:\$|@|file:|-|\{)/.test(value),
  },
  {
    // The dialogue of an FTP client
    hint: '\nuser |\n user ',
    also: 'ftp',
    shape: /(?<before>\n\s{0,8}user [\w.@-]{1,64} )[^\s"']{4,100}(?=\s*(?:\n|$))/g,
  },
  { hint: 'static:', shape: /(?<before>\bstatic:[\w.@-]{1,64}:)[^\s"']{3,100}/g },
  {
    // WireGuard keys
    hint: 'private-key|preshared-key',
    shape: /(?<before>\b(?:private|preshared)-key (?:<\((?:echo|printf) ["']?)?)[A-Za-z\d+/]{43}=/g,
  },
  {
    // The Redis prompt: `127.0.0.1:6379> AUTH …`
    hint: '> auth|>auth',
    shape:
      /(?<before>(?:(?:redis|valkey|keydb)[^\n>]{0,30}|:\d{4,5}(?:\[\d{1,2}\])?)> ?auth (?:[\w-]{1,30} (?=\S))?)[^\s"']{1,200}/gi,
  },
];
