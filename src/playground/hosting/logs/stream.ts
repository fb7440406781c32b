import { randomFrom } from '../random.ts';
import type { Environment, LogKind, LogLine } from '../resources.ts';
import { accessEntry } from './access.ts';
import { cacheEntry } from './cache.ts';
import { errorEntry } from './error.ts';
import type { EntryContext } from './entry-context.ts';

const minute = 60_000;
const keptMinutes = 3 * 24 * 60;

/** How each log's entries look (one or more lines), and how many a quiet minute of a live environment has. */
const logs: Readonly<
  Record<LogKind, { readonly perMinute: number; readonly entry: (moment: EntryContext) => string[] }>
> = {
  error: { perMinute: 0.8, entry: errorEntry },
  access: { perMinute: 9, entry: accessEntry },
  'service-cache-perf': { perMinute: 7, entry: cacheEntry },
};

/** The wanted part of a log: the newest `lines` that contain `search`, between two times (epoch milliseconds). */
export type LogRange = {
  readonly lines: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly search?: string | undefined;
  readonly now: number;
};

/**
 * A part of a log as text, oldest line first, each line ended. Nothing is stored: each minute of the last three days is
 * generated from its seed on request, newest first, until there is enough.
 */
export function logText(environment: Environment, kind: LogKind, seed: string, range: LogRange): string {
  const { lines, search = '', now } = range;
  const newest = Math.min(range.to ?? now, now);
  const oldest = Math.max(range.from ?? 0, now - keptMinutes * minute);
  const written = Map.groupBy(
    environment.written.filter((line) => line.kind === kind),
    (line) => Math.floor(line.at / minute),
  );
  const taken: string[] = [];
  for (let at = Math.floor(newest / minute); at >= Math.floor(oldest / minute) && taken.length < lines; at -= 1) {
    const there = [...linesOfMinute(environment, kind, seed, at), ...(written.get(at) ?? [])]
      .filter((line) => line.at >= oldest && line.at <= newest && line.text.includes(search))
      .toSorted((one, other) => one.at - other.at);
    taken.push(...there.toReversed().map((line) => line.text));
  }
  return taken
    .slice(0, lines)
    .toReversed()
    .map((line) => `${line}\n`)
    .join('');
}

function linesOfMinute({ id, name, hostname }: Environment, kind: LogKind, seed: string, at: number): LogLine[] {
  const random = randomFrom(`${seed} ${id} ${kind} ${at}`);
  const incident = name === 'live' && isIncident(`${seed} ${id}`, at);
  const { perMinute, entry } = logs[kind];
  const expected = perMinute * (name === 'live' ? 1 : 0.1) * (incident && kind === 'error' ? 15 : 1);
  const count = Math.floor(2 * expected * random.next() + random.next());
  const times = Array.from({ length: count }, () => at * minute + random.integer(0, 59) * 1_000).toSorted(
    (a, b) => a - b,
  );
  return times.flatMap((time) => entry({ hostname, at: time, incident, random }).map((text) => ({ at: time, text })));
}

/** In about half of all five-hour periods, something goes wrong for ten minutes. */
function isIncident(seed: string, at: number): boolean {
  const stretch = 5 * 60;
  const random = randomFrom(`${seed} incident ${Math.floor(at / stretch)}`);
  const begins = random.integer(0, stretch - 10);
  const into = at % stretch;
  return random.chance(0.55) && into >= begins && into < begins + 10;
}
