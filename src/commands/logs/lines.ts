import { requestIn, type LoggedRequest } from './requests.ts';
import { mapInChunks } from './section.ts';
import { isJsonLine, jsonFields } from './json-line.ts';
import { beginsWithPhp, levelOf, needsLook, anyWord } from './levels.ts';
import { masker } from './masking.ts';
import { causeIn, isFurtherMessage, isOneLine, isWrapped, unwrapped, type Unwrapped } from './nginx.ts';
import { dayMs, minuteMs, hourMs } from '../../words/duration.ts';
import { aheadOf, isZone, momentAt } from '../kit/values/times.ts';

export const withRequest = (line: Line): LineWithRequest => ({ line, request: requestIn(line.text) });

/** A line, and the request in it, if there is one. */
export type LineWithRequest = { readonly line: Line; readonly request: LoggedRequest | undefined };

/** A line of a log that may be shown. */
export type Line = Unwrapped & {
  /** The line, masked and limited in length. The messages are parts of it, without its time. */
  readonly text: string;
  /** Epoch milliseconds: the time of its entry. Undefined: it has none that can be believed. */
  readonly at: number | undefined;
  /** Whether it has a time of its own, believed or not. `zoneless`: without a zone, so it was read as UTC. */
  readonly stamp: 'zoned' | 'zoneless' | undefined;
  /** Whether it belongs to the entry before it, like a line of a stack trace. */
  readonly continues: boolean;
};

/** Times outside these bounds (epoch ms) are not believed: a clock was wrong, or a visitor wrote them. */
type Plausible = { readonly from: number; readonly to: number };

const oldestMs = 3_650 * dayMs;
/** How far the clocks of a host and of this machine may be apart. */
const aheadMs = 5 * minuteMs;
/** An entry has at most this many lines without a time: more of them are a log that has none there. */
const maxContinuing = 300;

/** The lines of one log, oldest first. Those before the first time are the rest of an entry that was cut off. */
export async function readLines(
  raw: readonly string[],
  { alias, now }: { readonly alias: (address: string) => string; readonly now: number },
): Promise<readonly Line[]> {
  const plausible = { from: now - oldestMs, to: now + aheadMs };
  return withoutBeginning(await mapInChunks(raw, lineReader(alias, plausible)));
}

/** Reads a log in chunks, in order. The result does not depend on where the chunks begin. */
export function lineReader(
  alias: (address: string) => string,
  plausible: Plausible,
): (raw: readonly string[]) => readonly Line[] {
  const mask = masker(alias);
  const stampOf = stampReader();
  let at: number | undefined;
  // From then on, a line with a time begins an entry.
  let isTimed = false;
  let untimed = 0;
  let isFirst = true;
  let isWhole = false;
  const read = (line: string): Line => {
    const text = mask(line);
    const stamp = ownTimeIn(text, stampOf(text));
    const body = text.slice(stamp?.end ?? 0);
    const said = unwrapped(body);
    untimed = stamp === undefined ? untimed + 1 : 0;
    const isOpen = isTimed && !isWhole && untimed <= maxContinuing;
    const continues = !isFirst && goesOn(said, { text, stamp, isOpen });
    isFirst = false;
    if (stamp !== undefined) isWhole = isOneLine(body);
    if (!continues) at = believed(stamp, plausible);
    isTimed ||= stamp !== undefined && !continues;
    const { messages, isCut, cause } = continues ? furtherOf(said, text) : said;
    return { text, at, stamp: stamp && (stamp.isZoneless ? 'zoneless' : 'zoned'), continues, messages, isCut, cause };
  };
  return (raw) => raw.map(read);
}

const believed = (stamp: Stamp | undefined, { from, to }: Plausible): number | undefined =>
  stamp !== undefined && stamp.at >= from && stamp.at <= to ? stamp.at : undefined;

/** A time behind PHP's own words, or behind those that begin a further message, belongs to what is said. */
const ownTimeIn = (text: string, stamp: Stamp | undefined): Stamp | undefined =>
  stamp?.end === 0 && (isFurtherMessage(text) || beginsWithPhp(text)) ? undefined : stamp;

