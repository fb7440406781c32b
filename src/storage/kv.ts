import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { KvTable } from './schema.ts';
import type { ReadHandle, Tx } from './tx.ts';

export type KvRow = Selectable<KvTable>;

/** The key that exists while all sending is paused. */
export const pauseKey = 'pause';

/** A value shared by all replicas, or undefined. */
export function readKv(db: ReadHandle, key: string): Promise<KvRow | undefined> {
  return db.selectFrom('kv').selectAll().where('key', '=', key).executeTakeFirst();
}

/** When the tables were created, in epoch milliseconds. */
export async function installedAt(db: ReadHandle): Promise<number> {
  return (await db.selectFrom('installation').select('created_at').executeTakeFirstOrThrow()).created_at;
}

/** Creates or replaces a value. */
export async function writeKv(tx: Tx, row: KvRow): Promise<void> {
  const { key: _, ...columns } = row;
  await tx
    .insertInto('kv')
    .values(row)
    .onConflict((on) => on.column('key').doUpdateSet(columns))
    .execute();
}

/** Deletes a value; false if there was none. */
export async function removeKv(tx: Tx, key: string): Promise<boolean> {
  const gone = await tx.deleteFrom('kv').where('key', '=', key).returning('key').executeTakeFirst();
  return gone !== undefined;
}

type Transactions = {
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly now: (tx: Tx) => Promise<number>;
};

/** A random key of 64 hex digits, created once and kept in this database. */
export const keptKey = (database: Transactions, key: string): Promise<string> =>
  database.transaction(async (tx) => {
    const kept = await readKv(tx, key);
    if (kept) return kept.value;
    const value = randomBytes(32).toString('hex');
    await writeKv(tx, { key, value, at: await database.now(tx) });
    return value;
  });
