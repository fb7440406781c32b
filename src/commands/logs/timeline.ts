import { code, joined, say, time, type Text } from '../../text.ts';
import { counted, type Part } from '../kit/page.ts';
import type { Happened } from '../kit/log-query.ts';
import { arrowsFor, barsOf, type Stretch } from './histogram.ts';
import { cut, type First } from './section.ts';

/** How long before something a change is told beside it. */
const near = 30 * 60_000;
const mostChanges = 5;
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
  readonly as: 'time' | 'date';
};

/** Volume over time, and the bot's own changes on the same line. */
export function timelineOf({ times, stretch, busiest, happened, firsts, as }: Timeline): readonly Part[] {
  const bars = barsOf(times, stretch);
  const arrows = arrowsFor(
    happened.map(({ at }) => at),
    stretch,
  );
  const changes = happened.slice(-mostChanges).map((one) => changeOf(one, stretch, firsts, as));
  const left = happened.length - changes.length;
  const busy = say`Most at ${time(busiest.at, as)}: ${counted(busiest.count, 'line')} in that minute.`;
  const older = left > 0 ? say`${counted(left, 'older change')} as well.` : undefined;
  return [
    { kind: 'code', text: arrows === '' ? bars : `${bars}\n${arrows}` },
    { kind: 'text', text: joined([busy, ...changes, older], '\n') },
  ];
}

function changeOf(
  { at, number, says }: Happened,
  { from }: Stretch,
  firsts: readonly First[],
  as: 'time' | 'date',
): Text {
  // What was there before the first line is not known: a change before it comes before the first of nothing.
  const next = at < from ? undefined : firsts.find((first) => first.at >= at && first.at - at <= near);
  const before = next && say`, ${apart(next.at - at)} before the first “${next.says}”`;
  return say`↑ ${time(at, as)} ${cut(says, 160)} (${code(`#${number}`)})${before}`;
}

function apart(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
