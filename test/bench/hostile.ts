import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { siteNames } from '../../src/playground/hosting/seed/ids.ts';
import { burst } from '../burst.ts';
import { median, quantile, spreadOf, type Figure, type Scale } from './figures.ts';
import { oneOf, type Load } from './load.ts';
import type { Program } from './program.ts';
import { startSitehand } from './start-both.ts';
import type { World } from './world.ts';

/** What strangers and hostile peers cost everybody else: sites that answer without end, and bursts without a key. */

/** Saved before its ack, as every change is, and refused after it. */
const others = 'cache clear nosuch-site/live';
const [ben, perSecond] = ['U02BEN', 50];
const sites = siteNames.slice(0, 4);
/** Eight sites, which people look at again every second. */
const hostile = sites.flatMap((site) => [`check ${site}/live`, `check ${site}/staging`]);

/** Node takes half of a container's memory for its heap: this is what it takes of 512 MiB. */
const heapMb = 256;
const [connections, bursts] = [800, 3];

export async function measureHostile(scale: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  return [await besideHostileSites(scale, world, load), ...(await afterBursts(scale, world, load))];
}

async function besideHostileSites({ quick }: Scale, world: World, load: Load): Promise<Figure> {
  const site = new Worker(new URL('hostile-site.ts', import.meta.url));
  const [port] = (await once(site, 'message')) as readonly unknown[];
  const environment = { ...world.environment, CHECK_CONNECT_TO: `127.0.0.1:${String(port)}` };
  const program = await startSitehand({ ...world, environment });
  const seconds = quick ? 2 : 5;
  const rounds = { quiet: [] as number[], hostile: [] as number[] };
  const acks = async (): Promise<number> =>
    quantile(await load.arrivals(program.url, others, perSecond, seconds, ben), 0.99);
  try {
    await acks();
    const count = quick ? 3 : 5;
    // First all quiet rounds: a site that is looked at is read three times within sixteen seconds.
    for (let round = 0; round < count; round += 1) rounds.quiet.push(await acks());
    for (let round = 0; round < count; round += 1) {
      const looking = lookAgain(program, load, seconds);
      rounds.hostile.push(await acks());
      await looking;
    }
  } finally {
    await Promise.all([program.stop(), site.terminate()]);
  }
  return {
    what: `others’ acks beside ${hostile.length} sites that answer with 103 without end, p99: to the same when it is quiet`,
    measured: median(rounds.hostile) / median(rounds.quiet),
    unit: '×',
    limit: 3,
    spread: spreadOf(rounds.hostile.map((ms, round) => ms / (rounds.quiet[round] ?? Number.NaN))),
    raw: rounds,
  };
}

async function lookAgain({ url }: Program, load: Load, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    // The last words of a check come after its three readings.
    hostile.forEach((line, at) => void load.toLastWord(url, line, oneOf(at)).catch(() => undefined));
    await wait(1_000);
  }
}

/** The same load with and without bursts, each on a bot with the heap of a small container. Rejects if one ends. */
async function afterBursts({ quick }: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const seconds = quick ? 1 : 3;
  const run = async (isBurst: boolean): Promise<{ readonly peakMb: number; readonly ms: number }> => {
    const program = await startSitehand(world, { heapMb });
    try {
      const acks: number[] = [];
      for (let round = 0; round < bursts; round += 1) {
        if (isBurst) await burst(Number(new URL(program.url).port), { connections, path: '/readyz' });
        acks.push(...(await load.arrivals(program.url, others, perSecond, seconds, ben)));
      }
      return { peakMb: program.peakMb(), ms: quantile(acks, 0.99) };
    } finally {
      await program.stop();
    }
  };
  const [without, during] = [await run(false), await run(true)];
  const what = `after ${bursts} bursts of ${connections} connections with 64 KB of requests, a heap of ${heapMb} MB`;
  return [
    {
      what: `memory at its most ${what}: to the same load without`,
      measured: during.peakMb / without.peakMb,
      unit: '×',
      limit: 1.5,
      raw: { without: without.peakMb, bursts: during.peakMb },
    },
    {
      what: `acks ${what}, p99: to the same load without`,
      measured: during.ms / without.ms,
      unit: '×',
      limit: undefined,
      raw: { without: without.ms, bursts: during.ms },
    },
  ];
}
