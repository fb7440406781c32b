import { logText } from '../../src/playground/hosting/logs/stream.ts';
import { seedWorld } from '../../src/playground/hosting/seed/seed.ts';
import { startSitehand } from './start-both.ts';
import { median, quantile, type Figure, type Scale } from './figures.ts';
import { oneOf, type Load } from './load.ts';
import type { Program } from './program.ts';
import type { World } from './world.ts';

/** One person sends far too much: the effect on others, on `pause` and on memory. */

const [ana, ben, chi] = ['U01ANA', 'U02BEN', 'U03CHI'];
/** Saved before its ack, as every change is, and refused after it. */
const others = 'cache clear nosuch-site/live';
const othersPerSecond = 50;
const [reads, writes] = [200, 2_000];
/** As fast as a person with a script. Beyond what a core can handle, only a queue would be measured. */
const writesPerSecond = 200;
const [logs, logMb] = [60, 8];

/** Acks of the others during one person's hanging reads and many writes, and how soon a pause works; then long logs. */
export async function measureFairness(scale: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const figures = await measured(world, (sitehand) => measureUnderLoad(scale, world, load, sitehand));
  return [...figures, ...(await measured(world, (sitehand) => longLogs(world, load, sitehand)))];
}

async function measured(
  world: World,
  work: (sitehand: Program) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const sitehand = await startSitehand(world);
  try {
    return await work(sitehand);
  } finally {
    world.sayInstead(() => undefined);
    await sitehand.stop();
  }
}

async function measureUnderLoad(
  { quick }: Scale,
  world: World,
  load: Load,
  { url }: Program,
): Promise<readonly Figure[]> {
  const seconds = writes / writesPerSecond / (quick ? 2 : 1);
  await load.arrivals(url, others, othersPerSecond, 2, ben);
  const quiet = await load.arrivals(url, others, othersPerSecond, seconds, ben);
  const hung = `/environments/${world.idOf('acme-shop/live')}/logs`;
  world.sayInstead((path) => (path.includes(hung) ? null : undefined));
  // Their last messages are not awaited: requests without a turn are told so, and the rest hangs.
  for (let count = 0; count < reads; count += 1) void load.toLastWord(url, 'logs acme-shop/live error', ana);
  const firing = load.arrivals(url, 'cache clear acme-shop/staging', writesPerSecond, seconds, ana);
  const beside = load.arrivals(url, others, othersPerSecond, seconds, ben);
  await load.arrivals(url, others, othersPerSecond, seconds / 2, ben);
  const began = performance.now();
  const paused = await load.toLastWord(url, 'pause one person asks for everything', chi);
  const [acks] = await Promise.all([beside, firing]);
  const obeyed = Math.max(paused, world.lastWriteAt() - began);
  const at99 = (of: readonly number[]): number => quantile(of, 0.99);
  return [
    {
      what: `others’ acks while one person has ${reads} reads hanging and asks for ${writes} writes, p99: more than when it is quiet`,
      measured: at99(acks) - at99(quiet),
      unit: 'ms',
      limit: 100,
      raw: { quiet: at99(quiet), fire: at99(acks), 'quiet, median': median(quiet), 'fire, median': median(acks) },
    },
    {
      what: 'pause beside that: until it is said, and the last write has been sent',
      measured: obeyed,
      unit: 'ms',
      limit: 1_000,
      raw: { said: paused, 'last write': world.lastWriteAt() - began, writes: world.counts().writes },
    },
  ];
}

async function longLogs(world: World, load: Load, { url, residentMb, peakMb }: Program): Promise<readonly Figure[]> {
  const body = JSON.stringify({ environment: { container_info: { logs: longLog() } } });
  world.sayInstead((path) => (path.includes('/logs') ? body : undefined));
  const before = residentMb();
  const line = 'logs acme-shop/live access';
  const logReports = Array.from({ length: logs }, (_, at) => load.toLastWord(url, line, oneOf(at)));
  await Promise.all(logReports);
  return [
    {
      what: `memory at its most, ${logs} logs of ${logMb} MB asked for at once`,
      measured: peakMb(),
      unit: 'MB',
      limit: 400,
      raw: { before, after: residentMb() },
    },
  ];
}

/** This many megabytes of the stand-in's access log. */
function longLog(): string {
  const now = Date.UTC(2026, 10, 21, 14, 5);
  const own = seedWorld('bench', now)
    .sites.flatMap(({ environments }) => environments)
    .find(({ name }) => name === 'live');
  const some = own === undefined ? '' : logText(own, 'access', 'bench', { lines: 20_000, now });
  if (some === '') throw new Error('the stand-in wrote no log');
  return some.repeat(Math.ceil((logMb * 1e6) / some.length)).slice(0, logMb * 1e6);
}
