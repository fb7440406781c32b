import { parseStored } from './parse-json.ts';
import { sql, type RawBuilder } from 'kysely';
import { insertRows, type Row } from './backup.ts';
import type { Database } from './database.ts';
import { exclusiveTransaction } from './transactions.ts';
import { type ReadHandle, type Tx } from './schema.ts';
import { lastNumber } from './sql-dialect.ts';
import { dataIn } from './waiting.ts';
import type { DataOf, WaitingKind } from './waiting-table.ts';

/**
 * Moves rows into `waiting` from the tables that it replaced: what was there at the upgrade, and what an older replica
 * added before it noticed that it is excluded. This file can go with the step that removes those tables.
 */

/** How often rows of an older replica are looked for. */
export const adoptEveryMs = 2_000;

/** Moves what no older replica has leased; on SQLite everything, because only this process can have it open. */
export async function adoptFormer(database: Database): Promise<void> {
  if (!(await isAny(database.db))) return;
  const isAlone = database.kind === 'sqlite';
  await exclusiveTransaction(database, (tx, at) => adoptIn(tx, isAlone ? Number.MAX_SAFE_INTEGER : at));
}

async function isAny(db: ReadHandle): Promise<boolean> {
  const { rows } = await sql<{ any: unknown }>`
    select exists (select 1 from queued_requests) or exists (select 1 from handed_on_requests)
      or exists (select 1 from watches) as any`.execute(db);
  return Boolean(rows[0]?.any);
}

type FormerWatch = Omit<DataOf['watch'], 'targets'> &
  Pick<Columns, 'requester' | 'created_at' | 'due_at' | 'tried_at' | 'ended_at'> & {
    readonly id: number;
    readonly kind: 'errors' | 'digest';
    readonly target_key: string;
    readonly target: string;
    readonly ends_at: number;
  };
type FormerPlace = DataOf['queue'] & Omit<Columns, 'uuid' | 'tried_at' | 'ended_at'> & { readonly id: number };
type FormerHandedOn = DataOf['hand_on'] &
  Pick<Columns, 'created_at' | 'expires_at' | 'ended_at'> & {
    readonly id: string;
    readonly args: string;
    readonly person: string;
  };

/**
 * Moves the rows whose lease, if they have one, ends by `until` (epoch ms). The caller holds the global lock. Watches
 * and digests come first, because their numbers are used for months; a place in a queue lasts an hour.
 */
export async function adoptIn(tx: Tx, until: number): Promise<void> {
  const isFree = sql`owner is null or lease_until <= ${until}`;
  for (const { id, kind, target_key: target, ends_at: expires_at, ...row } of await take<FormerWatch>(
    tx,
    sql`watches where ${isFree}`,
  )) {
    const columns = { ...row, target, expires_at };
    if (kind === 'errors') await add(tx, 'watch', { ...columns, targets: `[${row.target}]` }, id);
    else {
      const { sites } = parseStored<{ readonly sites: unknown }>(row.progress);
      await add(tx, 'digest', { ...columns, targets: row.target, sites: JSON.stringify(sites) }, id);
    }
  }
  for (const { id, ...row } of await take<FormerPlace>(tx, sql`queued_requests where ${isFree}`)) {
    const moved = await add(tx, 'queue', row, id);
    // Its messages are edited by their keys.
    if (moved !== id)
      await sql`
        update messages set key = ${`queue:${moved}:`} || substr(key, ${`queue:${id}:`.length + 1})
        where key like ${`queue:${id}:%`}`.execute(tx);
  }
  for (const { id, args, person, ...row } of await take<FormerHandedOn>(tx, sql`handed_on_requests`)) {
    const due_at = row.ended_at === null ? row.expires_at : null;
    await add(tx, 'hand_on', { ...row, uuid: id, target: args, requester: person, due_at });
  }
}

/** In the order of their numbers. */
async function take<Former extends { readonly id: unknown }>(tx: Tx, rows: RawBuilder<unknown>): Promise<Former[]> {
  const taken = await sql<Former>`delete from ${rows} returning *`.execute(tx);
  return taken.rows.toSorted((one, other) => Number(one.id) - Number(other.id));
}

type Columns = {
  readonly uuid?: string;
  readonly target: string;
  readonly requester: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly turn_at?: number | null;
  readonly tried_at?: number | null;
  readonly due_at: number | null;
  readonly ended_at?: number | null;
};

/**
 * Adds a row with its former number or, if that is taken or may be counted to later, with a new one. Resolves with its
 * number.
 */
async function add<K extends WaitingKind>(tx: Tx, kind: K, row: Columns & DataOf[K], id = Infinity): Promise<number> {
  const { target, requester, created_at, expires_at, due_at } = row;
  const { uuid = null, turn_at = null, tried_at = null, ended_at = null } = row;
  const columns = { kind, uuid, target, requester, created_at, expires_at, turn_at, tried_at, due_at, ended_at };
  const isKept = id <= ((await lastNumber(tx, 'waiting', 'id')) ?? 0) && !(await isTaken(tx, id));
  const values: Row = { ...columns, data: dataIn(kind, row), ...(isKept && { id }) };
  await insertRows(tx, { name: 'waiting', columns: Object.keys(values) }, [values]);
  return isKept ? id : ((await lastNumber(tx, 'waiting', 'id')) ?? 0);
}

/** Also by a watch that an older replica has leased. */
async function isTaken(tx: Tx, id: number): Promise<boolean> {
  const taken = sql`select 1 from waiting where id = ${id} union all select 1 from watches where id = ${id}`;
  return (await taken.execute(tx)).rows.length > 0;
}
