import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { SettingTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `settings`. */
export type Setting = Selectable<SettingTable>;

/** A fact that all replicas share, or undefined. */
export function readSetting(db: Reader, key: string): Promise<Setting | undefined> {
  return db.selectFrom('settings').selectAll().where('key', '=', key).executeTakeFirst();
}

/** When the tables were made, in epoch milliseconds. */
export async function installedAt(db: Reader): Promise<number> {
  return (await db.selectFrom('installation').select('created_at').executeTakeFirstOrThrow()).created_at;
}

/** Writes a fact in place of the one before. */
export async function writeSetting(tx: Tx, setting: Setting): Promise<void> {
  const { key: _, ...fact } = setting;
  await tx
    .insertInto('settings')
    .values(setting)
    .onConflict((on) => on.column('key').doUpdateSet(fact))
    .execute();
}

/** Removes a fact; false if there was none. */
export async function removeSetting(tx: Tx, key: string): Promise<boolean> {
  const gone = await tx.deleteFrom('settings').where('key', '=', key).returning('key').executeTakeFirst();
  return gone !== undefined;
}

type Transactions = {
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly now: (tx: Tx) => Promise<number>;
};

/** A random key, 64 hex digits, that is made once and never leaves this database. */
export const keptKey = (database: Transactions, key: string): Promise<string> =>
  database.transaction(async (tx) => {
    const kept = await readSetting(tx, key);
    if (kept) return kept.value;
    const value = randomBytes(32).toString('hex');
    await writeSetting(tx, { key, value, at: await database.now(tx) });
    return value;
  });
