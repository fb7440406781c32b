import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBare, startPackage, type Program, type ProgramLimits } from './program.ts';
import type { World } from './world.ts';

/** Sitehand and the bare app, each in its own process, on the disk that a database would use. */
type Beside = { readonly bare: Program; readonly sitehand: Program; readonly stop: () => Promise<void> };

/** Starts Sitehand with an empty SQLite database; `stop` removes it. */
export async function startSitehand({ environment }: World, more: ProgramLimits = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'sitehand-bench-'));
  const DATABASE_URL = `sqlite:${join(folder, 'sitehand.db')}`;
  const program = await startPackage({ ...environment, DATABASE_URL }, more);
  return {
    ...program,
    async stop() {
      await program.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Starts both. */
export async function startBoth(world: World): Promise<Beside> {
  const [bare, sitehand] = [await startBare(world.environment), await startSitehand(world)];
  return {
    bare,
    sitehand,
    stop: async () => {
      await Promise.all([bare.stop(), sitehand.stop()]);
    },
  };
}
