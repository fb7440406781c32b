import { amount, bold, joined, say, type Text } from '../../words/text.ts';
import { underHeading, shownPath } from './access.ts';
import { type Section, eachChunk } from './section.ts';
import type { LineWithRequest } from './lines.ts';
import { pathCounter, mostFrequent } from './requests.ts';

const maxPaths = 8;
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
    .slice(0, maxPaths)
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
