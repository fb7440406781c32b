import { domainToASCII } from 'node:url';
import { Refusal } from '../../base/errors.ts';
import { code, say, codeOf, unseen, clipped } from '../../words/text.ts';
import { wordField, type PlainField } from '../kit/fields.ts';
import { comparableHostname, wrongLabels, hostnameIn } from '../kit/values/hostnames.ts';
import ipaddr from 'ipaddr.js';

/** What a DNS record may be called and hold. */

/** One label of a record's name. */
export const recordLabel = /^(?:\*|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)$/;

/** A record's name as people type it: `@`, `www`, `www.example.com`; a trailing dot marks a complete name. */
export const recordName = (): PlainField<string, false> =>
  wordField('Name', {
    takes: 'a record name',
    hint: '@ is the domain itself; else www, or a whole name.',
    read: ([first = '']) => readName(first.trim()),
  });

function readName(text: string): string {
  if (text === '@') return text;
  const name = inAscii(text.toLowerCase().replace(/\.$/, ''));
  const wrong = wrongLabels(name, recordLabel) ?? (name.lastIndexOf('*') > 0 ? 'has a wildcard inside' : undefined);
  if (wrong === undefined) return text.endsWith('.') ? `${name}.` : name;
  throw new Refusal(say`“${text.slice(0, 80)}” ${wrong}. Nothing was done.`, {
    hint: say`Say ${code('@')} for the domain itself, ${code('www')}, or a whole name.`,
  });
}

/** Encodes only the labels that are not ASCII, so that `*` and `_` are kept. */
const inAscii = (name: string): string =>
  name
    .split('.')
    .map((part) => {
      if (/^\p{ASCII}*$/u.test(part)) return part;
      // `domainToASCII` would silently drop invisible characters, so such a label is refused instead.
      return /^[\p{L}\p{M}\p{N}_-]+$/u.test(part) ? domainToASCII(part) || '?' : '?';
    })
    .join('.');

/** The complete name of a record in a zone, in lower case and without a trailing dot. */
export function wholeName(name: string, domain: string): string {
  const zone = comparableHostname(domain);
  // Some hosts list `*` as `\052`.
  const said = name
    .trim()
    .toLowerCase()
    .replace(/^\\052/, '*');
  if (said === '@' || said === '') return zone;
  if (said.endsWith('.')) return said.slice(0, -1);
  return isInZone(said, domain) ? said : `${said}.${zone}`;
}

/** Whether a typed name looks complete, and not like one inside the zone: it ends as the zone does, such as in `.com`. */
export const looksComplete = (name: string, domain: string): boolean =>
  !isInZone(name, domain) && name.includes('.') && lastLabel(name) === lastLabel(comparableHostname(domain));
const lastLabel = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Whether a complete name is the domain or below it. */
export const isInZone = (name: string, domain: string): boolean => {
  const zone = comparableHostname(domain);
  return name === zone || name.endsWith(`.${zone}`);
};

/** The record types that can be changed here. */
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'CAA', 'SRV'] as const;
export type RecordType = (typeof recordTypes)[number];

const maxValues = 50;

/** One of the record types, in any case; the value is in capitals. */
export const recordType = (): PlainField<RecordType, false> =>
  wordField<RecordType>('Type', {
    choices: recordTypes,
    shown: recordTypes.join('|'),
    hint: 'The kind of record.',
    read: ([first = '']) => {
      const found = recordTypes.find((type) => type === first.trim().toUpperCase());
      if (found !== undefined) return found;
      throw new Refusal(`Type is one of ${recordTypes.join(', ')}, not “${first.slice(0, 40)}”. Nothing was done.`);
    },
  });

/** The values of a record as typed or pasted: one per word or per line. A comma is part of its value. */
export const recordValues = (label: string): PlainField<readonly string[], false> =>
  wordField(label, {
    many: true,
    shown: 'value',
    takesTokens: true,
    read: (words) => readValues(label, words),
  });

function readValues(label: string, words: readonly string[]): readonly string[] {
  const values = [...new Set(words.flatMap(recordLines).map(asMeant))];
  if (values.length === 0) throw new Refusal(`${label} has no value in it. Nothing was done.`);
  if (values.length > maxValues)
    throw new Refusal(`These are ${values.length} values; at most ${maxValues} at once. Nothing was done.`);
  for (const value of values) {
    const [hidden] = unseen.exec(value) ?? /\p{Cc}/u.exec(value) ?? [];
    if (hidden !== undefined)
      throw new Refusal(
        say`“${value.slice(0, 40)}” has a character in it that is not text (${code(codeOf(hidden))}). Nothing was done.`,
      );
    if (value.length > maxValueLength)
      throw new Refusal(`A value may have at most ${maxValueLength} characters here. Nothing was done.`);
  }
  return values;
}

/** The longest value that a card can show in full. */
export const maxValueLength = 1_500;

/** A value in comparable form: equal for spellings that mean the same in DNS. */
export function comparableValue(type: string, value: string): string {
  const text = value.trim();
  switch (type) {
    case 'A':
    case 'AAAA':
      return ipaddr.isValid(text) ? ipaddr.parse(text).toString() : text;
    case 'CNAME':
    case 'NS':
      return comparableHostname(text);
    case 'MX':
    case 'SRV':
      return parts(text)
        .map((part) => (/^\d{1,9}$/.test(part) ? String(Number(part)) : comparableHostname(part)))
        .join(' ');
    case 'CAA': {
      const { flags, tag, rest } = caaIn(text) ?? {};
      return rest === undefined ? text : `${Number(flags)} ${tag?.toLowerCase()} ${unquoted(rest)}`;
    }
    default:
      return unquoted(text);
  }
}

