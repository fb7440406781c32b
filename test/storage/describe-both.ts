import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from 'vitest';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import { emptyPostgres, noPostgres, postgresRuns } from '../postgres.ts';

/** A fresh database of the suite's kind, removed after the test. `again` opens another replica (SQLite: same handle). */
type Opened = Database & { readonly url: string; again(options?: DatabaseOptions): Promise<Database> };
/** Opens a fresh database. */
export type Open = (options?: DatabaseOptions) => Promise<Opened>;

/** Runs a suite on SQLite and, if installed, on PostgreSQL; otherwise that run is shown as skipped. */
export function describeBoth(name: string, suite: (open: Open) => void): void {
  const undo: (() => Promise<void> | void)[] = [];
  const tidy = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };

  const openFile: Open = async (options) => {
    const folder = mkdtempSync(join(tmpdir(), 'sitehand-storage-'));
    undo.push(() => rmSync(folder, { recursive: true }));
    const url = `sqlite:${folder}/sitehand.db`;
    const database = await openDatabase(url, options);
    undo.push(() => database.close());
    return { ...database, url, again: async () => database };
  };

  const openServer: Open = async (options) => {
    const { url, giveBack } = await emptyPostgres();
    undo.push(giveBack);
    const again = async (options?: DatabaseOptions): Promise<Database> => {
      const database = await openDatabase(url, options);
      undo.push(() => database.close());
      return database;
    };
    return { ...(await again(options)), url, again };
  };

  describe(`${name}, on SQLite`, () => {
    afterEach(tidy);
    suite(openFile);
  });
  describe.runIf(postgresRuns)(`${name}, on PostgreSQL${noPostgres}`, () => {
    afterEach(tidy);
    suite(openServer);
  });
}
