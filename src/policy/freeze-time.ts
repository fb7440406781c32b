import { BoundedMap, cached } from '../base/caches.ts';
import { dayMs } from '../words/duration.ts';
import { beginningAt, endingAt, shownAt } from '../words/zoned-time.ts';

/**
 * When a freeze is in force, by the clock of its zone. It is never shorter than written: it begins when the clock first
 * shows its beginning or a later time, and ends when the clock last shows its end or an earlier time.
 */

/** A span of every week, in milliseconds after the start of Monday; `to` is later than `from`, a week at most. */
export type WeeklySpan = { readonly from: number; readonly to: number };

export type FreezeTime = {
  /** IANA name. */
  readonly zone: string;
  /** As written, without the zone: `fri 16:00 – mon 08:00`. */
  readonly text: string;
} & (
  | { readonly kind: 'once'; readonly span: FreezeSpan }
  /** The spans are in order and don't overlap. Touching ones are in force as one. */
  | { readonly kind: 'weekly'; readonly weekly: readonly WeeklySpan[] }
);

/** From a moment until before another one, epoch ms. */
export type FreezeSpan = { readonly from: number; readonly until: number };

export const weekMs = 7 * dayMs;

/** The first Monday after 1970 began. */
const someMonday = 4 * dayMs;

/**
 * The span in which the freeze is in force at a moment, joined with those it touches: if it goes on further, to more than
 * 400 days before and after the moment.
 */
export function inForceAt(time: FreezeTime, at: number): FreezeSpan | undefined {
  const isIn = ({ from, until }: FreezeSpan): boolean => from <= at && at < until;
  if (time.kind === 'once') return isIn(time.span) ? time.span : undefined;
  const spans = spansAround(time, at, 2);
  // One alone goes on from week to week.
  return (spans.length > 1 ? spans : spansAround(time, at, maxWeeks)).find(isIn);
}

/** When the freeze next begins after a moment, epoch ms. */
export function nextFrom(time: FreezeTime, at: number): number | undefined {
  if (time.kind === 'once') return time.span.from > at ? time.span.from : undefined;
  return spansAround(time, at, 2).find(({ from }) => from > at)?.from;
}

/** So many weeks are more than 400 days. */
const maxWeeks = 60;

type Weekly = Extract<FreezeTime, { kind: 'weekly' }>;

/** Its spans from so many weeks before a moment to as many after it, in order; touching ones are joined. */
function spansAround(time: Weekly, at: number, weeks: number): readonly FreezeSpan[] {
  const now = Math.floor((shownAt(time.zone, at) - someMonday) / weekMs);
  const joined: FreezeSpan[] = [];
  for (let week = now - weeks; week <= now + weeks; week += 1)
    for (const span of spansOf(time, week)) {
      const last = joined.at(-1);
      if (last && span.from <= last.until) joined[joined.length - 1] = { from: last.from, until: span.until };
      else joined.push(span);
    }
  return joined;
}

const known = cached<Weekly, Map<number, readonly FreezeSpan[]>>(() => new BoundedMap(4 * maxWeeks + 4));

/** The spans that begin in a week, in order. One that the clock skips whole is left out. */
function spansOf(time: Weekly, week: number): readonly FreezeSpan[] {
  const found = known(time).get(week);
  if (found) return found;
  const monday = someMonday + week * weekMs;
  const made = time.weekly
    .map(({ from, to }) => ({ from: beginningAt(time.zone, monday + from), until: endingAt(time.zone, monday + to) }))
    .filter(({ from, until }) => from < until);
  known(time).set(week, made);
  return made;
}
