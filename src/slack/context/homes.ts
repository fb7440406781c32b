import { BoundedMap } from '../../base/caches.ts';
import { shareOf } from '../../base/semaphore.ts';
import { hourMs } from '../../words/duration.ts';

/** The App Homes opened lately, and which of them are outdated. */
export type Homes = {
  readonly opened: (id: string) => void;
  /** A home was drawn and shows these changes. The drawing counts towards Slack's rate limit. */
  readonly drew: (id: string, shows: Iterable<number>) => void;
  /** A home could not be drawn. */
  readonly failed: (id: string) => void;
  /** A change is new or has moved. */
  readonly moved: (change: number) => void;
  /** The rules, or who is in a user group, have changed: every home may show too much or too little. */
  readonly outdated: () => void;
  /** The people whose homes to draw now, most recent openers first. Each person is returned once. */
  readonly take: () => readonly string[];
};

type Home = {
  readonly openedAt: number;
  drawnAt: number;
  shows: ReadonlySet<number>;
  isStale: boolean;
  failures: number;
};

/** Slack allows a hundred views a minute, and forms have priority. */
const perMinute = 40;
/** The least time between two drawings of one home. */
const usualEveryMs = 10_000;
const maxAtOnce = 10;
const maxPeople = 200;
const openForMs = hourMs;
const maxFailures = 3;

type HomesOptions = {
  /** The least time between two drawings of one home, if not the usual one. */
  readonly everyMs?: number | undefined;
  /** Monotonic milliseconds. */
  readonly ticks: () => number;
  /** How many processes share Slack's rates. */
  readonly replicas: () => number;
};

/** Starts empty. Draws each home at most once in `everyMs`. */
export function createHomes({ everyMs = usualEveryMs, ticks, replicas }: HomesOptions): Homes {
  // In the order they were opened.
  const homes = new BoundedMap<string, Home>(maxPeople);
  const drawings: number[] = [];
  let newest = 0;
  const room = (): number => {
    while (drawings[0] !== undefined && drawings[0] <= ticks() - 60_000) drawings.shift();
    return Math.min(shareOf(perMinute, replicas()) - drawings.length, maxAtOnce);
  };
  return {
    opened: (id) => {
      homes.set(id, { openedAt: ticks(), drawnAt: ticks(), shows: new Set(), isStale: false, failures: 0 });
    },
    drew: (id, shows) => {
      drawings.push(ticks());
      const home = homes.get(id);
      if (home) Object.assign(home, { shows: new Set(shows), drawnAt: ticks(), failures: 0 });
    },
    failed: (id) => {
      const home = homes.get(id);
      if (home === undefined) return;
      Object.assign(home, { isStale: true, drawnAt: ticks(), failures: home.failures + 1 });
      if (home.failures >= maxFailures) homes.delete(id);
    },
    moved: (change) => {
      for (const home of homes.values()) home.isStale ||= change > newest || home.shows.has(change);
      newest = Math.max(newest, change);
    },
    outdated: () => {
      for (const home of homes.values()) home.isStale = true;
    },
    take: () => {
      const now = ticks();
      for (const [id, { openedAt }] of homes) if (now - openedAt > openForMs) homes.delete(id);
      const due = [...homes].filter(([, home]) => home.isStale && now - home.drawnAt >= everyMs);
      const taken = due.toReversed().slice(0, Math.max(0, room()));
      for (const [, home] of taken) Object.assign(home, { isStale: false, drawnAt: now });
      return taken.map(([id]) => id);
    },
  };
}
