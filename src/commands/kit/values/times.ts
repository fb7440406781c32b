import { isAmountAndUnit, parseDuration, showDuration, dayMs } from '../../../words/duration.ts';
import { attempt, Refusal } from '../../../base/errors.ts';
import { code, say } from '../../../words/text.ts';

/** A point in time as typed: `ago` in milliseconds, or a date or time of day in the person's time zone. */
export type Moment = { readonly ago: number } | { readonly clock: string };

/** Ten years: a longer age is probably a typing mistake. */
const maxAge = 3_650 * dayMs;

/** A duration in milliseconds; throws `Refusal` for any other text, or outside the bounds. */
export function readDuration(label: string, text: string, from: number, to: number): number {
  const value = parseDuration(text);
  if (value === undefined) {
    throw new Refusal(
      say`${label}: type a length of time like ${code('30m')} or ${code('2h')}, not “${text.slice(0, 40)}”. Nothing was done.`,
    );
  }
  if (value < from || value > to) {
    const typed = text.slice(0, 40);
    throw new Refusal(
      `${label}: type from ${showDuration(from)} to ${showDuration(to)}, not ${typed}. Nothing was done.`,
    );
  }
  return value;
}

/** Reads `1h` (ago), `now`, `14:05`, `today`, `yesterday`, `2026-03-01`, `2026-03-01 14:05`; throws `Refusal`. */
export function readMoment(label: string, text: string): Moment {
  if (/^now$/i.test(text)) return { ago: 0 };
  const ago = parseDuration(text.replace(/\s+ago$/i, ''));
  if (ago !== undefined && ago <= maxAge) return { ago };
  if (ago === undefined && (/^(?:to|yester)day$/i.test(text) || readingOf(text))) return { clock: text.toLowerCase() };
  throw new Refusal(
    say`${label}: type a time like ${code('1h')}, ${code('14:05')}, ${code('yesterday')} or ${code('2026-03-01 14:05')}, not “${text.slice(0, 40)}”. Nothing was done.`,
  );
}

/**
 * A moment in epoch milliseconds, read in `zone` (IANA name). A bare time of day is its most recent occurrence; a day
 * is its start.
 */
export function momentAt(moment: Moment, now: number, zone: string): number {
  if ('ago' in moment) return now - moment.ago;
  const today = dayOf(now + offsetOf(zone, now));
  if (moment.clock === 'today') return onClock(zone, today);
  if (moment.clock === 'yesterday') return onClock(zone, dayBefore(today));
  const { day, time, utc } = readingOf(moment.clock) ?? { day: today, time: '00:00:00', utc: false };
  if (utc) return Date.parse(`${day}T${time}Z`);
  const at = onClock(zone, day ?? today, time);
  return day === undefined && at > now ? onClock(zone, dayBefore(today), time) : at;
}

/** The start of a span that ends now. Throws `Refusal` for the future, with an example such as `2d`. */
export function startOf(since: Moment, now: number, zone: string, example: string): number {
  const from = momentAt(since, now, zone);
  if (from <= now) return from;
  throw new Refusal('--since is in the future. Nothing was done.', {
    hint: `Type how far back to go, like ${example}.`,
    field: 'since',
  });
}

/** A time as typed after `--since`, to the second, so that it means the same whenever the button is pressed. */
export const sinceArg = (at: number): string => `--since=${new Date(at).toISOString().slice(0, 19)}Z`;

/** A time of day on a day of the week (0 is Sunday). */
type WeeklyTime = { readonly weekday: number; readonly clock: string };

/** The last such time up to `now`, with its day, and the next one (epoch ms), in `zone` (IANA name). */
export function weeklyAround({ weekday, clock }: WeeklyTime, now: number, zone: string) {
  const days = Array.from({ length: 19 }, (_, at) => dayOf(now + (at - 9) * dayMs));
  const times = days
    .filter((day) => new Date(`${day}T00:00:00Z`).getUTCDay() === weekday)
    .map((day) => ({ day, at: momentAt({ clock: `${day} ${clock}` }, now, zone) }));
  const last = times.findLast(({ at }) => at <= now);
  const next = times.find(({ at }) => at > now);
  if (last === undefined || next === undefined) throw new RangeError('the time is out of range');
  return { last, next: next.at };
}

/** A day, a time of day or both; `Z` means UTC. Undefined if there is no such day or time. */
function readingOf(text: string) {
  const clock = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ]([\d:]+)(Z)?)?|([\d:]+))$/i.exec(text);
  if (clock === null) return undefined;
  const [, day, hours = clock[4] ?? '00:00', utc] = clock;
  const time = /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(hours)
    ? `${hours.replace(/^\d:/, '0$&')}:00`.slice(0, 8)
    : '';
  const exists = day === undefined || dayOf(Date.parse(`${day}T00:00:00Z`)) === day;
  return time !== '' && exists ? { day, time, utc: utc !== undefined } : undefined;
}

/** Local time in `zone` as epoch milliseconds; a time skipped by daylight saving is read an hour later. */
function onClock(zone: string, day: string, time = '00:00:00'): number {
  const shown = Date.parse(`${day}T${time}Z`);
  return shown - offsetOf(zone, shown - offsetOf(zone, shown));
}

/** The UTC day of a moment; empty for an invalid one. */
const dayOf = (at: number): string => (Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 10));
const dayBefore = (day: string): string => dayOf(Date.parse(`${day}T00:00:00Z`) - dayMs);

/** Whether a time can be read in that zone. */
export const isZone = (zone: string): boolean =>
  attempt(() => new Intl.DateTimeFormat('en-US', { timeZone: zone })) !== undefined;

/** The offset of `zone` from UTC at that time, in milliseconds; 0 for an unknown zone. */
function offsetOf(zone: string, at: number): number {
  const shown = attempt(() =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName'),
  );
  return aheadOf(shown?.value);
}

/** `+0530` or `+05:30` in milliseconds; 0 without one. */
export function aheadOf(written: string | undefined): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(written ?? '') ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Whether a word continues the time before it: `7` `days`, `2h` `ago`. */
export const continuesTime = (before: string, word: string): boolean =>
  isAmountAndUnit(before, word) || (/^ago$/i.test(word) && parseDuration(before) !== undefined);
