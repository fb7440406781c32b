import { code, joined, say, time, type Text } from '../../text.ts';
import { counted, type Part } from '../kit/page.ts';
import type { Happened } from '../kit/log-query.ts';
import { arrowsFor, barsOf, type Stretch } from './histogram.ts';
import { cut, type First } from './section.ts';

/** How long before something a change is told beside it. */
const near = 30 * 60_000;
const maxChanges = 5;
const minute = 60_000;

/** Changes before the first line that are laid over the time line all the same. */
export const ledUp = 15 * minute;

type Timeline = {
  readonly times: readonly number[];
  readonly stretch: Stretch;
  readonly busiest: { readonly at: number; readonly count: number };
  /** What was sent for the environment, oldest first. */
  readonly happened: readonly Happened[];
  readonly firsts: readonly First[];
  /** Whether there is no older line: else the first that was read need not be the first there was. */
  readonly isWhole: boolean;
  readonly as: 'time' | 'date';
};

/** Volume over time, and the bot's own changes on the same line. */
export function timelineOf(timeline: Timeline): readonly Part[] {
  const { stretch, busiest, happened, isWhole, as } = timeline;
  const bars = barsOf(timeline.times, stretch);
  // Where all lines are of one moment, there is nothing that an arrow could stand before or after.
  const times = stretch.to > stretch.from ? happened.map(({ at }) => at) : [];
  const arrows = arrowsFor(times, stretch);
  const shown = happened.slice(-maxChanges).map((one) => ({ one, next: nextAfter(one, timeline) }));
  const changes = shown.map(({ one, next }) => changeOf(one, next, timeline));
  const left = happened.length - changes.length;
  const unread =
    !isWhole && shown.some(({ next }) => next !== undefined)
      ? say`Lines from before ${time(stretch.from, as)} are not in here: what is the first since then may have come before.`
      : undefined;
  const busy = say`Most at ${time(busiest.at, as)}: ${counted(busiest.count, 'line')} in that minute.`;
  const head =
    changes.length === 0
      ? undefined
      : arrows === ''
        ? 'Changes of mine around it:'
        : 'Changes of mine (↑ below the bars):';
  const older = left > 0 ? say`• ${counted(left, 'older change')} as well.` : undefined;
  return [
    { kind: 'code', text: arrows === '' ? bars : `${bars}\n${arrows}` },
    { kind: 'text', text: joined([busy, head, ...changes, older, unread], '\n') },
  ];
}

/** What came first after a change. What was there before the first line is not known: nothing is the first after an older change. */
function nextAfter({ at }: Happened, { stretch: { from }, firsts }: Timeline): First | undefined {
  return secondOf(at) > secondOf(from) ? firsts.find((first) => first.at >= at && first.at - at <= near) : undefined;
}

/** Times in logs are whole seconds. */
const secondOf = (at: number): number => Math.floor(at / 1_000);

function changeOf({ at, number, says }: Happened, next: First | undefined, { stretch, isWhole, as }: Timeline): Text {
  const since = isWhole ? '' : say` since ${time(stretch.from, as)}`;
  const before = next && say`, ${apart(next.at - at)} before the first “${next.says}”${since}`;
  return say`• ${time(at, as)} ${cut(says, 160)} (${code(`#${number}`)})${before}`;
}

function apart(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
