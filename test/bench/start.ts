import { setTimeout as wait } from 'node:timers/promises';
import { startSitehand } from './start-both.ts';
import { median, spreadOf, type Figure, type Scale } from './figures.ts';
import { startBare, type Program } from './program.ts';
import type { World } from './world.ts';

/** Time from start to the first answer, and resident memory a moment later, by turns. */
export async function measureStart({ quick }: Scale, world: World): Promise<readonly Figure[]> {
  const bare: Started[] = [];
  const sitehand: Started[] = [];
  // The first start of each compiles and fills the cache for the others.
  for (let round = 0; round <= (quick ? 3 : 7); round += 1) {
    const pair = [
      await started(quick, () => startBare(world.environment)),
      await started(quick, () => startSitehand(world)),
    ] as const;
    if (round > 0) [bare, sitehand].forEach((of, at) => of.push(pair[at] ?? pair[0]));
  }
  const figure = (what: string, of: keyof Started, limit: number): Figure => ({
    what,
    measured: median(sitehand.map((one) => one[of])) / median(bare.map((one) => one[of])),
    unit: '×',
    limit,
    spread: spreadOf(sitehand.map((one, at) => one[of] / (bare[at]?.[of] ?? Number.NaN))),
    raw: { bare: bare.map((one) => one[of]), sitehand: sitehand.map((one) => one[of]) },
  });
  return [figure('start to ready', 'ms', 2), figure('idle memory', 'mb', 1.7)];
}

type Started = { readonly ms: number; readonly mb: number };

async function started(quick: boolean, start: () => Promise<Program>): Promise<Started> {
  const program = await start();
  await wait(quick ? 700 : 1_500);
  const mb = program.residentMb();
  await program.stop();
  return { ms: program.startMs, mb };
}
