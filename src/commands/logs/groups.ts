import { normalized } from './normalize.ts';
import { amount, bold, code, inline, joined, say, time, type Text } from '../../words/text.ts';
import { cutTo, type First, type Section } from './section.ts';
import { counted } from '../kit/page.ts';
import { logEntriesOf, type LogEntry } from './entries.ts';
import { levelOf, rankOf, type Level } from './levels.ts';
import type { Line } from './lines.ts';
import type { Cause } from './nginx.ts';
import { pathCounter, mostFrequent } from './requests.ts';

/** Messages of one level that differ only in numbers, ids, addresses and times. */
export type MessageKind = {
  /** The common text, with `*` where they differ. */
  readonly text: string;
  /** The number of entries. */
  count: number;
  first: number | undefined;
  last: number | undefined;
  /** The oldest message, masked. */
  readonly oldest: string;
  /** The newest message, masked. */
  example: string;
  readonly level: Level;
  /** The requests that caused the messages, one per entry, where they are logged. */
  readonly causes: Cause[];
  /** Whether all of these messages are cut off. */
  isCut: boolean;
};

const maxShown = 8;
/** For this many kinds, the newest message and the requests are shown: more would fill two screens of a phone. */
const maxDetailed = 3;
const shownCharacters = 140;
const briefCharacters = 80;
const exampleCharacters = 110;
const maxRequests = 3;
const requestCharacters = 40;
/** A cut message must have this many characters to be matched with a whole one. */
const minPrefix = 40;
const partCharacters = 2_600;
/** Requests are listed for the first kinds until this size is used up. */
const roomForAll = 4_600;
/** The folders of an absolute file path. */
const folders = /(?<=^|[\s"'(])(?:\/[\w.*-]{1,100}){2,20}(?=\/[\w.*-]{1,100}\.\w{2,5})/g;

/** The kinds of messages in these lines: errors, then what could be one, each by frequency. Every line is in a kind. */
export function kindsOf(lines: readonly Line[]): readonly MessageKind[] {
  const kinds = new Map<string, MessageKind>();
  const kindsIn = ({ messages, isCut }: LogEntry): readonly MessageKind[] => {
    // If PHP repeats a message for one request, the message counts once.
    const found: MessageKind[] = [];
    for (const [index, message] of messages.entries()) {
      const text = normalized(message);
      const endless = isCut && index === messages.length - 1;
      if (endless && found.some((kind) => kind.text.startsWith(text))) break;
      const kind = kindOf(kinds, text, message, endless);
      if (!found.includes(kind)) found.push(kind);
    }
    return found;
  };
  for (const entry of logEntriesOf(lines)) {
    const { at } = entry.head;
    const causes = entry.lines.flatMap(({ cause }) => cause ?? []);
    for (const kind of kindsIn(entry)) {
      add(kind, { count: 1, first: at, last: at });
      kind.causes.push(...causes);
    }
  }
  return [...wholeOf(kinds)].sort(
    (one, other) =>
      rankOf(one.level) - rankOf(other.level) || other.count - one.count || (one.text < other.text ? -1 : 1),
  );
}

/** The kind of a message, which is its newest example now. */
function kindOf(kinds: Map<string, MessageKind>, text: string, message: string, isCut: boolean): MessageKind {
  const level = levelOf(message);
  const key = `${level} ${text}`;
  const known = kinds.get(key);
  const kind = known ?? {
    text,
    count: 0,
    first: undefined,
    last: undefined,
    oldest: message,
    example: '',
    causes: [],
    isCut,
    level,
  };
  if (!known) kinds.set(key, kind);
  kind.example = message;
  kind.isCut &&= isCut;
  return kind;
}

function add(kind: MessageKind, { count, first, last }: Pick<MessageKind, 'count' | 'first' | 'last'>): void {
  kind.count += count;
  if (first !== undefined) kind.first = Math.min(kind.first ?? first, first);
  if (last !== undefined) kind.last = Math.max(kind.last ?? last, last);
}

/** Whether one of the two is cut off and the other begins with it. */
export const matchesCut = (one: MessageKind, other: MessageKind): boolean =>
  beginsWithCut(one, other) || beginsWithCut(other, one);
const beginsWithCut = (whole: MessageKind, { isCut, text }: MessageKind): boolean =>
  isCut && text.length >= minPrefix && whole.text.startsWith(text);

/** A message without the folders of its file paths. */
export const withoutFolders = (message: string): string => message.replace(folders, '…');

const beginsLike = (whole: MessageKind | undefined, { level, text }: MessageKind): boolean =>
  whole?.level === level && whole.text.startsWith(text);

/** Merges a cut message into the kind that starts with it, if there is exactly one such kind. */
function wholeOf(kinds: ReadonlyMap<string, MessageKind>): readonly MessageKind[] {
  const whole: MessageKind[] = [];
  // In reverse order, so that the texts starting with a prefix come just before the prefix.
  for (const [, kind] of [...kinds].sort(([one], [other]) => (one < other ? 1 : -1))) {
    const [like, another] = [whole.at(-1), whole.at(-2)];
    const isOne = beginsLike(like, kind) && !beginsLike(another, kind);
    if (kind.isCut && kind.text.length >= minPrefix && like && isOne) {
      add(like, kind);
      like.causes.push(...kind.causes);
    } else whole.push(kind);
  }
  return whole;
}

/** An error log by kinds of messages. `as`: whether times are shown with a date. `errors`: errors only. */
export function errorSection(
  lines: readonly Line[],
  { as, errors }: { readonly as: 'time' | 'date'; readonly errors: boolean },
): Section {
  const kinds = kindsOf(lines).filter(({ level }) => level === 'error' || !errors);
  const shown = kinds
    .slice(0, maxShown)
    .map((kind, place) =>
      place < maxDetailed
        ? { text: summaryOf(kind, as), requests: causesOf(kind.causes) }
        : { text: briefOf(kind, as), requests: [] },
    );
  let room = shown.reduce((rest, { text }) => rest - sizeOf(text), roomForAll);
  const texts = shown.map(({ text, requests }) => {
    room -= sizeOf(requests);
    return room < 0 ? text : say`${text}${requests}`;
  });
  const others = kinds.length - maxShown;
  const left = kinds.slice(maxShown).reduce((sum, { count }) => sum + count, 0);
  if (left > 0)
    texts.push(
      say`${amount(left)} more ${left === 1 ? 'message' : 'messages'} of ${others === 1 ? 'one other kind' : `${amount(others)} other kinds`}.`,
    );
  const firsts = kinds.flatMap(({ text, first }): First[] =>
    first === undefined ? [] : [{ says: cutTo(text, 60), at: first }],
  );
  const messages = kinds.reduce((sum, { count }) => sum + count, 0);
  return { groups: { kinds: kinds.length, messages }, parts: inParts(texts), firsts };
}

/** The size of a text in a Slack message. */
const sizeOf = (text: Text): number => JSON.stringify(text).length;

/** The common text of a kind, short enough for one entry of a list. */
export const shortText = (text: string, limit = shownCharacters): string =>
  text.trim() === '' ? 'an empty line' : cutTo(withoutFolders(text), limit);

/** A kind in one line: how often, what, and when last. */
function briefOf({ text, count, last }: MessageKind, as: 'time' | 'date'): Text {
  const when = last === undefined ? '' : say` · last ${time(last, as)}`;
  return say`${bold(`${amount(count)}×`)} ${shortText(text, briefCharacters)}${when}`;
}

function summaryOf({ text, count, first, last, example }: MessageKind, as: 'time' | 'date'): Text {
  const shown = shortText(text);
  const when =
    first === undefined || last === undefined
      ? ''
      : first === last
        ? say` · ${as === 'time' ? 'at ' : ''}${time(first, as)}`
        : say` · first ${time(first, as)}, last ${time(last, as)}`;
  const newest = example === text ? [] : say`\n    newest: ${code(cutTo(withoutFolders(example), exampleCharacters))}`;
  return say`${bold(`${amount(count)}×`)} ${shown}${when}${newest}`;
}

/** The most frequent requests behind these messages, and how many visitors made them. */
function causesOf(causes: readonly Cause[]): Text {
  if (causes.length === 0) return [];
  const [paths, clients] = [pathCounter(), new Set<string>()];
  let hasHosts = false;
  for (const { request, client, host } of causes) {
    paths.add({ path: request });
    if (client !== undefined) clients.add(client);
    hasHosts ||= host !== causes[0]?.host;
  }
  const most = mostFrequent(paths.counts()).slice(0, maxRequests);
  const left = most.reduce((rest, { count }) => rest - count, causes.length);
  const requests = most.map(({ path, count }) => `${amount(count)}× ${cutTo(path, requestCharacters)}`);
  if (left > 0) requests.push(`${amount(left)}× others`);
  const who = clients.size > 1 ? counted(clients.size, 'visitor') : [...clients].join('');
  const details = [requests.join(', '), who, hasHosts ? 'several hosts' : ''].filter((part) => part !== '');
  return say`\n    requested: ${details.join(' · ')}`;
}

/** Joins lines into as few parts as possible. */
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
