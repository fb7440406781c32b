import { bold, code, inline, joined, say, time, type Text } from '../../text.ts';
import { fold } from './normalize.ts';
import { cut, grouped, type First, type Section } from './section.ts';
import { counted } from '../kit/page.ts';
import type { Line } from './lines.ts';
import type { Cause } from './nginx.ts';
import { pathCounter, ranked } from './requests.ts';

/** Messages that differ in numbers, ids, addresses and times alone. */
export type Kind = {
  /** What they have in common, `*` where they differ. */
  readonly text: string;
  /** Entries with such a message. */
  count: number;
  first: number | undefined;
  last: number | undefined;
  /** The newest of them, masked. */
  example: string;
  readonly grave: boolean;
  /** What was asked for when they came, entry by entry, as far as that is told. */
  readonly causes: Cause[];
  /** The end is known of none of them. */
  isCut: boolean;
};

const maxShown = 10;
const shownCharacters = 140;
const exampleCharacters = 110;
const maxRequests = 3;
const requestCharacters = 40;
/** Less of a message than this does not tell which it is. */
const telling = 40;
/** A message says in its beginning how grave it is. */
const judged = 300;
const partCharacters = 2_600;
/** Of a message: what was asked for is told of the first kinds, as far as this goes. */
const roomForAll = 4_600;
/** The folders of a file, where it is one of the machine's. */
const folders = /(?<=^|[\s"'(])(?:\/[\w.*-]{1,100}){2,20}(?=\/[\w.*-]{1,100}\.\w{2,5})/g;

/** The first word of a level decides: a warning may speak of errors, and an error may quote a warning. */
const level =
  /(^(?:PHP )?(?:warning|notice|deprecated|strict standards|info|debug)\b|\[(?:warn|notice|info|debug)\])|^alert:|\b(?:fatal|parse error|uncaught|unhandled|exception|panic|segfault|critical|emergency|error)\b|\[(?:error|crit|alert|emerg)\]/i;

/** Whether a message tells of an error, rather than of a warning or of something that was noticed. */
export function isGrave(message: string): boolean {
  const found = level.exec(message.slice(0, judged));
  return found !== null && found[1] === undefined;
}

/** The kinds of messages in these lines, errors first, then the most frequent; every line is in one of them at least. */
export function kindsOf(lines: readonly Line[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  const kindOf = (text: string, message: string, isCut: boolean): Kind => {
    const known = kinds.get(text);
    const kind = known ?? {
      text,
      count: 0,
      first: undefined,
      last: undefined,
      example: '',
      causes: [],
      isCut,
      grave: isGrave(message),
    };
    if (!known) kinds.set(text, kind);
    kind.example = message;
    kind.isCut &&= isCut;
    return kind;
  };
  const kindsIn = ({ messages, isCut }: Line): readonly Kind[] => {
    // What PHP says more than once about one request is told once.
    const told: Kind[] = [];
    for (const [index, message] of messages.entries()) {
      const text = fold(message);
      const endless = isCut && index === messages.length - 1;
      if (endless && told.some((kind) => kind.text.startsWith(text))) break;
      const kind = kindOf(text, message, endless);
      if (!told.includes(kind)) told.push(kind);
    }
    return told;
  };
  let open: readonly Kind[] = [];
  for (const line of lines) {
    const { at, cause, continues } = line;
    if (!continues || open.length === 0) {
      open = kindsIn(line);
      for (const kind of open) add(kind, { count: 1, first: at, last: at });
    }
    if (cause) for (const { causes } of open) causes.push(cause);
  }
  return [...wholeOf(kinds)].sort(
    (one, other) =>
      Number(other.grave) - Number(one.grave) || other.count - one.count || (one.text < other.text ? -1 : 1),
  );
}

function add(kind: Kind, { count, first, last }: Pick<Kind, 'count' | 'first' | 'last'>): void {
  kind.count += count;
  if (first !== undefined) kind.first = Math.min(kind.first ?? first, first);
  if (last !== undefined) kind.last = Math.max(kind.last ?? last, last);
}

/** A message without its end is of the kind that begins like it, where there is but one such kind. */
function wholeOf(kinds: ReadonlyMap<string, Kind>): readonly Kind[] {
  const whole: Kind[] = [];
  // From the last name to the first: those that begin like a name come just before it.
  for (const text of [...kinds.keys()].sort().toReversed()) {
    const kind = kinds.get(text);
    if (kind === undefined) continue;
    const [like, another] = [whole.at(-1), whole.at(-2)];
    const isOne = like?.text.startsWith(text) === true && another?.text.startsWith(text) !== true;
    if (kind.isCut && text.length >= telling && like && isOne) {
      add(like, kind);
      like.causes.push(...kind.causes);
    } else whole.push(kind);
  }
  return whole;
}

/** An error log, kind by kind; `as`: whether its times need their date; `errors`: no other kinds. */
export function errorLens(
  lines: readonly Line[],
  { as, errors }: { readonly as: 'time' | 'date'; readonly errors: boolean },
): Section {
  const kinds = kindsOf(lines).filter(({ grave }) => grave || !errors);
  const shown = kinds.slice(0, maxShown).map((kind) => ({ text: toldOf(kind, as), asked: causesOf(kind.causes) }));
  let room = shown.reduce((rest, { text }) => rest - sizeOf(text), roomForAll);
  const told = shown.map(({ text, asked }) => {
    room -= sizeOf(asked);
    return room < 0 ? text : say`${text}${asked}`;
  });
  const others = kinds.length - maxShown;
  const left = kinds.slice(maxShown).reduce((sum, { count }) => sum + count, 0);
  if (left > 0)
    told.push(
      say`${grouped(left)} more ${left === 1 ? 'message' : 'messages'} of ${others === 1 ? 'one other kind' : `${grouped(others)} other kinds`}.`,
    );
  const firsts = kinds.flatMap(({ text, first }): First[] =>
    first === undefined ? [] : [{ says: cut(text, 60), at: first }],
  );
  return { kinds: kinds.length, parts: inParts(told), firsts };
}

/** What a text takes up of a message. */
const sizeOf = (text: Text): number => JSON.stringify(text).length;

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

/** What was asked for when these came, the most frequent first, and by how many. */
function causesOf(causes: readonly Cause[]): Text {
  if (causes.length === 0) return [];
  const [paths, clients] = [pathCounter(), new Set<string>()];
  let hasHosts = false;
  for (const { request, client, host } of causes) {
    paths.add({ path: request });
    if (client !== undefined) clients.add(client);
    hasHosts ||= host !== causes[0]?.host;
  }
  const most = ranked(
    paths.counts(),
    ({ count }) => count,
    ({ path }) => path,
  ).slice(0, maxRequests);
  const left = most.reduce((rest, { count }) => rest - count, causes.length);
  const told = most.map(({ path, count }) => `${grouped(count)}× ${cut(path, requestCharacters)}`);
  if (left > 0) told.push(`${grouped(left)}× others`);
  const who = clients.size > 1 ? counted(clients.size, 'visitor') : [...clients].join('');
  const said = [told.join(', '), who, hasHosts ? 'several hosts' : ''].filter((part) => part !== '');
  return say`\n    asked for: ${said.join(' · ')}`;
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
