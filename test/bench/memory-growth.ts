import { startSitehand } from './start-both.ts';
import type { Figure, Scale } from './figures.ts';
import type { Load } from './load.ts';
import type { World } from './world.ts';

/** A mix of commands that are answered at once: reports, refusals, typos, and changes of unknown targets. */
const lines = ['allowlist show acme-shop/live', 'whoami', 'cache claer acme-shop/live', 'cache clear nosuch/live'];
const atOnce = 32;

/** What a bot holds after many commands, compared with after the first of them, after garbage collection. */
export async function measureMemoryGrowth({ quick }: Scale, world: World, load: Load): Promise<readonly Figure[]> {
  const program = await startSitehand(world, { probe: true });
  try {
    // Caches that are kept on purpose are full before anything counts.
    await send(load, program.url, 10_000, quick ? 1 : 30);
    const before = await program.holds();
    const commands = await send(load, program.url, 100_000, quick ? 2 : 600);
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

/** Sends as many as fit into these seconds; resolves with their number. */
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