/** What is only a part of something, such as a printed array of which each line has a time. */
const inside = /^(?:\[[^\]]{1,80}\] ){0,6}(?: {4}|\t|[^\p{L}\p{N}]+$)/u;

/**
 * Whether a line belongs to the entry before it. A line of a trace does, and of a printed array. Where entries have
 * times, so does every line without one, unless it says itself how grave it is. Elsewhere, and behind
 * an entry that is complete in one line, indented lines and those without words do.
 */
function goesOn(
  { messages }: Unwrapped,
  { text, stamp, isOpen }: { readonly text: string; readonly stamp: Stamp | undefined; readonly isOpen: boolean },
): boolean {
  if (messages.length === 0) return true;
  if (stamp !== undefined) return messages.every((message) => inside.test(message));
  if (!isOpen) return /^(?:\s|[^\p{L}\p{N}]*$)/u.test(text);
  return isFurtherMessage(text) || !beginsEntry(text);
}

const beginsEntry = (text: string): boolean =>
  isWrapped(text) || beginsWithPhp(text) || isJsonLine(text) || (/^\S/.test(text) && needsLook(levelOf(text)));

/** What a line adds to its entry. After a trace of several lines, nginx puts the request behind the last one. */
const furtherOf = (said: Unwrapped, text: string): Unwrapped =>
  isFurtherMessage(text) ? said : { messages: [], isCut: false, cause: causeIn(text) };

/** In a log with times, the lines before the first one are one entry. */
function withoutBeginning(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ stamp, continues }) => stamp !== undefined && !continues);
  if (first <= 1 || first > maxContinuing) return lines;
  return lines.map((line, index) =>
    index === 0 || index >= first || line.continues || beginsEntry(line.text)
      ? line
      : { ...line, messages: [], isCut: false, continues: true },
  );
}

/** The last `most` lines of a text, oldest first. If the host sends too many, the extra ones are the oldest. */
export function newestOf(text: string, most: number): readonly string[] {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  if (end <= 0) return [];
  let start = end;
  for (let count = 0; count < most && start >= 0; count += 1)
    start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
  return text.slice(start + 1, end).split('\n');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/**
 * `2026-11-21T13:48:00Z`, `2026-11-21  9:48:00`, `2026/11/21 13:48:00`, `21/Nov/2026:13:48:00 +0000`, `21-Nov-2026 13:48:00 UTC`: at the start
 * of a line, or after its first bracket. A time anywhere else belongs to the message, as does one in an indented line.
 */
const stamp =
  /^(?!\s)(?:[^[]{0,200}\[)?(?:(\d{4})[-/](\d\d)[-/](\d\d)[T ]|(\d\d?)[-/]([A-Z][a-z]{2})[-/](\d{4})[ :])([ \d]\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?/;
/** What stands behind a time: an offset, a zone, or in its bracket a word that is one unless it is a level. */
const zoned = /^(?: ?(Z\b|[+-]\d\d:?\d\d)| (UTC|GMT|[A-Z][A-Za-z_]+\/[\w/+-]{2,40}|[A-Z][\w+-]{1,40}(?=\])))?\]?\s*/;
const unzoned = /^\]?\s*/;
const level = new RegExp(`^${anyWord}$`, 'i');
/** Short names that Intl knows and that mean other zones elsewhere: `BST`, `IST`. IANA has only the excepted ones. */
const ambiguous = /^(?!UTC|GMT|[EHM]ST|[CEMW]ET)[A-Z]{3}$/;
/** `[Sat Nov 21 13:48:00.123456 2026]`, as Apache writes it. */
const apacheStamp = /^\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d\d?) (\d\d):(\d\d):(\d\d)(?:\.\d{1,9})? (\d{4})\]\s*/;
/** Where a JSON object has its time; the first that it has. */
const jsonKeys = [
  'time',
  'timestamp',
  '@timestamp',
  'datetime',
  'ts',
  'date',
  'time_iso8601',
  'time_local',
  'msec',
  'asctime',
  't',
];

