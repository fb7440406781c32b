import { isAmountAndUnit, parseDuration, showDuration, dayMs } from '../../../words/duration.ts';
import { Refusal } from '../../../base/errors.ts';
import { code, say } from '../../../words/text.ts';
import { localDay, momentMeant, shownAt, timeOfDay } from '../../../words/zoned-time.ts';

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
  const today = Math.floor(shownAt(zone, now) / dayMs) * dayMs;
  if (moment.clock === 'today') return momentMeant(zone, today);
  if (moment.clock === 'yesterday') return momentMeant(zone, today - dayMs);
  const { day, time, utc } = readingOf(moment.clock) ?? { day: today, time: 0, utc: false };
  const shown = (day ?? today) + time;
  if (utc) return shown;
  const at = momentMeant(zone, shown);
  return day === undefined && at > now ? momentMeant(zone, shown - dayMs) : at;
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

/** A day, a time of day or both; `Z` means UTC. Undefined if there is no such day or time. */
function readingOf(text: string) {
  const found = /^(?:(\d{4}-\d{2}-\d{2})(?:[T ]([\d:]+)(Z)?)?|([\d:]+))$/i.exec(text);
  if (found === null) return undefined;
  const [, written, clock = found[4] ?? '00:00', utc] = found;
  const time = timeOfDay(clock);
  const day = written === undefined ? undefined : localDay(written);
  const exists = time !== undefined && (day === undefined) === (written === undefined);
  return exists ? { day, time, utc: utc !== undefined } : undefined;
}

/** Whether a word continues the time before it: `7` `days`, `2h` `ago`, `tomorrow` `at`, `tomorrow at` `2`, `2` `am`. */
export const continuesTime = (before: string, word: string): boolean =>
  isAmountAndUnit(before.replace(/^in /i, ''), word) ||
  (/^ago$/i.test(word) && parseDuration(before) !== undefined) ||
  (/\b\d{1,2}(?:[:.]\d\d)?$/.test(before) && /^[ap]m$/i.test(word)) ||
  (/^(?:[a-z]{2,9}|\d{4}-\d\d-\d\d)(?: at)?$/i.test(before) &&
    /^(?:at|\d{1,2}(?:[:.]\d\d)?(?:[ap]m)?|\d+[smhd])$/i.test(word));
