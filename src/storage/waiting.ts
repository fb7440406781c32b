import { sql, type RawBuilder, type Selectable } from 'kysely';
import { pauseKeys } from './kv.ts';
import { claim, inShares, oldestDueIn, unowned, type Claim, type Shares } from './lease.ts';
import type { ReadHandle, Tx } from './schema.ts';
import { dataOf, type DataOf, type WaitingKind, type WaitingTable } from './waiting-table.ts';
import { dayMs, minuteMs } from '../words/duration.ts';

/** What waits until it is due, of every kind: it is claimed, then put off or ended, and forgotten after a while. */

/** A row as it is stored. */
type WaitingRow<K extends WaitingKind = WaitingKind> = Selectable<WaitingTable> & { readonly kind: K };
type Columns = Omit<Selectable<WaitingTable>, 'kind' | 'uuid' | 'data'>;
type Waits = {
  readonly [K in WaitingKind]: Columns & { kind: K; uuid: K extends 'hand_on' ? string : null } & DataOf[K];
};
/** A row with what its `data` holds. */
export type Waiting<K extends WaitingKind> = Waits[K] & { readonly kind: K };
export type QueuedRequest = Waiting<'queue'>;
export type HandedOnRequest = Waiting<'hand_on'>;
export type Watch = Waiting<'watch'>;
export type Digest = Waiting<'digest'>;

/** Throws if its data is not of its kind. */
export function readWaiting<K extends WaitingKind>(row: WaitingRow<K>): Waiting<K>;
export function readWaiting({ data, ...columns }: WaitingRow): object {
  return { ...columns, ...dataOf[columns.kind].parse(JSON.parse(data)) };
}

/** How long what has ended is kept, so that a late click is told what became of it. */
const keptMs = 30 * dayMs;

export type NewWaiting<K extends WaitingKind> = Pick<Columns, 'target' | 'requester' | 'created_at' | 'expires_at'> &
  DataOf[K] & { readonly kind: K; readonly due_at?: number; readonly uuid?: string };

/** Without `due_at`, it is due when it expires. */
export async function insertWaiting<K extends WaitingKind>(tx: Tx, row: NewWaiting<K>): Promise<Waiting<K>> {
  const { kind, uuid = null, target, requester, created_at, expires_at, due_at = expires_at } = row;
  const values = { kind, uuid, target, requester, created_at, expires_at, due_at, data: dataIn(kind, row) };
  const inserted = tx.insertInto('waiting').values(values).returningAll().$castTo<WaitingRow<K>>();
  return readWaiting(await inserted.executeTakeFirstOrThrow());
}

/** JSON: the fields that `data` of this kind has. */
export const dataIn = <K extends WaitingKind>(kind: K, fields: DataOf[K]): string =>
  JSON.stringify(dataOf[kind].parse(fields));

/** The open row of one of these kinds with this number. */
export async function findOpen<K extends WaitingKind>(
  db: ReadHandle,
  kinds: readonly K[],
  id: number,
): Promise<Waiting<K> | undefined> {
  const row = await openRows(db, kinds).where('id', '=', id).executeTakeFirst();
  return row && readWaiting(row);
}

/** A handed-on request, also one that has ended. */
export async function findHandedOn(db: ReadHandle, uuid: string): Promise<HandedOnRequest | undefined> {
  const found = db.selectFrom('waiting').selectAll().where('kind', '=', 'hand_on').where('uuid', '=', uuid);
  const row = await found.$castTo<WaitingRow<'hand_on'>>().executeTakeFirst();
  return row && readWaiting(row);
}

type Filter = { readonly limit: number; readonly target?: string; readonly requesters?: readonly string[] };

/** The open rows of these kinds, oldest first. */
export async function listOpen<K extends WaitingKind>(
  db: ReadHandle,
  kinds: readonly K[],
  { limit, target, requesters }: Filter,
): Promise<Waiting<K>[]> {
  let open = openRows(db, kinds);
  if (target !== undefined) open = open.where('target', '=', target);
  if (requesters !== undefined) open = open.where('requester', 'in', requesters);
  return (await open.orderBy('created_at').orderBy('id').limit(limit).execute()).map((row) => readWaiting(row));
}

const openRows = <K extends WaitingKind>(db: ReadHandle, kinds: readonly K[]) =>
  db
    .selectFrom('waiting')
    .selectAll()
    .where('kind', 'in', kinds)
    .where('ended_at', 'is', null)
    .$castTo<WaitingRow<K>>();

