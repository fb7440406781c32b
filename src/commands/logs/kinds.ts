import { bold, code, inline, joined, say, time, type Text } from '../../text.ts';
import { fold } from './fold.ts';
import { cut, grouped, type First, type Lens } from './lens.ts';
import type { Line } from './lines.ts';

/** Entries that differ in numbers, ids, addresses and times alone. */
export type Kind = {
  /** What they have in common, `*` where they differ. */
  readonly text: string;
  /** Entries, and their lines with those that go on with them. */
  count: number;
  lines: number;
  first: number | undefined;
  last: number | undefined;
  /** The newest of them, masked. */
  example: string;
  readonly grave: boolean;
};

const mostShown = 10;
const shownCharacters = 140;
const exampleCharacters = 110;
/** An entry says in its beginning how grave it is. */
const judged = 300;
const partCharacters = 2_600;
/** The folders of a file, where it is one of the machine's. */
const folders = /(?<=^|[\s"'(])(?:\/[\w.*-]{1,100}){2,20}(?=\/[\w.*-]{1,100}\.\w{2,5})/g;

const lesser = /^(?:PHP )?(?:warning|notice|deprecated|strict standards|info|debug)\b|\[(?:warn|notice|info|debug)\]/i;
const grave =
  /\b(?:fatal|parse error|uncaught|unhandled|exception|panic|segfault|critical|emergency)\b|\[(?:error|crit|alert|emerg)\]|\berror\b/i;

/** Whether an entry tells of an error, rather than of a warning or of something that was noticed. */
export function isGrave(body: string): boolean {
  const start = body.slice(0, judged);
  return !lesser.test(start) && grave.test(start);
}

/** The kinds of entries in these lines, the most frequent first; every line is in one of them. */
export function kindsOf(lines: readonly Line[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  let open: Kind | undefined;
  for (const line of lines) {
    if (line.continues && open) {
      open.lines += 1;
      continue;
    }
    const text = fold(line.body);
    open = kinds.get(text);
    if (open === undefined) {
      open = { text, count: 0, lines: 0, first: line.at, last: line.at, example: '', grave: isGrave(line.body) };
      kinds.set(text, open);
    }
    open.count += 1;
    open.lines += 1;
    if (line.at !== undefined) {
      open.first = Math.min(open.first ?? line.at, line.at);
      open.last = Math.max(open.last ?? line.at, line.at);
    }
    open.example = line.body;
  }
  return [...kinds.values()].sort((one, other) => other.count - one.count || (one.text < other.text ? -1 : 1));
}

/** An error log, kind by kind; `as`: whether its times need their date. */
export function errorLens(lines: readonly Line[], as: 'time' | 'date'): Lens {
  const kinds = kindsOf(lines);
  const told = kinds.slice(0, mostShown).map((kind) => toldOf(kind, as));
  const left = kinds.slice(mostShown).reduce((sum, { count }) => sum + count, 0);
  if (left > 0) told.push(say`${grouped(left)} more of ${grouped(kinds.length - mostShown)} other kinds.`);
  const firsts = kinds
    .toSorted((one, other) => Number(other.grave) - Number(one.grave))
    .flatMap(({ text, first }): First[] => (first === undefined ? [] : [{ says: cut(text, 60), at: first }]));
  return { kinds: kinds.length, parts: inParts(told), firsts };
}

function toldOf({ text, count, first, last, example }: Kind, as: 'time' | 'date'): Text {
  const shown = text.trim() === '' ? 'an empty line' : cut(text.replace(folders, '…'), shownCharacters);
  const when =
    first === undefined || last === undefined
      ? ''
      : first === last
        ? say` · at ${time(first, as)}`
        : say` · first ${time(first, as)}, last ${time(last, as)}`;
  const newest =
    example === text ? [] : say`\n    newest: ${code(cut(example.replace(folders, '…'), exampleCharacters))}`;
  return say`${bold(`${grouped(count)}×`)} ${shown}${when}${newest}`;
}

/** Lines below each other, in as few parts as hold them. */
function inParts(lines: readonly Text[]): readonly Text[] {
  const parts: Text[][] = [];
  let size = 0;
  for (const line of lines) {
    const length = line.reduce((sum, span) => sum + ('text' in span ? span.text.length : 20), 1);
    size += length;
    if (parts.length === 0 || size > partCharacters) {
      parts.push([]);
      size = length;
    }
    parts.at(-1)?.push(line);
  }
  return parts.map((lines) => joined(lines.map(inline), '\n'));
}
