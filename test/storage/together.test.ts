import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';

/** Transactions on SQLite that are asked for at once: each stands or falls alone, whoever it is committed with. */

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sitehand-together-'));
  database = await openDatabase(`sqlite:${join(folder, 'sitehand.db')}`);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const note = (key: string, value = '', error?: Error): Promise<string> =>
  database.transaction(async (tx) => {
    await tx.insertInto('settings').values({ key, value, at: 0 }).execute();
    if (error !== undefined) throw error;
    return key;
  });
const kept = async (): Promise<readonly string[]> =>
  (
    await database.db
      .selectFrom('settings')
      .select('key')
      .orderBy(sql`rowid`)
      .execute()
  ).map(({ key }) => key);
const keysOf = (settled: readonly PromiseSettledResult<string>[]): readonly string[] =>
  settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));

describe('transactions that are asked for at once', () => {
  it('are kept in their order where they resolve, and leave nothing where they reject', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 150 }), async (fails) => {
        await database.transaction((tx) => tx.deleteFrom('settings').execute());
        const error = new Error('not this one');
        const settled = await Promise.allSettled(fails.map((fail, at) => note(`${at}`, '', fail ? error : undefined)));
        expect(settled.map(({ status }) => status === 'rejected')).toEqual(fails);
        expect(settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))).toEqual(
          fails.filter(Boolean).map(() => error),
        );
        expect(await kept()).toEqual(keysOf(settled));
      }),
    );
  });

  it('see what those before them did, and nothing of what was undone', async () => {
    const seen = await Promise.allSettled([
      note('first'),
      note('second', '', new Error('undone')),
      database.transaction((tx) => tx.selectFrom('settings').select('key').execute()),
    ]);
    expect(seen[2]).toEqual({ status: 'fulfilled', value: [{ key: 'first' }] });
  });

  it('resolve exactly where they are kept, also when there is no room for one of them', async () => {
    const { page_count: pages } = (await sql<{ page_count: number }>`pragma page_count`.execute(database.db))
      .rows[0] ?? { page_count: 0 };
    await sql.raw(`pragma max_page_count = ${pages + 20}`).execute(database.db);
    const settled = await Promise.allSettled([note('small'), note('large', 'x'.repeat(1_000_000)), note('last')]);
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { errcode: 13 } });
    expect(await kept()).toEqual(keysOf(settled));
    expect(await note('after')).toBe('after');
  });

  it('are flushed to the disk together', async () => {
    const written = async (mode: string): Promise<number> => {
      const { rows } = await sql<{ log: number }>`pragma wal_checkpoint(${sql.raw(mode)})`.execute(database.db);
      return rows[0]?.log ?? Number.NaN;
    };
    await written('truncate');
    await Promise.all(Array.from({ length: 60 }, (_, at) => note(`${at}`)));
    // Sixty commits of their own would write a page at least twice each.
    expect(await written('passive')).toBeLessThan(30);
  });
});
