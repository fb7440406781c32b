import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { SettingTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `settings`. */
export type Setting = Selectable<SettingTable>;

/** A setting shared by all replicas, or undefined. */
export function readSetting(db: Reader, key: string): Promise<Setting | undefined> {
  return db.selectFrom('settings').selectAll().where('key', '=', key).executeTakeFirst();
}

/** When the tables were created, in epoch milliseconds. */
export async function installedAt(db: Reader): Promise<number> {
  return (await db.selectFrom('installation').select('created_at').executeTakeFirstOrThrow()).created_at;
}

/** Creates or replaces a setting. */
export async function writeSetting(tx: Tx, setting: Setting): Promise<void> {
  const { key: _, ...columns } = setting;
  await tx
    .insertInto('settings')
    .values(setting)
    .onConflict((on) => on.column('key').doUpdateSet(columns))
    .execute();
}

/** Deletes a setting; false if there was none. */
export async function removeSetting(tx: Tx, key: string): Promise<boolean> {
  const gone = await tx.deleteFrom('settings').where('key', '=', key).returning('key').executeTakeFirst();
  return gone !== undefined;
}

type Transactions = {
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly now: (tx: Tx) => Promise<number>;
};

/** A random key of 64 hex digits, created once and kept in this database. */
export const keptKey = (database: Transactions, key: string): Promise<string> =>
  database.transaction(async (tx) => {
    const kept = await readSetting(tx, key);
    if (kept) return kept.value;
    const value = randomBytes(32).toString('hex');
    await writeSetting(tx, { key, value, at: await database.now(tx) });
    return value;
  });
