import { aheadOf, isZone, momentMeant } from '../../words/zoned-time.ts';
import { jsonFields } from './json-line.ts';
import { anyWord } from './levels.ts';
import { hourMs } from '../../words/duration.ts';

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
    const shown = utcOf(y1 ?? y2, month, d1 ?? d2, [hours, minutes, seconds]);
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
  const at = utcOf(year, months.indexOf(month), day, [hours, minutes, seconds]);
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
function utcOf(year: Digits, month: number, day: Digits, [hours, minutes, seconds]: readonly Digits[]) {
  const [d, h, m, s] = [Number(day), Number(hours), Number(minutes), Number(seconds)];
  const isOne = month >= 0 && month < 12 && d >= 1 && d <= 31 && h < 24 && m < 60 && s <= 60;
  return isOne ? Date.UTC(Number(year), month, d, h, m, s) : undefined;
}

/** The offset of a named zone from UTC at a local time, in milliseconds; NaN if the zone is not known. */
const offsetOf = (zone: string, shown: number): number =>
  ambiguous.test(zone) || !isZone(zone) ? Number.NaN : shown - momentMeant(zone, shown);
