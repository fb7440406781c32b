import { dayMs, hourMs, minuteMs, parseDuration } from './duration.ts';
import { code, either, say, type Text } from './text.ts';
import { isZoneName, localDay, momentMeant, momentsOf, shownAt, timeOfDay } from './zoned-time.ts';

/** Times to come, as people write them: `fri 18:00`, `tomorrow at 2am`, `in 90m`. */

/** `at`: epoch ms; `zone`: the one in which it was read. `skipped`: no clock there shows it, and how that is. */
type ReadTime = { readonly at: number; readonly zone: string; readonly skipped: Text | undefined };
type Unread = { readonly why: Text };

const shape =
  /^(?:(?!at\b)(?<day>\d{4}-\d\d-\d\d(?=[T ])|[a-z]+)[T ]?)?(?:at )?(?<hour>\d{1,2})(?:[:.](?<minutes>\d\d))?(?: ?(?<half>[ap]m)\b)?(?<suffix>(?<utc>Z)| (?<named>[a-z][\w/+-]*)|)$/i;

/**
 * Reads a time at `now` (epoch ms), by the clock of the zone that it names, or else of `zone` (IANA names). Without a
 * date it is the next one. One that comes twice is its first, and one that the clock skips is as much later. If it can't
 * be read, a sentence says why.
 */
export function readTime(text: string, now: number, zone: string): ReadTime | Unread {
  const written = text.trim().replace(/\s+/g, ' ');
  const ms = parseDuration(/^in (.+)/i.exec(written)?.[1] ?? '');
  if (ms !== undefined) return { at: Math.ceil((now + ms) / minuteMs) * minuteMs, zone, skipped: undefined };
  const { day = '', suffix = '', utc, named = zone, ...typed } = shape.exec(dayFirst(written))?.groups ?? {};
  const there = utc === undefined ? named : 'UTC';
  const clock = clockOf(typed);
  const on = dayOf(day.toLowerCase(), Math.floor(shownAt(there, now) / dayMs) * dayMs);
  if (clock === undefined || on === undefined)
    return {
      why: say`I can't read “${text.slice(0, 40)}” as a time: write it like ${code('14:30')}, ${code('tomorrow 02:00')}, ${code('fri 6pm')} or ${code('in 2 hours')}.`,
    };
  if (named !== zone && !isZoneName(named))
    return { why: say`${code(named.slice(0, 40))} is not a time zone; ${code('Europe/Berlin')} is one.` };
  const readings = readingsOf(day, clock).map((one) => `${one}${suffix}`.trim());
  if (readings.length > 0)
    return { why: say`“${written}” leaves open which time you mean: write ${toChoose(readings, now, zone)}.` };
  return momentIn(there, on.start + clock.time, now, on.again);
}

/** Those of these times that are ahead, or all of them. */
function toChoose(readings: readonly string[], now: number, zone: string): Text {
  const ahead = readings.filter((one) => {
    const read = readTime(one, now, zone);
    return 'at' in read && !read.skipped && read.at > now;
  });
  return either((ahead.length > 0 ? ahead : readings).map(code));
}

/** `14:30 tomorrow` as `tomorrow 14:30`. */
function dayFirst(written: string): string {
  const [, clock = '', day = '', zone = ''] =
    /^((?:at )?\d{1,2}\S*(?: [ap]m)?) (?:on )?(\S+)(.*)$/i.exec(written) ?? [];
  return day !== '' && dayOf(day.toLowerCase(), 0) ? `${day} ${clock}${zone}` : written;
}

/** A time of day in ms after midnight. `isBare`: just an hour up to 12, such as `2`; `isHalf`: `2am`. */
type Clock = { readonly time: number; readonly isBare: boolean; readonly isHalf: boolean };

function clockOf({ hour = '', minutes, half }: Readonly<Record<string, string | undefined>>): Clock | undefined {
  const isHalf = half !== undefined;
  const isBare = !isHalf && minutes === undefined;
  if ((isHalf || isBare) && !/^(?:0?[1-9]|1[0-2])$/.test(hour)) return undefined;
  const hours = isHalf ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : hour;
  const time = timeOfDay(`${hours}:${minutes ?? '00'}`);
  return time === undefined ? undefined : { time, isBare, isHalf };
}

/** The times that somebody may mean by an hour of either half of the day, or by noon or a morning of a night; none: just one. */
function readingsOf(day: string, { time, isBare, isHalf }: Clock): readonly string[] {
  const shown = (at: number): string => new Date(at % dayMs).toISOString().slice(11, 16);
  const other = time + 12 * hourMs;
  const isMorning = time < 12 * hourMs;
  if (day.toLowerCase() === 'tonight' && time < 13 * hourMs)
    return [`today ${shown(isHalf || !isMorning ? time : other)}`, `tomorrow ${shown(isMorning ? time : other)}`];
  return isBare ? [time, other].map((one) => `${day} ${shown(one)}`) : [];
}

/** The moment of a local time, or of the one that is `again` later if it is over. */
function momentIn(zone: string, local: number, now: number, again: number): ReadTime {
  const [first] = momentsOf(zone, local);
  const isOver = first === undefined ? local <= shownAt(zone, now) : first <= now;
  const meant = local + (isOver ? again : 0);
  const [date, clock] = new Date(meant).toISOString().slice(0, 16).split('T');
  const isThere = momentsOf(zone, meant).length > 0;
  const skips = say`There is no ${clock} on ${date} in ${zone}: the clock is put forward over it.`;
  return { at: momentMeant(zone, meant), zone, skipped: isThere ? undefined : skips };
}

/**
 * The start of a day as local time, for `tomorrow`, `fri`, `2026-11-30` or nothing, and how much later it comes again;
 * `today` is that of today.
 */
function dayOf(day: string, today: number): { readonly start: number; readonly again: number } | undefined {
  if (day === '') return { start: today, again: dayMs };
  const weekday = weekdayNamed(day);
  if (weekday !== undefined)
    return { start: today + ((weekday - new Date(today).getUTCDay() + 7) % 7) * dayMs, again: 7 * dayMs };
  const start = day === 'today' || day === 'tonight' ? today : day === 'tomorrow' ? today + dayMs : localDay(day);
  return start === undefined ? undefined : { start, again: 0 };
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The day of the week (0 is Sunday) that `fri` or `Friday` names; undefined if it is none. */
export function weekdayNamed(text: string): number | undefined {
  const at = text.length < 3 ? -1 : days.findIndex((one) => one.startsWith(text.toLowerCase()));
  return at < 0 ? undefined : at;
}
