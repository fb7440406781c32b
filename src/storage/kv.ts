import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { KvTable, ReadHandle, Tx } from './schema.ts';

type KvRow = Selectable<KvTable>;

/** What a pause holds: all sending, or what callers ask for. Its key exists while it is in force, with a `Pause`. */
export const pauseScopes = ['all', 'callers'] as const;
export type PauseScope = (typeof pauseScopes)[number];
export const pauseKeys = { all: 'pause', callers: 'pause_callers' } as const satisfies Record<PauseScope, string>;

/** A pause: since `at` (epoch ms), by a Slack user id or `sitehand`, with the name at that time, and why. */
export type Pause = {
  readonly by: string;
  readonly name: string;
  readonly why: string | undefined;
  readonly at: number;
  /** A person's pause that was in force when Sitehand paused sending itself. */
  readonly earlier?: Pause;
  /** Left over when another pause ended; only `resume <time>` ends it. */
  readonly stayed?: true;
};

/** A value shared by all replicas, or undefined. */
export function readKv(db: ReadHandle, key: string): Promise<KvRow | undefined> {
  return db.selectFrom('kv').selectAll().where('key', '=', key).executeTakeFirst();
}

/** Whether all sending is paused. */
export const isPaused = async (db: ReadHandle): Promise<boolean> => (await readKv(db, pauseKeys.all)) !== undefined;

/** The pause that holds a change; `caller`: whose pause holds it too. Undefined: none does. That of all comes first. */
export async function pauseOf(db: ReadHandle, caller: string | null): Promise<PauseScope | undefined> {
  const found = await readKvs(db, caller === null ? [pauseKeys.all] : Object.values(pauseKeys));
  if (found.length === 0) return undefined;
  return found.some(({ key }) => key === pauseKeys.all) ? 'all' : 'callers';
}

/** The values that exist under these keys. */
export const readKvs = (db: ReadHandle, keys: readonly string[]): Promise<KvRow[]> =>
  keys.length === 0 ? Promise.resolve([]) : db.selectFrom('kv').selectAll().where('key', 'in', keys).execute();

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

/** Writes a value only if it is still `before` (undefined: there was none); false, with nothing written, if not. */
export async function replaceKv(tx: Tx, row: KvRow, before: string | undefined): Promise<boolean> {
  const { key, ...columns } = row;
  const write =
    before === undefined
      ? tx
          .insertInto('kv')
          .values(row)
          .onConflict((on) => on.doNothing())
          .returning('key')
      : tx.updateTable('kv').set(columns).where('key', '=', key).where('value', '=', before).returning('key');
  return (await write.executeTakeFirst()) !== undefined;
}

/** Deletes a value; false if there was none. */
export async function removeKv(tx: Tx, key: string): Promise<boolean> {
  const gone = await tx.deleteFrom('kv').where('key', '=', key).returning('key').executeTakeFirst();
  return gone !== undefined;
}

/** Deletes the values whose keys begin with `prefix` and that were written before `before` (epoch ms). */
export async function removeOldKv(tx: Tx, prefix: string, before: number): Promise<void> {
  await tx.deleteFrom('kv').where('key', 'like', `${prefix}%`).where('at', '<', before).execute();
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