/** Why this is not a value of that type, as a clause; undefined if it is one. */
export function wrongValue(type: RecordType, value: string): string | undefined {
  const mark = zoneFileMark(value);
  if (mark !== undefined) return mark;
  switch (type) {
    case 'A':
      return ipaddr.IPv4.isValidFourPartDecimal(value) ? undefined : 'is not an IPv4 address like 198.51.100.4';
    case 'AAAA':
      return ipaddr.IPv6.isValid(value) && !value.includes('%') ? undefined : 'is not an IPv6 address like 2001:db8::4';
    case 'CNAME':
    case 'NS':
      return wrongHost(value);
    case 'MX':
      return wrongNumbered(value, 1, 'is not a priority with a mail server, like 10 mx.example.com');
    case 'SRV':
      return wrongNumbered(value, 3, 'is not a priority, weight, port and host, like 10 5 443 sip.example.com');
    case 'CAA':
      return caaIn(value) === undefined ? 'is not a flag, tag and value, like 0 issue "ca.example.com"' : undefined;
    case 'TXT':
      return undefined;
  }
}

/** As `wrongValue`, for `count` numbers and a host. */
function wrongNumbered(value: string, count: number, misshapen: string): string | undefined {
  const all = parts(value);
  const host = all.at(-1);
  if (host === undefined || all.length !== count + 1 || !all.slice(0, count).every(isSmall)) return misshapen;
  return wrongHost(host, true);
}

const parts = (value: string): readonly string[] => value.trim().split(/\s+/);
const isSmall = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
const caaIn = (value: string) =>
  /^(?<flags>\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\s+(?<tag>[a-z0-9]+)\s+(?<rest>\S.*)$/i.exec(value)?.groups;

const hostLabel = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** Why this is not a host name; `orNone` allows a lone dot, which means no host. */
function wrongHost(host: string, orNone = false): string | undefined {
  if (orNone && host === '.') return undefined;
  if (!/^\p{ASCII}*$/u.test(host)) return 'has letters that are not plain Latin ones; write them as xn--…';
  const bare = host.toLowerCase().replace(/\.$/, '');
  // A target may have underscores; a domain name may not.
  if (wrongLabels(bare, hostLabel) === undefined && /_/.test(bare) && bare.includes('.')) return undefined;
  const read = hostnameIn(bare);
  return 'wrong' in read ? `names a host that ${read.wrong}` : undefined;
}

/** The text of a quoted value, with its strings joined; any other value is returned unchanged. */
export const unquoted = (value: string): string => textInStrings(value) ?? value;

/** A string in quotes, with its escapes. */
const string = '"(?:[^"\\\\]|\\\\.)*"';
/** Strings alone, with brackets around them, or a comment after them. */
const strings = new RegExp(`^\\(?\\s*((?:${string}\\s*)+)\\)?\\s*(?:;.*)?$`);
const onlyStrings = new RegExp(`^(?:${string}\\s*)+$`);
const oneString = new RegExp(string, 'g');

/** The lines of a text. As long as a bracket is open outside of quotes, a line goes on after its end. */
function recordLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (const line of text.split(/[\r\n]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && isOpen(last)) lines[lines.length - 1] = `${withoutComment(last)} ${line.trim()}`;
    else lines.push(line);
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

const bare = (line: string): string => line.replaceAll(oneString, '');
const isOpen = (line: string): boolean => /\([^)]*$/.test(bare(line).replace(/;.*/, ''));
const withoutComment = (line: string): string => (bare(line).includes(';') ? line.replace(/;[^"]*$/, '') : line).trim();

/** The text that the strings of a value mean together, without escapes; undefined if it is anything else than strings. */
function textInStrings(value: string): string | undefined {
  if (!onlyStrings.test(value)) return undefined;
  return [...value.matchAll(oneString)].map(([quoted]) => unescaped(quoted.slice(1, -1))).join('');
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCodePoint(Number(escaped)) : escaped,
  );

/** The value that was meant: what is in brackets or has a comment is read, and `\;` is a semicolon. */
function asMeant(value: string): string {
  const [, inside] = strings.exec(value) ?? [];
  const isPlain = inside === undefined || onlyStrings.test(value);
  return isPlain ? value.replaceAll(String.raw`\;`, ';') : (textInStrings(inside.trim()) ?? value);
}

/** The name, TTL, class and type before a value. Lower case counts only where nothing else can be meant. */
const head =
  /^(?:(?:@|[\w*-]+(?:\.[\w-]+)*\.?)\s+)?(?:\d+[smhdwSMHDW]?\s+)?(?:(?:IN|CH|HS)\s+)?(?:\d+[smhdwSMHDW]?\s+)?(?:A|AAAA|CNAME|MX|TXT|NS|CAA|SRV|SPF|PTR|SOA)\s+(?<data>\S.*)$/;
const headBeforeString = new RegExp(head.source.replace('(?<data>\\S.*)', '(?<data>[("].*)'), 'i');

/** Why this is not a value but something of a zone file around one, as a clause; undefined: nothing of that is in it. */
function zoneFileMark(value: string): string | undefined {
  const line = head.exec(value) ?? headBeforeString.exec(value);
  if (line) return `is a whole line of a zone file: type only its value, ${clipped(asMeant(line[1] ?? ''), 200)}`;
  if (/^\$(?:TTL|ORIGIN|INCLUDE)\b/i.test(value)) return 'is an instruction of a zone file, and no value';
  if (/^\(|^"[^]*"\s*\)/.test(value))
    return 'has a bracket of a zone file around it: leave that out, or put quotes inside';
  return /;\s*-{3,}/.test(bare(value)) ? 'has a comment of a zone file at its end: leave that out' : undefined;
}
