import { readDuration } from '../commands/kit/values/times.ts';
import { Refusal } from '../base/errors.ts';
import { dayMs, hourMs } from '../words/duration.ts';
import { code, joined, say, time, type Text } from '../words/text.ts';
import { localDay, momentsOf, shownAt, timeOfDay } from '../words/zoned-time.ts';
import type { ParsedCommand } from './bind-arguments.ts';

/** When an action is to be sent: `--at`, and how long it may take to begin, `--within`. */

/** The window in which a change may be sent, epoch ms: from `at` on, until before `until`. */
export type Schedule = { readonly at: number; readonly until: number };

const minuteMs = 60_000;
/** How long the window is by default, and at most. */
const usualMs = 15 * minuteMs;
const longestMs = 2 * hourMs;
const farthestMs = 30 * dayMs;

type Typed = Pick<ParsedCommand, 'at' | 'within' | 'queue'>;

/**
 * The window of a parsed action, read at `now` (epoch ms) by the clock in `zone` (IANA name); undefined: it is to be
 * sent at once. A time of day is its next occurrence; one that comes twice is the first. Throws `Refusal` for a time
 * that there is not, that is over or too far away.
 */
export function scheduleOf({ at: text, within, queue }: Typed, now: number, zone: string): Schedule | undefined {
  const lasts = within === undefined ? usualMs : readDuration('--within', within, minuteMs, longestMs);
  if (text === undefined) {
    if (within !== undefined) throw refused(say`${code('--within')} goes with ${code('--at')}.`, 'within');
    return undefined;
  }
  if (queue)
    throw refused(say`${code('--queue')} and ${code('--at')} don't go together: a lock is looked at when it is time.`);
  const at = momentOfText(text, now, zone);
  if (at + lasts <= now) throw refused(say`${time(at, 'date')} is over: type another time after ${code('--at')}.`);
  if (at > now + farthestMs) throw refused(say`That is more than 30 days away.`);
  return { at, until: at + lasts };
}

/** The same command with its time in UTC, so that it means the same whenever and by whomever it is run. Throws `Refusal`. */
export function inUtc(parsed: ParsedCommand, now: number, zone: string): ParsedCommand {
  const window = scheduleOf(parsed, now, zone);
  return window ? { ...parsed, at: atArg(window.at) } : parsed;
}

/** A time as it is typed in any zone, to the next minute. */
export const atArg = (at: number): string =>
  `${new Date(Math.ceil(at / minuteMs) * minuteMs).toISOString().slice(0, 16)}Z`;

/** The window in words: for everybody by their own clock, and by the clock of whoever asked. */
export function scheduleInWords({ at, until }: Schedule, zone: string): Text {
  const local = shownAt(zone, at);
  const shown = new Date(local).toISOString();
  const isFirst = momentsOf(zone, local).length > 1 && momentsOf(zone, local)[0] === at;
  const there = say`${shown.slice(11, 16)} in ${zone}${isFirst ? ', the first of two' : ''}`;
  return say`${time(at, 'date')} (${there}), by ${time(until, 'date')} at the latest`;
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const shape = /^(?:(?<day>\d{4}-\d\d-\d\d|[a-z]+)[T ]?(?= |T|\d)\s*)?(?<clock>\d{1,2}:\d\d)(?<utc>Z)?$/i;

function momentOfText(text: string, now: number, zone: string): number {
  const { day, clock = '', utc } = shape.exec(text.trim())?.groups ?? {};
  const clockMs = timeOfDay(clock);
  const there = utc === undefined ? zone : 'UTC';
  const shown = shownAt(there, now);
  const today = Math.floor(shown / dayMs) * dayMs;
  const start = day === undefined ? today : startOfDay(day.toLowerCase(), today);
  if (clockMs === undefined || start === undefined) throw unreadable(text);
  const [first] = momentsOf(there, start + clockMs);
  const isOver = first === undefined ? start + clockMs <= shown : first <= now;
  // Without a day, the next time that the clock shows it; a day of the week that is over is that of the next week.
  const ahead = day === undefined ? dayMs : days.some((name) => isDay(name, day)) ? 7 * dayMs : 0;
  const local = start + clockMs + (isOver ? ahead : 0);
  const [meant] = momentsOf(there, local);
  if (meant !== undefined) return meant;
  const date = new Date(local).toISOString().slice(0, 10);
  throw refused(say`There is no ${clock} on ${date} in ${there}: the clock is put forward over it.`);
}

/** The start of a day as local time, for `tomorrow`, `fri` or `2026-11-30`; `today` is that of today. */
function startOfDay(day: string, today: number): number | undefined {
  if (day === 'today') return today;
  if (day === 'tomorrow') return today + dayMs;
  const weekday = days.findIndex((name) => isDay(name, day));
  if (weekday === -1) return localDay(day);
  return today + ((weekday - new Date(today).getUTCDay() + 7) % 7) * dayMs;
}

const isDay = (name: string, typed: string): boolean => typed.length >= 3 && name.startsWith(typed.toLowerCase());

const refused = (says: Text, field: 'at' | 'within' = 'at'): Refusal =>
  new Refusal(joined([says, 'Nothing was sent.']), { field });

const unreadable = (text: string): Refusal =>
  new Refusal(say`I can't read “${text.slice(0, 40)}” as a time. Nothing was sent.`, {
    field: 'at',
    hint: say`Write ${code('--at 14:30')}, ${code('--at "tomorrow 02:00"')} or ${code('--at "fri 18:00"')}: hours from 00:00 to 23:59, by your own clock.`,
  });
