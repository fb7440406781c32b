import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../../src/playground/hosting/random.ts';
import type { Bot } from '../../stories/bot.ts';
import type { Scenario } from '../../stories/scenario.ts';

/** Replicas that a supervisor starts again whenever they end. */
export type Fleet = {
  /** Kills a replica at random if all are ready; resolves with its process id once it is gone, else with undefined. */
  readonly killOne: (random: Random) => Promise<number | undefined>;
  /** How many are ready. */
  readonly ready: () => number;
  /** How replicas ended that were not killed: `exit code 1`. */
  readonly ownEnds: () => readonly string[];
  /** Resolves when all are ready. */
  readonly allReady: () => Promise<void>;
  /** Starts none again. */
  readonly close: () => void;
};

const againMs = 500;

/** Starts this many replicas; resolves when the first is ready. */
export async function startFleet({ start }: Pick<Scenario, 'start'>, replicas: number): Promise<Fleet> {
  const up = new Set<Bot>();
  const killed = new Set<Bot>();
  const ownEnds: string[] = [];
  const over = new AbortController();
  const first = Promise.withResolvers<void>();

  const keepOne = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const bot = await start({}, 'ready').catch(() => undefined);
      if (bot === undefined) {
        // PostgreSQL may just be away.
        await wait(againMs);
        continue;
      }
      up.add(bot);
      first.resolve();
      const { code, signal } = await bot.ended;
      up.delete(bot);
      if (!killed.has(bot) && !over.signal.aborted) ownEnds.push(signal ?? `exit code ${code}`);
    }
  };
  for (let nth = 0; nth < replicas; nth += 1) void keepOne();
  await first.promise;
  return {
    killOne: async (random) => {
      const all = [...up].filter((bot) => !killed.has(bot));
      // On a busy machine a start takes long, and one replica at least should get somewhere.
      if (all.length < replicas) return undefined;
      const bot = random.pick(all);
      killed.add(bot);
      await bot.end('SIGKILL');
      return bot.pid();
    },
    ready: () => up.size,
    ownEnds: () => ownEnds,
    allReady: async () => {
      while (up.size < replicas) await wait(againMs);
    },
    close: () => over.abort(),
  };
}
