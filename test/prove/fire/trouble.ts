import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../../src/playground/hosting/random.ts';
import type { Fleet } from './replicas.ts';

/** What has been done to the replicas and to PostgreSQL. */
export type TroubleCounts = { killed: number; restarted: number; crashed: number };

export type Trouble = {
  readonly counts: Readonly<TroubleCounts>;
  /** Ends it; resolves when PostgreSQL is back. */
  readonly end: () => Promise<void>;
};

type TroubleOptions = {
  readonly fleet: Fleet;
  readonly restart: (signal: 'INT' | 'QUIT') => Promise<void>;
  readonly random: Random;
  /** The longest time between two deaths and between two restarts, in ms. */
  readonly killEveryMs: number;
  readonly restartEveryMs: number;
  /** How many changes are settled. A slow machine must make progress between two kills or restarts. */
  readonly settled: () => Promise<number>;
  /** Called with the process id of each dead replica. */
  readonly onDeath: (pid: number) => Promise<void>;
};

/** The least number of changes settled between two kills or two restarts. */
const minSettled = 5;
/** How many replicas are ready whenever PostgreSQL ends: a start that it ends begins again. */
const minReady = 2;

/** Kills replicas and restarts PostgreSQL, at random, until it is ended. */
export function startTrouble(options: TroubleOptions): Trouble {
  const { fleet, restart, random, settled, onDeath } = options;
  const counts: TroubleCounts = { killed: 0, restarted: 0, crashed: 0 };
  const over = new AbortController();
  const repeat = async (everyMs: number, trouble: () => Promise<void>): Promise<void> => {
    for (let before = 0; ;) {
      await wait(random.integer(everyMs / 3, everyMs), undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      const now = await settled();
      if (now - before < minSettled) continue;
      before = now;
      await trouble();
    }
  };
  const kill = async (): Promise<void> => {
    const pid = await fleet.killOne(random);
    if (pid === undefined) return;
    counts.killed += 1;
    await onDeath(pid);
  };
  const restarts = async (): Promise<void> => {
    if (fleet.ready() < minReady) return;
    const isCrash = random.chance(0.5);
    await restart(isCrash ? 'QUIT' : 'INT');
    counts[isCrash ? 'crashed' : 'restarted'] += 1;
  };
  const all = [repeat(options.killEveryMs, kill), repeat(options.restartEveryMs, restarts)];
  return {
    counts,
    end: async () => {
      over.abort();
      await Promise.all(all);
    },
  };
}
