import { startSitehand } from './beside.ts';
import type { Figure, Scale } from './figures.ts';
import type { Load } from './load.ts';
import type { World } from './world.ts';

/** Some of everything that is answered at once: reports, refusals, slips, and changes of what is not there. */
const lines = ['allowlist show acme-shop/live', 'whoami', 'cache claer acme-shop/live', 'cache clear nosuch/live'];
const atOnce = 32;

/** What a bot holds after many commands beside what it held after the first of them, its garbage collected. */
export async function measureGrowth({ quick }: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const program = await startSitehand(world, { probe: true });
  try {
    // What is kept on purpose, such as the latest of each kind, is full before anything counts.
    await send(load, program.url, 10_000, quick ? 1 : 30);
    const before = await program.holds();
    const commands = await send(load, program.url, 100_000, quick ? 2 : 120);
    const after = await program.holds();
    const grown = (after.heap - before.heap) / 1024 / 1024;
    const raw = { commands, heapBefore: before.heap, heapAfter: after.heap };
    const more = (what: string, of: 'resources' | 'listeners'): Figure => ({
      what: `${what} more after ${commands} commands`,
      measured: after[of] - before[of],
      unit: 'calls',
      limit: undefined,
      raw: { before: before[of], after: after[of] },
    });
    return [
      { what: `heap more after ${commands} commands`, measured: grown, unit: 'MB', limit: 1, raw },
      more('timers and sockets', 'resources'),
      more('listeners', 'listeners'),
    ];
  } finally {
    await program.stop();
  }
}

/** As many as so many seconds allow; resolves with how many. */
async function send(load: Load, url: string, most: number, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let sent = 0;
  const person = async (): Promise<void> => {
    while (sent < most && performance.now() < end) {
      sent += 1;
      await load.toLastWord(url, lines[sent % lines.length] ?? '');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, person));
  return sent;
}
