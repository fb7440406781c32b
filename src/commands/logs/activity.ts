import { minuteMs } from '../../words/duration.ts';
import { code, joined, say, time, type Text } from '../../words/text.ts';
import { counted, type PagePart, paragraph } from '../kit/page.ts';
import type { SentChange } from '../kit/log-query.ts';
import { cutTo, type First } from './section.ts';

/** When a log's lines were written, as bars over time, beside our own changes. */

const columns = 24;
const heights = '▂▃▄▅▆▇█';
const none = '▁';

/** The span of time that is drawn, in epoch milliseconds. */
export type Stretch = { readonly from: number; readonly to: number };

/** The column of a time; undefined outside the stretch. */
function columnOf(at: number, { from, to }: Stretch): number | undefined {
  if (at < from || at > to) return undefined;
  return to === from ? 0 : Math.min(columns - 1, Math.floor(((at - from) / (to - from)) * columns));
}

/** Volume over time as text bars; the lowest bar always means zero. */
export function barsOf(times: Iterable<number>, stretch: Stretch): string {
  const counts = Array.from({ length: columns }, () => 0);
  for (const at of times) {
    const column = columnOf(at, stretch);
    if (column !== undefined) counts[column] = (counts[column] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return counts.map((count) => (count === 0 ? none : heights[Math.ceil((count / most) * heights.length) - 1])).join('');
}

/** A line below the bars with an arrow under the column of each moment; empty if there are none. */
export function arrowsFor(times: readonly number[], stretch: Stretch): string {
  const marked = new Set(times.map((at) => columnOf(at, stretch)));
  return Array.from({ length: columns }, (_, column) => (marked.has(column) ? '↑' : ' '))
    .join('')
    .trimEnd();
}

/** The busiest minute (its start, epoch ms) and its count; the earliest of equal ones; undefined without times. */
export function busiestMinute(times: Iterable<number>): { readonly at: number; readonly count: number } | undefined {
  const minutes = new Map<number, number>();
  for (const at of times) {
    const minute = Math.floor(at / 60_000);
    minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
  }
  let busiest: { at: number; count: number } | undefined;
  for (const [minute, count] of minutes) {
    const at = minute * 60_000;
    if (busiest === undefined || count > busiest.count || (count === busiest.count && at < busiest.at))
      busiest = { at, count };
  }
  return busiest;
}

/** A problem is linked to a change if it first occurs within this time after it. */
const near = 30 * minuteMs;
/** More of them would hide the errors on a phone. */
const maxChanges = 3;
const titleCharacters = 60;

/** Changes up to this long before the first line are shown too. */
export const ledUp = 15 * minuteMs;

type Activity = {
  readonly times: readonly number[];
  readonly stretch: Stretch;
  readonly busiest: { readonly at: number; readonly count: number };
  /** Changes sent for the environment, oldest first. */
  readonly happened: readonly SentChange[];
  readonly firsts: readonly First[];
  /** Lines that are not among these, so that the first one read may not be the first one written. */
  readonly leavesOut: 'older lines' | 'some lines' | undefined;
  readonly as: 'time' | 'date';
};

/** Volume over time, with arrows for Sitehand's own changes, and those changes, which follow what was logged. */
export function activityOf(activity: Activity): { readonly volume: readonly PagePart[]; readonly changes: Text } {
  const { stretch, busiest, happened, as } = activity;
  const bars = barsOf(activity.times, stretch);
  // If all lines have the same time, arrows would say nothing.
  const times = stretch.to > stretch.from ? happened.map(({ at }) => at) : [];
  const arrows = arrowsFor(times, stretch);
  const busy = say`Busiest ${as === 'time' ? 'at ' : ''}${time(busiest.at, as)}: ${counted(busiest.count, 'line')} in that minute.`;
  return {
    volume: [{ kind: 'code', text: arrows === '' ? bars : `${bars}\n${arrows}` }, paragraph(busy)],
    changes: changesIn(activity, arrows !== ''),
  };
}

function changesIn(activity: Activity, hasArrows: boolean): Text {
  const { stretch, happened, leavesOut, as } = activity;
  if (happened.length === 0) return [];
  const all = happened.map((one) => ({ one, next: nextAfter(one, activity) }));
  // Those that a problem followed come first, then the newest.
  const shown = all
    .toReversed()
    .toSorted((one, other) => Number(other.next !== undefined) - Number(one.next !== undefined))
    .slice(0, maxChanges)
    .toSorted((one, other) => one.one.at - other.one.at);
  const left = all.length - shown.length;
  const those = leavesOut === 'older lines' ? say`lines before ${time(stretch.from, as)}` : leavesOut;
  const unread =
    those !== undefined && shown.some(({ next }) => next !== undefined)
      ? say`This leaves out ${those}, so a “first” may have occurred earlier.`
      : undefined;
  return joined(
    [
      hasArrows ? 'Changes made with Sitehand (↑ if under the bars):' : 'Changes made with Sitehand around that time:',
      ...shown.map(({ one, next }) => changeOf(one, next, activity)),
      left > 0 ? say`• and ${counted(left, 'other change')}.` : undefined,
      unread,
    ],
    '\n',
  );
}

/**
 * The worst problem that first occurred soon after this change and before the next one, so that each is named once;
 * undefined if the change is older than the first line.
 */
function nextAfter({ at }: SentChange, { stretch: { from }, firsts, happened }: Activity): First | undefined {
  if (secondOf(at) <= secondOf(from)) return undefined;
  const until = Math.min(at + near, ...happened.flatMap((other) => (other.at > at ? other.at - 1 : [])));
  return firsts.find((first) => first.at >= at && first.at <= until);
}

/** Log times are whole seconds. */
const secondOf = (at: number): number => Math.floor(at / 1_000);

function changeOf({ at, number, mark, says }: SentChange, next: First | undefined, { as }: Activity): Text {
  const before = next && say`, ${apart(next.at - at)} before the first “${next.says}”`;
  return say`${mark} ${time(at, as)} ${cutTo(says, titleCharacters)} (${code(`#${number}`)})${before}`;
}

function apart(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
