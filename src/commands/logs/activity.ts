import { minuteMs } from '../../duration.ts';
import { code, say, time, type Text } from '../../text.ts';
import { counted, type PagePart, paragraph } from '../kit/page.ts';
import type { SentChange } from '../kit/log-query.ts';
import { arrowsFor, barsOf, type Stretch } from './histogram.ts';
import { cutTo, type First } from './section.ts';

/** A change is linked to a problem that first occurs within this time after it. */
const near = 30 * minuteMs;
const maxChanges = 5;

/** Changes up to this long before the first line are shown too. */
export const ledUp = 15 * minuteMs;

type Activity = {
  readonly times: readonly number[];
  readonly stretch: Stretch;
  readonly busiest: { readonly at: number; readonly count: number };
  /** Changes sent for the environment, oldest first. */
  readonly happened: readonly SentChange[];
  readonly firsts: readonly First[];
  /** Whether there are no older lines; otherwise the first one read may not be the first one written. */
  readonly isWhole: boolean;
  readonly as: 'time' | 'date';
};

/** Volume over time, with Sitehand's own changes marked. */
export function activityOf(activity: Activity): readonly PagePart[] {
  const { stretch, busiest, happened, isWhole, as } = activity;
  const bars = barsOf(activity.times, stretch);
  // If all lines are from one moment, arrows would say nothing.
  const times = stretch.to > stretch.from ? happened.map(({ at }) => at) : [];
  const arrows = arrowsFor(times, stretch);
  const shown = happened.slice(-maxChanges).map((one) => ({ one, next: nextAfter(one, activity) }));
  const changes = shown.map(({ one, next }) => changeOf(one, next, activity));
  const left = happened.length - changes.length;
  const unread =
    !isWhole && shown.some(({ next }) => next !== undefined)
      ? say`This leaves out lines before ${time(stretch.from, as)}, so a “first” may have occurred earlier.`
      : undefined;
  const busy = say`Busiest ${as === 'time' ? 'at ' : ''}${time(busiest.at, as)}: ${counted(busiest.count, 'line')} in that minute.`;
  const head =
    changes.length === 0
      ? undefined
      : arrows === ''
        ? 'My changes around that time:'
        : 'My changes (↑ below the bars):';
  const older = left > 0 ? say`• and ${counted(left, 'older change')}.` : undefined;
  return [
    { kind: 'code', text: arrows === '' ? bars : `${bars}\n${arrows}` },
    paragraph(busy, head, ...changes, older, unread),
  ];
}

/** The first problem soon after a change; undefined if the change is older than the first line. */
function nextAfter({ at }: SentChange, { stretch: { from }, firsts }: Activity): First | undefined {
  return secondOf(at) > secondOf(from) ? firsts.find((first) => first.at >= at && first.at - at <= near) : undefined;
}

/** Log times are whole seconds. */
const secondOf = (at: number): number => Math.floor(at / 1_000);

function changeOf(
  { at, number, mark, says }: SentChange,
  next: First | undefined,
  { stretch, isWhole, as }: Activity,
): Text {
  const since = isWhole ? '' : say` since ${time(stretch.from, as)}`;
  const before = next && say`, ${apart(next.at - at)} before the first “${next.says}”${since}`;
  return say`${mark} ${time(at, as)} ${cutTo(says, 160)} (${code(`#${number}`)})${before}`;
}

function apart(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
