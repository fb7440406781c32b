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
