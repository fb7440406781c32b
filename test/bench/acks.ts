import { startBoth } from './start-both.ts';
import { median, quantile, spreadOf, type Figure, type Scale } from './figures.ts';
import type { Load } from './load.ts';
import type { World } from './world.ts';

/** A change of an unknown environment: saved before its ack, as every change is, and refused after it. */
const change = 'cache clear nosuch-site/live';
const report = 'allowlist show acme-shop/live';
/** What the bare app reads for its own answer. */
const path = '/sites';
const atOnce = 32;
const saturatedMs = 50;

/** Time to ack, and reports per second, against the bare app, by turns. */
export async function measureAcks(scale: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const { bare, sitehand, stop } = await startBoth(world);
  try {
    // Frequently run code is compiled better, so both warm up before anything counts.
    for (const [url, line] of [
      [bare.url, path],
      [sitehand.url, report],
      [sitehand.url, change],
    ] as const) {
      await load.saturate(url, line, atOnce, scale.quick ? 0.7 : 3);
    }
    const figures: Figure[] = [];
    for (const perSecond of scale.quick ? [200] : [50, 200, 1_000]) {
      figures.push(...(await acks(scale, load, perSecond, { bare: bare.url, sitehand: sitehand.url })));
    }
    return [...figures, await reports(scale, load, { bare: bare.url, sitehand: sitehand.url })];
  } finally {
    await stop();
  }
}

type Urls = { readonly bare: string; readonly sitehand: string };

async function acks({ quick }: Scale, load: Load, perSecond: number, urls: Urls): Promise<readonly Figure[]> {
  const seconds = quick ? 1 : 3;
  const rounds = { bare: [] as (readonly number[])[], sitehand: [] as (readonly number[])[] };
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    rounds.bare.push(await load.arrivals(urls.bare, path, perSecond, seconds));
    rounds.sitehand.push(await load.arrivals(urls.sitehand, change, perSecond, seconds));
  }
  const at = (share: number, of: readonly (readonly number[])[]): readonly number[] =>
    of.map((one) => quantile(one, share));
  const [bare50, ours50, bare99, ours99] = [
    at(0.5, rounds.bare),
    at(0.5, rounds.sitehand),
    at(0.99, rounds.bare),
    at(0.99, rounds.sitehand),
  ];
  // Beyond what the bare app can handle, only the length of a queue would be measured.
  const isJudged = median(bare50) < saturatedMs;
  const rate = `ack at ${perSecond} a second${isJudged ? '' : ' (more than this machine can do)'}`;
  return [
    {
      what: `${rate}, p50: more than the bare app`,
      measured: median(ours50) - median(bare50),
      unit: 'ms',
      limit: isJudged ? 0.5 : undefined,
      spread: spreadOf(ours50.map((ms, round) => ms - (bare50[round] ?? Number.NaN))),
      raw: { bare: bare50, sitehand: ours50 },
    },
    {
      what: `${rate}, p99`,
      measured: median(ours99) / median(bare99),
      unit: '×',
      limit: isJudged ? 2 : undefined,
      spread: spreadOf(ours99.map((ms, round) => ms / (bare99[round] ?? Number.NaN))),
      raw: { bare: bare99, sitehand: ours99 },
    },
  ];
}

async function reports({ quick }: Scale, load: Load, urls: Urls): Promise<Figure> {
  const seconds = quick ? 1 : 2;
  const bare: number[] = [];
  const sitehand: number[] = [];
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    bare.push((await load.saturate(urls.bare, path, atOnce, seconds)).perSecond);
    sitehand.push((await load.saturate(urls.sitehand, report, atOnce, seconds)).perSecond);
  }
  return {
    what: 'reports a second, command to last word',
    measured: median(sitehand) / median(bare),
    unit: '×',
    limit: 0.7,
    least: true,
    spread: spreadOf(sitehand.map((one, round) => one / (bare[round] ?? Number.NaN))),
    raw: { bare, sitehand },
  };
}
