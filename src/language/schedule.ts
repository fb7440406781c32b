import { readDuration } from '../commands/kit/values/times.ts';
import { Refusal } from '../base/errors.ts';
import { dayMs, hourMs, minuteMs, showDuration } from '../words/duration.ts';
import { code, joined, say, time, type Text } from '../words/text.ts';
import { readTime } from '../words/written-time.ts';
import { momentsOf, shownAt } from '../words/zoned-time.ts';

/** When an action is to be sent: `--at`, and how long it may take to begin, `--within`. */

/** The window in which a change may be sent, epoch ms: from `at` on, until before `until`. */
export type Schedule = { readonly at: number; readonly until: number };

/** How long the window is by default, and at most. */
const usualMs = 15 * minuteMs;
const longestMs = 2 * hourMs;
/** How far ahead `--at` reaches. */
export const farthestMs = 30 * dayMs;

/** What was typed after `--at` and `--within`. */
type TypedTime = { readonly at: string | undefined; readonly within: string | undefined };

/** When a command is to be sent: as typed or, once that was read, its window; undefined: at once. */
export type Timing = { readonly when?: TypedTime | Schedule | undefined };
type Timed = Timing & { readonly queue?: boolean };

/** The window of a command whose time was read. What was not read is never sent at once: it throws. */
export function windowOf({ when }: Timing): Schedule | undefined {
  if (when === undefined || 'until' in when) return when;
  throw new Error('its time was not read');
}

/** The command with its window instead of the typed time, if it has one. As `scheduleOf`. */
export function scheduled<T extends Timed>(parsed: T, now: number, zone: string): T {
  return parsed.when ? { ...parsed, when: scheduleOf(parsed, now, zone) } : parsed;
}

/**
 * The window of an action, whose typed time is read at `now` (epoch ms) by the clock in `zone` (IANA name); undefined: it
 * is to be sent at once. Throws `Refusal` for a time that can't be read, or that there is not, that is over or too far
 * away.
 */
export function scheduleOf({ when, queue }: Timed, now: number, zone: string): Schedule | undefined {
  if (when === undefined) return undefined;
  const window = 'until' in when ? when : typedWindow(when, now, zone);
  if (queue)
    throw refused(say`${code('--queue')} and ${code('--at')} don't go together: a lock is looked at when it is time.`);
  const { at } = window;
  const until = Math.min(window.until, at + longestMs);
  // A window that was read already may have begun.
  if (('until' in when ? until : at) <= now)
    throw refused(say`${time(at, 'date')} is over: type another time after ${code('--at')}.`);
  if (at > now + farthestMs) throw refused(say`That is more than 30 days away.`);
  return { at, until };
}

function typedWindow({ at: text, within }: TypedTime, now: number, zone: string): Schedule {
  const lasts = within === undefined ? usualMs : readDuration('--within', within, minuteMs, longestMs);
  if (text === undefined) throw refused(say`${code('--within')} goes with ${code('--at')}.`, 'within');
  const read = readTime(text, now, zone);
  if ('why' in read) throw refused(read.why);
  if (read.skipped) throw refused(read.skipped);
  return { at: read.at, until: read.at + lasts };
}

/** The window that begins then (epoch ms), to the next minute, and lasts as long as another, or as usual. */
export function windowFrom(from: number, { at, until }: Schedule = { at: 0, until: usualMs }): Schedule {
  const begins = Math.ceil(from / minuteMs) * minuteMs;
  return { at: begins, until: begins + until - at };
}

/** The options that mean this; those of a window do so whenever and by whomever they are typed. */
export function timeOptions(when: TypedTime | Schedule): readonly string[] {
  const { at, within } =
    'until' in when
      ? {
          at: `${new Date(when.at).toISOString().slice(0, 16)}Z`,
          within: when.until - when.at === usualMs ? undefined : showDuration(when.until - when.at),
        }
      : when;
  return [...(at === undefined ? [] : [`--at=${at}`]), ...(within === undefined ? [] : [`--within=${within}`])];
}

/** The window in words: for everybody by their own clock, and by the clock of whoever asked. */
export function scheduleInWords({ at, until }: Schedule, zone: string): Text {
  const local = shownAt(zone, at);
  const shown = new Date(local).toISOString();
  const isFirst = momentsOf(zone, local).length > 1 && momentsOf(zone, local)[0] === at;
  const there = say`${shown.slice(11, 16)} in ${zone}${isFirst ? ', the first of two' : ''}`;
  return say`${time(at, 'date')} (${there}), by ${time(until, 'date')} at the latest`;
}

const refused = (says: Text, field: 'at' | 'within' = 'at'): Refusal =>
  new Refusal(joined([says, 'Nothing was sent.']), { field });