/** How many of this kind are open; or were asked for by these people since `since` (epoch ms), also those that ended. */
export async function countWaiting(
  db: ReadHandle,
  kind: WaitingKind,
  by?: { readonly requesters: readonly string[]; readonly since: number },
): Promise<number> {
  const all = db.selectFrom('waiting').where('kind', '=', kind);
  const some = by
    ? all.where('requester', 'in', by.requesters).where('created_at', '>', by.since)
    : all.where('ended_at', 'is', null);
  return (await some.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

/** SQL: which rows of a kind may be claimed. A pause of all sending holds every queue, but requests still expire. */
const mayClaim = (kind: WaitingKind, now: number): RawBuilder<boolean> =>
  kind === 'queue'
    ? sql`kind = ${kind} and (expires_at <= ${now} or not exists (select 1 from kv where key = ${pauseKeys.all}))`
    : sql`kind = ${kind}`;

/** The due time (epoch ms) of the longest overdue row of this kind that no pause holds, or undefined. */
export const oldestWaitingDue = (db: ReadHandle, kind: WaitingKind, now: number): Promise<number | undefined> =>
  oldestDueIn(db, 'waiting', now, mayClaim(kind, now));

/**
 * Claims due rows of one kind that no pause holds, in turns and within shares; see `claim`. `perMinute`: how many may be
 * begun in a minute in all replicas together, so the caller must hold the global lock.
 */
export async function claimWaiting<K extends WaitingKind>(
  tx: Tx,
  kind: K,
  wanted: Claim,
  shares: Shares = {},
  perMinute = Infinity,
): Promise<WaitingRow<K>[]> {
  const { now } = wanted;
  const begun = perMinute === Infinity ? 0 : await begunSince(tx, kind, now - minuteMs);
  const limit = Math.min(wanted.limit, perMinute - begun);
  const { groups, ...turns } = inShares(shares);
  const order = { columns: ['requester'], ...turns };
  const condition = mayClaim(kind, now);
  const rows = await claim<WaitingRow<K>>(tx, 'waiting', { ...wanted, limit }, order, { condition, groups });
  if (perMinute === Infinity || rows.length === 0) return rows;
  const ids = rows.map(({ id }) => id);
  await tx.updateTable('waiting').set({ tried_at: now }).where('id', 'in', ids).execute();
  return rows;
}

async function begunSince(tx: Tx, kind: WaitingKind, since: number): Promise<number> {
  const begun = tx.selectFrom('waiting').where('kind', '=', kind).where('tried_at', '>', since);
  return (await begun.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

type Patch<K extends WaitingKind> = Partial<Pick<Waiting<K>, 'turn_at' | 'tried_at'> & DataOf[K]>;

/** The columns of a patch. */
const patched = <K extends WaitingKind>(row: Waiting<K>, patch: Patch<K>) => ({
  ...(patch.turn_at !== undefined && { turn_at: patch.turn_at }),
  ...(patch.tried_at !== undefined && { tried_at: patch.tried_at }),
  data: dataIn(row.kind, { ...row, ...patch }),
});

/** Of this row, if it is open; `isMine`: and if it is still leased by the claim that returned it. */
const stillOpen = <K extends WaitingKind>(tx: Tx, row: Waiting<K>, isMine: boolean) => {
  const open = tx.updateTable('waiting').where('id', '=', row.id).where('ended_at', 'is', null);
  if (!isMine) return open;
  // The same process may have claimed it again after its lease ended.
  return open
    .where('owner', 'is not distinct from', row.owner)
    .where('lease_until', 'is not distinct from', row.lease_until);
};

/**
 * Notes what came of a claimed row and releases it until `dueAt` (epoch ms), unless it was woken in the meantime.
 * Undefined, with nothing written, if it has ended or was claimed again: then nothing may be told about it.
 */
export async function releaseWaiting<K extends WaitingKind>(
  tx: Tx,
  row: Waiting<K>,
  dueAt: number,
  patch: Patch<K> = {},
): Promise<Waiting<K> | undefined> {
  const due_at = sql<number>`case when due_at = ${row.due_at} then ${dueAt} else due_at end`;
  const released = stillOpen(tx, row, true).set({ ...patched(row, patch), ...unowned, due_at });
  const after = await released.returningAll().$castTo<WaitingRow<K>>().executeTakeFirst();
  return after && readWaiting(after);
}

/**
 * Ends a row, whoever works on it; `isMine`: only the one who claimed it. Undefined, with nothing written, if it has
 * ended or, with `isMine`, was claimed again. `at` in epoch ms.
 */
export async function endWaiting<K extends WaitingKind>(
  tx: Tx,
  row: Waiting<K>,
  at: number,
  { isMine = false, patch }: { readonly isMine?: boolean; readonly patch?: Patch<K> } = {},
): Promise<Waiting<K> | undefined> {
  const ended = { ended_at: at, due_at: null, ...unowned };
  const ending = stillOpen(tx, row, isMine).set({ ...(patch && patched(row, patch)), ...ended });
  const after = await ending.returningAll().$castTo<WaitingRow<K>>().executeTakeFirst();
  return after && readWaiting(after);
}

/** Deletes what ended long ago. `now` in epoch ms. */
export async function forgetWaiting(tx: Tx, now: number): Promise<void> {
  await tx
    .deleteFrom('waiting')
    .where('ended_at', '<', now - keptMs)
    .execute();
}
