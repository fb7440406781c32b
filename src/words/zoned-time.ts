import { dayMs } from './duration.ts';

/**
 * Clocks in time zones (IANA names). A local time is written as the epoch milliseconds at which a clock in UTC shows
 * the same.
 */

/** The start of a day, written `2026-11-27`, as a local time; undefined if no calendar has that day. */
export function localDay(day: string): number | undefined {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === day ? at : undefined;
}

/** A time of day (`9:05`, `16:00`, `16:00:07`) in milliseconds after midnight; undefined if no clock shows it. */
export function timeOfDay(clock: string): number | undefined {
  const [, hours, minutes, seconds = 0] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(clock) ?? [];
  if (hours === undefined) return undefined;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

/** What a clock in the zone shows at a moment, as a local time. */
export const shownAt = (zone: string, at: number): number => at + offsetOf(zone, at);

/**
 * The moments (epoch ms) at which a clock in the zone shows this local time: one, none if the clock is put forward over
 * it, two if it is put back over it, the earlier one first.
 */
export function momentsOf(zone: string, local: number): readonly number[] {
  return offsetsAround(zone, local)
    .map((offset) => local - offset)
    .filter((at) => shownAt(zone, at) === local)
    .toSorted((a, b) => a - b);
}

/** The first moment at which a clock in the zone shows this local time or a later one. */
export const beginningAt = (zone: string, local: number): number =>
  momentsOf(zone, local)[0] ?? changeOver(zone, local);

/** The moment after which a clock in the zone shows only later local times. */
export const endingAt = (zone: string, local: number): number =>
  momentsOf(zone, local).at(-1) ?? changeOver(zone, local);

/**
 * The moment that somebody means by a local time: its first. One that the clock skips is read by the clock as it was
 * before the change, so that it is later.
 */
export function momentMeant(zone: string, local: number): number {
  const [before = 0] = offsetsAround(zone, local);
  return momentsOf(zone, local)[0] ?? local - before;
}

/**
 * The offsets before and after a change of the clock near a local time, or the only one. No zone changes its clock twice
 * in two days.
 */
const offsetsAround = (zone: string, local: number): readonly number[] => [
  ...new Set([offsetOf(zone, local - dayMs), offsetOf(zone, local + dayMs)]),
];

/** When the clock is put forward over a local time. */
function changeOver(zone: string, local: number): number {
  const [before = 0, after = before] = offsetsAround(zone, local);
  let [earlier, later] = [local - after, local - before];
  // All changes are at whole seconds.
  while (later - earlier > 1_000) {
    const middle = earlier + Math.floor((later - earlier) / 2_000) * 1_000;
    if (offsetOf(zone, middle) === before) earlier = middle;
    else later = middle;
  }
  return later;
}

/** A time of day, in milliseconds after midnight, on a day of the week (0 is Sunday). */
type WeeklyTime = { readonly weekday: number; readonly time: number };

/** The last such time up to `now`, with its day, and the next one (epoch ms). */
export function weeklyAround({ weekday, time }: WeeklyTime, now: number, zone: string) {
  const today = Math.floor(now / dayMs) * dayMs;
  const times = Array.from({ length: 19 }, (_, at) => today + (at - 9) * dayMs)
    .filter((day) => new Date(day).getUTCDay() === weekday)
    .map((day) => ({ day: new Date(day).toISOString().slice(0, 10), at: momentMeant(zone, day + time) }));
  const last = times.findLast(({ at }) => at <= now);
  const next = times.find(({ at }) => at > now);
  if (last === undefined || next === undefined) throw new RangeError('the time is out of range');
  return { last, next: next.at };
}

/** Whether a time can be read in that zone. */
export const isZone = (zone: string): boolean => clockIn(zone) !== undefined;

/** Whether it is the full name of a zone. Intl also takes offsets, and short names such as BST. */
export const isZoneName = (zone: string): boolean => /^(?:UTC|[A-Z]\w*\/[\w/+-]+)$/i.test(zone) && isZone(zone);

/** The offset of a zone from UTC at that moment, in milliseconds; 0 for an unknown zone. */
const offsetOf = (zone: string, at: number): number => aheadOf(clockIn(zone)?.format(at));

/** `+0530`, `+05:30` or `+05:53:28` in milliseconds; 0 without one. */
export function aheadOf(written: string | undefined): number {
  const [, sign, hours, minutes, seconds = 0] = /([+-])(\d\d):?(\d\d)(?::(\d\d))?/.exec(written ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

const maxClocks = 100;
/** Making one takes as long as fifty readings. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Reads the clock in a zone; undefined if there is no such zone. */
function clockIn(zone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(zone);
  if (known) return known;
  try {
    const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    // Names come from outside, in any case of their letters.
    if (clocks.size >= maxClocks) clocks.clear();
    clocks.set(zone, made);
    return made;
  } catch {
    return undefined;
  }
}