/** The time of a line. */
export type Stamp = {
  /** Epoch milliseconds; NaN if its zone is not known. */
  readonly at: number;
  /** Where the time ends if the line starts with it, otherwise 0. */
  readonly end: number;
  /** Whether it has no zone and was read as UTC. */
  readonly isZoneless: boolean;
};

/** Reads the times of one log's lines, however old; undefined: the line has none. */
export function stampReader(): (line: string) => Stamp | undefined {
  const offsets = new Map<string, number>();
  const offsetAt = (zone: string, shown: number): number => {
    const key = `${Math.floor(shown / hourMs)} ${zone}`;
    const known = offsets.get(key) ?? offsetOf(zone, shown);
    offsets.set(key, known);
    return known;
  };
  const ofText = (line: string): Stamp | undefined => {
    const found = stamp.exec(line);
    if (found === null) return ofApache(line);
    const [time, y1, mo1, d1, d2, mo2 = '', y2, hours, minutes, seconds] = found;
    const { length, ahead, zone } = zoneBehind(line.slice(time.length));
    const month = mo1 === undefined ? months.indexOf(mo2) : Number(mo1) - 1;
    const shown = momentOf(y1 ?? y2, month, d1 ?? d2, [hours, minutes, seconds]);
    if (shown === undefined) return undefined;
    const at = shown - (zone === undefined ? aheadOf(ahead) : offsetAt(zone, shown));
    const isZoneless = zone === undefined && ahead === undefined;
    return { at, end: /^\[?\d/.test(time) ? time.length + length : 0, isZoneless };
  };
  return (line) => {
    const fields = jsonFields(line);
    if (fields === undefined) return ofText(line.slice(0, 300));
    const values = jsonKeys.flatMap((key) => fields.get(key) ?? []);
    for (const value of values) {
      const found = ofEpoch(value) ?? ofText(`[${value}]`);
      if (found !== undefined) return { ...found, end: 0 };
    }
    return undefined;
  };
}

/** The zone that a text begins with, and the length of all that belongs to the time there. */
function zoneBehind(rest: string): { readonly length: number; readonly ahead?: string; readonly zone?: string } {
  const [whole = '', ahead, zone] = zoned.exec(rest) ?? [];
  if (zone !== undefined && level.test(zone)) return { length: unzoned.exec(rest)?.[0].length ?? 0 };
  return { length: whole.length, ...(ahead !== undefined && { ahead }), ...(zone !== undefined && { zone }) };
}

function ofApache(line: string): Stamp | undefined {
  const found = apacheStamp.exec(line);
  if (found === null) return undefined;
  const [whole, month = '', day, hours, minutes, seconds, year] = found;
  const at = momentOf(year, months.indexOf(month), day, [hours, minutes, seconds]);
  return at === undefined ? undefined : { at, end: whole.length, isZoneless: true };
}

/** Seconds or milliseconds since 1970, of any time from 2001 to 2286. */
function ofEpoch(value: string): Stamp | undefined {
  const [, whole = '', rest = ''] = /^(\d{10}|\d{13})(\.\d{1,9})?$/.exec(value) ?? [];
  if (whole === '') return undefined;
  const at = whole.length === 13 ? Number(whole) : Math.floor(Number(whole + rest) * 1_000);
  return { at, end: 0, isZoneless: false };
}

type Digits = string | undefined;

/** A time as UTC; undefined if no calendar has that day, or no clock that time. */
function momentOf(year: Digits, month: number, day: Digits, [hours, minutes, seconds]: readonly Digits[]) {
  const [d, h, m, s] = [Number(day), Number(hours), Number(minutes), Number(seconds)];
  const isOne = month >= 0 && month < 12 && d >= 1 && d <= 31 && h < 24 && m < 60 && s <= 60;
  return isOne ? Date.UTC(Number(year), month, d, h, m, s) : undefined;
}

/** The offset of a named zone from UTC at a local time, in milliseconds; NaN if the zone is not known. */
const offsetOf = (zone: string, shown: number): number =>
  ambiguous.test(zone) || !isZone(zone)
    ? Number.NaN
    : shown - momentAt({ clock: new Date(shown).toISOString().slice(0, 19) }, shown, zone);
