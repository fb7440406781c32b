import type { Line } from './lines.ts';
import type { TimeSpan } from '../kit/log-query.ts';
import { hourMs } from '../../words/duration.ts';
import { levelOf } from './levels.ts';

/** Which lines of a log were asked for, and the entries that they make up. */

/** The requested lines among those that the host sent, and how many were left out. */
export type SelectedLines = {
  /** The newest `most`. */
  readonly lines: readonly Line[];
  /** Lines outside the requested span. */
  readonly outside: number;
  /** Lines that do not match the search. */
  readonly unlike: number;
  /** How many lines are kept although their time is unknown. */
  readonly timeless: number;
  /** The oldest time of any line, kept or not (epoch ms); undefined if no line has a time. */
  readonly oldest: number | undefined;
  /** The newest time without a zone (epoch ms), if it is before the span and in a zone behind UTC could be inside. */
  readonly newestIfUtc: number | undefined;
  /** Whether they are only the newest: the host may have older ones, or more were found than are shown. */
  readonly isCut: boolean;
};

type Selection = {
  readonly span: TimeSpan;
  readonly search?: string | undefined;
  /** Whether the host sent as much as it was asked for, so that it may have more. */
  readonly isFull: boolean;
  /** How many lines are shown at most. */
  readonly most?: number;
};

/** Log times are whole seconds: a line of this second may be from before or after the moment. */
const second = 1_000;
/** How far a zone is behind UTC at most: a time without a zone that was read as UTC may be that much later. */
const maxBehind = 12 * hourMs;

/** Where a line lies beside a span. `unknown`: its entry has no time that can be believed. */
type Place = 'before' | 'inside' | 'after' | 'unknown';

/**
 * Where each line lies, for every reader of a log. A line without a time that can be believed was written before the
 * next one that has such a time: if that lies before the span, so does this one. `oldest`: the first of those times.
 */
export function placesIn(sent: readonly Line[], span: TimeSpan) {
  const oldest = sent.find(({ at }) => at !== undefined)?.at;
  const begin = Math.floor((span.from ?? -Infinity) / second) * second;
  const end = span.to ?? Infinity;
  const places: Place[] = [];
  let next: Place = 'unknown';
  for (const { at } of sent.toReversed()) {
    if (at !== undefined) next = at < begin ? 'before' : at > end ? 'after' : 'inside';
    places.push(at === undefined && next !== 'before' ? 'unknown' : next);
  }
  const zoneless = sent.findLast(({ stamp }) => stamp === 'zoneless')?.at ?? NaN;
  const newestIfUtc = zoneless < begin && zoneless >= begin - maxBehind ? zoneless : undefined;
  return { oldest, newestIfUtc, begin, places: places.toReversed() };
}

/** Filters the lines, because some hosts ignore the requested span and search. */
export function selectLines(
  sent: readonly Line[],
  raw: readonly string[],
  { span, search, isFull, most = Infinity }: Selection,
): SelectedLines {
  const { oldest, newestIfUtc, begin, places } = placesIn(sent, span);
  const found = search === undefined ? undefined : foundIn(sent, raw, search.toLowerCase());
  const lines: Line[] = [];
  let [outside, unlike, timeless] = [0, 0, 0];
  for (const [index, line] of sent.entries()) {
    const place = places[index];
    if (place === 'before' || place === 'after') outside += 1;
    else if (found?.[index] === false) unlike += 1;
    else {
      lines.push(line);
      if (place === 'unknown') timeless += 1;
    }
  }
  const lacksOlder = isFull && (oldest === undefined || oldest >= begin);
  return { ...newest(lines, most, lacksOlder), outside, unlike, timeless, oldest, newestIfUtc };
}

const newest = (lines: readonly Line[], most: number, lacksOlder: boolean) => ({
  lines: lines.slice(Math.max(0, lines.length - most)),
  isCut: lacksOlder || lines.length > most,
});

/** Whether each line, or its entry, contains these words. Searches the unmasked lines, so masked text is found too. */
function foundIn(lines: readonly Line[], raw: readonly string[], words: string): readonly boolean[] {
  const found: boolean[] = [];
  let head = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.continues) head = index;
    found.push(found[head] === true);
    if (found[index] !== true && raw[index]?.toLowerCase().includes(words)) found.fill(true, head);
  }
  return found;
}

/** An entry of a log: the line that begins it, and those that belong to it. */
export type LogEntry = {
  readonly head: Line;
  readonly lines: readonly Line[];
  /** At least one. If its beginning was not read, its first line stands for it. */
  readonly messages: readonly string[];
  /** Whether the last message was cut off. */
  readonly isCut: boolean;
};

/** The entries that these lines make up, in order. */
export function logEntriesOf(lines: readonly Line[]): readonly LogEntry[] {
  const entries: { head: Line; lines: Line[]; messages: string[]; isCut: boolean }[] = [];
  for (const line of lines) {
    const open = line.continues ? entries.at(-1) : undefined;
    if (open === undefined) {
      const messages = line.messages.length > 0 ? [...line.messages] : [line.text];
      entries.push({ head: line, lines: [line], messages, isCut: line.isCut });
      continue;
    }
    open.lines.push(line);
    open.messages.push(...line.messages);
    if (line.messages.length > 0) open.isCut = line.isCut;
  }
  return entries;
}

/** Whether an entry has an error among its messages. */
export const isError = ({ messages }: LogEntry): boolean => messages.some((message) => levelOf(message) === 'error');
