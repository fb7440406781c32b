import { setImmediate } from 'node:timers/promises';
import { amount, bold, code, inline, joined, say, type Text } from '../../words/text.ts';
import { cutTo, type First, type Section, eachChunk } from './section.ts';
import type { LineWithRequest } from './lines.ts';
import { pathCounter, pathOfCount, ranked, type PathCount, mostFrequent, byCount } from './requests.ts';

/** What a page of a log of requests shows: what failed, was slow or busy, and what the cache missed. */

const maxPaths = 5;
const maxVisitors = 5;
const pathCharacters = 120;

/** An access log: status classes, failing and slow paths, and the busiest visitors. */
export async function accessSection(lines: readonly LineWithRequest[]): Promise<Section> {
  const visitors = new Map<string, number>();
  const statuses = new Map<number, { count: number; readonly at: number | undefined }>();
  const [paths, failing] = [pathCounter(), pathCounter()];
  let unread = 0;
  const count = ({ line, request }: LineWithRequest): void => {
    if (request === undefined) {
      unread += 1;
      return;
    }
    const { visitor, status } = request;
    if (visitor !== undefined) visitors.set(visitor, (visitors.get(visitor) ?? 0) + 1);
    const known = statuses.get(status);
    if (known) known.count += 1;
    else statuses.set(status, { count: 1, at: line.at });
    paths.add(request);
    if (status >= 400) failing.add(request);
  };
  await eachChunk(lines, (chunk) => chunk.forEach(count));
  await setImmediate();
  const broken = [...statuses].filter(([status]) => status >= 500);
  const firsts = ranked(
    broken,
    ([, { count: times }]) => times,
    ([status]) => String(status),
  ).flatMap(([status, { at }]): First[] => (at === undefined ? [] : [{ says: String(status), at }]));
  const parts = [
    classesOf(statuses, unread),
    underHeading('Failing most', failingMost(failing.counts())),
    underHeading('Slowest', slowest(paths.counts())),
    busiest(visitors),
  ];
  return { parts, firsts };
}

function classesOf(statuses: ReadonlyMap<number, { readonly count: number }>, unread: number): Text {
  const classes = new Map<string, number>();
  for (const [status, { count }] of statuses) {
    const name = `${Math.floor(status / 100)}xx`;
    classes.set(name, (classes.get(name) ?? 0) + count);
  }
  const sorted = [...classes].sort(([one], [other]) => (one < other ? -1 : 1));
  return joined(
    [
      ...sorted.map(([name, count]) => say`${bold(name)} ${amount(count)}`),
      unread === 0 ? undefined : `${amount(unread)} not understood`,
    ],
    ' · ',
  );
}

function failingMost(paths: readonly PathCount[]): readonly Text[] {
  return mostFrequent(paths)
    .slice(0, maxPaths)
    .map(
      ({ path, count, statuses }) => say`${bold(`${amount(count)}×`)} ${shownPath(path)} · ${statusCounts(statuses)}`,
    );
}

function statusCounts(statuses: ReadonlyMap<number, number>): string {
  const [most, ...rest] = byCount(statuses);
  if (most === undefined || rest.length === 0) return String(most?.[0] ?? '');
  return [most, ...rest.slice(0, 3)].map(([status, count]) => `${status} ×${amount(count)}`).join(', ');
}

function slowest(paths: readonly PathCount[]): readonly Text[] {
  const average = ({ seconds }: PathCount): number => seconds.sum / seconds.count;
  const timed = paths.filter(({ seconds }) => seconds.count > 0);
  return ranked(timed, average, pathOfCount)
    .slice(0, maxPaths)
    .map((one) => {
      const { count, most } = one.seconds;
      const of = count === 1 ? 'once' : `on average of ${amount(count)}, ${inSeconds(most)} at most`;
      return say`${bold(inSeconds(average(one)))} ${shownPath(one.path)} · ${of}`;
    });
}

const inSeconds = (seconds: number): string => `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`;

function busiest(visitors: ReadonlyMap<string, number>): Text {
  const shown = byCount(visitors)
    .slice(0, maxVisitors)
    .map(([visitor, count]) => `${visitor} ${amount(count)}`);
  return shown.length === 0 ? [] : say`**Busiest visitors** ${shown.join(', ')}, of ${amount(visitors.size)}`;
}

/** A path, shortened and in code style. */
const shownPath = (path: string): Text => inline(code(cutTo(path, pathCharacters)));

/** Lines under a heading; empty without lines. */
const underHeading = (heading: string, lines: readonly Text[]): Text =>
  lines.length === 0 ? [] : joined([bold(heading), ...lines], '\n');

const maxMissedPaths = 8;
const verdict = /\b(?:HIT|MISS|BYPASS|EXPIRED|STALE|UPDATING|REVALIDATED)\b/;

/** A cache log: the hit ratio, and the paths that were missed most. */
export async function cacheSection(lines: readonly LineWithRequest[]): Promise<Section> {
  const verdicts = new Map<string, number>([
    ['HIT', 0],
    ['MISS', 0],
    ['BYPASS', 0],
  ]);
  const missed = pathCounter();
  let read = 0;
  const count = ({ line, request }: LineWithRequest): void => {
    const found = verdict.exec(request?.beside ?? line.text)?.[0];
    if (found === undefined) return;
    read += 1;
    verdicts.set(found, (verdicts.get(found) ?? 0) + 1);
    if (found === 'MISS' && request) missed.add(request);
  };
  await eachChunk(lines, (chunk) => chunk.forEach(count));
  const paths = mostFrequent(missed.counts())
    .slice(0, maxMissedPaths)
    .map(({ path, count }) => say`${bold(`${amount(count)}×`)} ${shownPath(path)}`);
  return { parts: [ratios(verdicts, read, lines.length - read), underHeading('Missed most', paths)], firsts: [] };
}

function ratios(verdicts: ReadonlyMap<string, number>, read: number, unread: number): Text {
  const shares =
    read === 0
      ? []
      : [...verdicts].map(([name, count]) => say`${bold(name)} ${percent(count, read)} (${amount(count)})`);
  return joined([...shares, unread === 0 ? undefined : `${amount(unread)} neither`], ' · ');
}

/** Rounded, but 0% only for none and 100% only for all. */
function percent(count: number, of: number): string {
  if (count === 0 || count === of) return count === 0 ? '0%' : '100%';
  return `${Math.min(99, Math.max(1, Math.round((100 * count) / of)))}%`;
}
