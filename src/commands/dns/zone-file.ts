import { clipped } from '../../words/text.ts';

/** What people paste from a zone file, where a value has quotes, brackets and a comment around it. */

/** A string in quotes, with its escapes. */
const string = '"(?:[^"\\\\]|\\\\.)*"';
/** Strings alone, with brackets around them, or a comment after them. */
const strings = new RegExp(`^\\(?\\s*((?:${string}\\s*)+)\\)?\\s*(?:;.*)?$`);
const onlyStrings = new RegExp(`^(?:${string}\\s*)+$`);
const oneString = new RegExp(string, 'g');

/** The lines of a text. As long as a bracket is open outside of quotes, a line goes on after its end. */
export function recordLines(text: string): readonly string[] {
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
export function textInStrings(value: string): string | undefined {
  if (!onlyStrings.test(value)) return undefined;
  return [...value.matchAll(oneString)].map(([quoted]) => unescaped(quoted.slice(1, -1))).join('');
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCodePoint(Number(escaped)) : escaped,
  );

/** The value that was meant: what is in brackets or has a comment is read, and `\;` is a semicolon. */
export function asMeant(value: string): string {
  const [, inside] = strings.exec(value) ?? [];
  const isPlain = inside === undefined || onlyStrings.test(value);
  return isPlain ? value.replaceAll(String.raw`\;`, ';') : (textInStrings(inside.trim()) ?? value);
}

/** The name, TTL, class and type before a value. Lower case counts only where nothing else can be meant. */
const head =
  /^(?:(?:@|[\w*-]+(?:\.[\w-]+)*\.?)\s+)?(?:\d+[smhdwSMHDW]?\s+)?(?:(?:IN|CH|HS)\s+)?(?:\d+[smhdwSMHDW]?\s+)?(?:A|AAAA|CNAME|MX|TXT|NS|CAA|SRV|SPF|PTR|SOA)\s+(?<data>\S.*)$/;
const headBeforeString = new RegExp(head.source.replace('(?<data>\\S.*)', '(?<data>[("].*)'), 'i');

/** Why this is not a value but something of a zone file around one, as a clause; undefined: nothing of that is in it. */
export function zoneFileMark(value: string): string | undefined {
  const line = head.exec(value) ?? headBeforeString.exec(value);
  if (line) return `is a whole line of a zone file: type only its value, ${clipped(asMeant(line[1] ?? ''), 200)}`;
  if (/^\$(?:TTL|ORIGIN|INCLUDE)\b/i.test(value)) return 'is an instruction of a zone file, and no value';
  if (/^\(|^"[^]*"\s*\)/.test(value))
    return 'has a bracket of a zone file around it: leave that out, or put quotes inside';
  return /;\s*-{3,}/.test(bare(value)) ? 'has a comment of a zone file at its end: leave that out' : undefined;
}
