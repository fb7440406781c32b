import type { LogPeak, LogPeaks, PeakQuery, NewKind, NewKinds, NewKindsQuery } from '../kit/log-query.ts';
import { logEntriesOf, isError, selectLines, placesIn } from './entries.ts';
import { kindsOf, withoutFolders, matchesCut, type MessageKind } from './groups.ts';
import { type Line, newestOf, readLines } from './lines.ts';
import { cutTo } from './section.ts';
import { createHash } from 'node:crypto';
import { dayMs } from '../../words/duration.ts';

/** What time lines, watches and digests ask of a log: its peaks, and its new kinds of errors. */

/** Errors are counted in steps of this length. */
const stepMs = 600_000;
const maxPeaks = 5;
/** A step with fewer errors is not a peak. */
const fewest = 5;
/** A peak has at least this many times the errors of the median step. */
const factor = 3;
const peakCharacters = 140;
/** A minute belongs to a peak if it has at least a quarter of the errors of the busiest minute. */
const fairPart = 4;

/** The times when an error log had far more errors than usual. Lines are masked as everywhere. */
export async function peaksIn(query: PeakQuery, alias: (address: string) => string): Promise<LogPeaks> {
  const { text, wanted, span, now } = query;
  const raw = newestOf(text, wanted);
  const all = await readLines(raw, { alias, now });
  const { lines, oldest, isCut, timeless, newestIfUtc } = selectLines(all, raw, {
    span,
    isFull: all.length === wanted,
  });
  const errors = logEntriesOf(lines).filter(isError);
  const timed = errors.map(({ head }) => head).filter((line): line is Timed => line.at !== undefined);
  const readFrom = isCut ? oldest : undefined;
  const from = Math.max(span.from, readFrom ?? span.from);
  return {
    errors: errors.length,
    lines: lines.length,
    timeless,
    readFrom,
    newestIfUtc,
    peaks: peaksOf(timed, from, now),
  };
}

type Timed = Line & { readonly at: number };
type Stretch = { from: number; to: number; count: number };

function peaksOf(errors: readonly Timed[], from: number, now: number): readonly LogPeak[] {
  const counts = new Map<number, number>();
  for (const { at } of errors) counts.set(stepOf(at), (counts.get(stepOf(at)) ?? 0) + 1);
  const least = Math.max(fewest, factor * medianOf([...counts.values()], stepOf(now) - stepOf(from) + 1));
  const stretches: Stretch[] = [];
  for (const [step, count] of [...counts].toSorted(([one], [other]) => one - other)) {
    if (count < least) continue;
    const last = stretches.at(-1);
    const [begins, ends] = [step * stepMs, (step + 1) * stepMs];
    if (last?.to === begins) Object.assign(last, { to: ends, count: last.count + count });
    else stretches.push({ from: begins, to: ends, count });
  }
  return stretches
    .toSorted((one, other) => other.count - one.count)
    .slice(0, maxPeaks)
    .toSorted((one, other) => one.from - other.from)
    .map((stretch) => peakIn(errors.filter(({ at }) => at >= stretch.from && at < stretch.to)));
}

const stepOf = (at: number): number => Math.floor(at / stepMs);

/** The median of these counts, with a zero for each of the other steps. */
function medianOf(counts: readonly number[], steps: number): number {
  const middle = Math.floor(steps / 2);
  const zeros = Math.max(0, steps - counts.length);
  return middle < zeros ? 0 : (counts.toSorted((one, other) => one - other)[middle - zeros] ?? 0);
}

/**
 * The peak among these errors, of which there is at least one. It begins and ends with minutes that have a fair part of
 * the busiest minute's errors: a single early error would make the peak look older than its cause.
 */
function peakIn(errors: readonly Timed[]): LogPeak {
  const minuteOf = ({ at }: Timed): number => Math.floor(at / 60_000);
  const minutes = Map.groupBy(errors, minuteOf);
  const busiest = Math.max(...[...minutes.values()].map(({ length }) => length));
  const busy = [...minutes].filter(([, { length }]) => length * fairPart >= busiest).map(([minute]) => minute);
  const [first, last] = [Math.min(...busy), Math.max(...busy)];
  const inside = errors.filter((line) => minuteOf(line) >= first && minuteOf(line) <= last);
  const times = inside.map(({ at }) => at);
  const [loudest] = kindsOf(inside);
  return {
    from: times.reduce((one, other) => Math.min(one, other)),
    to: times.reduce((one, other) => Math.max(one, other)),
    count: inside.length,
    says: cutTo(withoutFolders(loudest?.text ?? ''), peakCharacters),
  };
}

/** How many kinds are returned. Nobody reads more kinds of errors than that. */
const maxKinds = 200;
const kindCharacters = 200;

/**
 * The kinds of errors that began after `since`: there is no entry in the 24 hours before the first one, by the times of
 * the lines. A line whose place is unknown counts as old as the first time.
 */
export async function findNewKinds(query: NewKindsQuery, alias: (address: string) => string): Promise<NewKinds> {
  const { text, wanted, since, match, now } = query;
  const raw = newestOf(text, wanted);
  const lines = await readLines(raw, { alias, now });
  const { oldest: reaches, places } = placesIn(lines, { from: since });
  const isZoneless = lines.some(({ stamp }) => stamp === 'zoneless');
  const read = { reaches, lines: lines.length, isCut: lines.length === wanted, isZoneless };
  if (reaches === undefined) return { ...read, kinds: [] };
  const kindsAt = (isBefore: boolean): readonly MessageKind[] => {
    const there = lines.filter((_, index) => (places[index] === 'before') === isBefore);
    return kindsOf(match === undefined ? there : entriesWith(there, match.toLowerCase())).filter(isErrorKind);
  };
  const before = kindsAt(true);
  const known = new Map(before.map((kind) => [kind.text, kind]));
  const cutBefore = before.filter(({ isCut }) => isCut);
  const isKnown = (kind: MessageKind, first: number): boolean => {
    const like = kind.isCut ? before : cutBefore;
    const same = known.get(kind.text) ?? like.find((other) => matchesCut(kind, other));
    return same !== undefined && (same.last ?? reaches) > first - dayMs;
  };
  const kinds: NewKind[] = [];
  for (const kind of kindsAt(false)) {
    const { first = reaches, last = first, count } = kind;
    if (kinds.length === maxKinds) break;
    if (isKnown(kind, first)) continue;
    const says = cutTo(withoutFolders(kind.oldest).trim(), kindCharacters);
    kinds.push({ key: keyOf(kind), count, says, first, last, reaches });
  }
  return { ...read, kinds };
}

const isErrorKind = ({ level }: MessageKind): boolean => level === 'error';

/** The lines of entries with these words in any of them. Only text that may be shown is searched. */
const entriesWith = (lines: readonly Line[], words: string): readonly Line[] =>
  logEntriesOf(lines)
    .filter((entry) => entry.lines.some(({ text }) => text.toLowerCase().includes(words)))
    .flatMap((entry) => entry.lines);

const keyOf = ({ text }: MessageKind): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
