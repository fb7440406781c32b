import { sql, type Insertable, type Selectable } from 'kysely';
import { claim, oldestDueIn, unowned, type Claim } from './lease.ts';
import { pauseKey } from './kv.ts';
import type { QueuedRequestTable } from './schema.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** Requests that wait for a lock to end, one queue for each locked target, in the order of their ids. */
export type QueuedRequest = Selectable<QueuedRequestTable>;
export type NewQueuedRequest = Omit<
  Insertable<QueuedRequestTable>,
  'id' | 'turn_at' | 'attempts' | 'due_at' | 'owner' | 'lease_until'
>;

/** Adds a request at the end of its target's queue; if the queue was empty, the request is due at once. */
export async function insertQueued(tx: Tx, row: NewQueuedRequest): Promise<QueuedRequest> {
  const isFirst = (await queueOf(tx, row.target)).length === 0;
  const due_at = isFirst ? row.created_at : row.expires_at;
  const inserted = tx.insertInto('queued_requests').values({ ...row, due_at });
  return inserted.returningAll().executeTakeFirstOrThrow();
}

/** The queue of a target, first one first. */
export function queueOf(db: ReadHandle, target: string): Promise<QueuedRequest[]> {
  return db.selectFrom('queued_requests').selectAll().where('target', '=', target).orderBy('id').execute();
}

/** All queued requests, or those of these people, oldest first, `limit` at most. */
export function listQueued(db: ReadHandle, limit: number, requesters?: readonly string[]): Promise<QueuedRequest[]> {
  let all = db.selectFrom('queued_requests').selectAll();
  if (requesters !== undefined) all = all.where('requester', 'in', requesters);
  return all.orderBy('id').limit(limit).execute();
}

export function findQueued(db: ReadHandle, id: number): Promise<QueuedRequest | undefined> {
  return db.selectFrom('queued_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Removes a request; the next one of its target becomes due. False, with nothing written, if it is gone or, with
 * `owner`, has another owner by now.
 */
export async function removeQueued(
  tx: Tx,
  { id, target }: Pick<QueuedRequest, 'id' | 'target'>,
  now: number,
  owner?: string,
): Promise<boolean> {
  let gone = tx.deleteFrom('queued_requests').where('id', '=', id);
  if (owner !== undefined) gone = gone.where('owner', '=', owner);
  if ((await gone.returning('id').executeTakeFirst()) === undefined) return false;
  await wakeQueues(tx, [target], now);
  return true;
}

/** Makes the first request of each of these targets due, unless its turn has come. */
export async function wakeQueues(tx: Tx, targets: readonly string[], now: number): Promise<void> {
  for (const target of new Set(targets)) {
    const [first] = await queueOf(tx, target);
    if (first?.turn_at === null) await wake(tx, first, now);
  }
}

/**
 * Whether it is this request's time if no lock is in its way: no request of its queue has a turn, and none ahead of it
 * is due or being handled. A request that was put back is passed.
 */
export async function isHeadOfQueue(db: ReadHandle, { id, target }: QueuedRequest, now: number): Promise<boolean> {
  const others = (await queueOf(db, target)).filter((row) => row.id !== id);
  return others.every((row) => row.turn_at === null && (row.id > id || (row.owner === null && row.due_at > now)));
}

/** Makes the request behind this one due, unless its turn has come. */
export async function wakeNext(tx: Tx, { id, target }: QueuedRequest, now: number): Promise<void> {
  const next = (await queueOf(tx, target)).find((row) => row.id > id);
  if (next?.turn_at === null) await wake(tx, next, now);
}

const wake = async (tx: Tx, { id }: QueuedRequest, now: number): Promise<void> =>
  void (await tx.updateTable('queued_requests').set({ due_at: now }).where('id', '=', id).execute());

/** Ends the turn of a request without removing it: it waits again, in its place. */
export async function endTurn(tx: Tx, { id }: Pick<QueuedRequest, 'id'>, now: number): Promise<void> {
  await tx.updateTable('queued_requests').set({ turn_at: null, due_at: now }).where('id', '=', id).execute();
}

/** SQL: a pause of all sending holds every queue, but requests still expire. */
const isAwake = (now: number) =>
  sql<boolean>`(expires_at <= ${now} or not exists (select 1 from kv where key = ${pauseKey}))`;

/** The due time of the oldest due request that no pause holds (epoch ms), or undefined. */
export const oldestQueuedDue = (db: ReadHandle, now: number): Promise<number | undefined> =>
  oldestDueIn(db, 'queued_requests', now, isAwake(now));

/** Claims up to `limit` due requests, longest overdue first. */
export function claimQueued(tx: Tx, wanted: Claim): Promise<QueuedRequest[]> {
  const order = { columns: ['requester'], whose: ({ requester }: QueuedRequest) => requester };
  return claim<QueuedRequest>(tx, 'queued_requests', wanted, order, { condition: isAwake(wanted.now) });
}

/**
 * Releases a claimed request until `dueAt` (epoch ms), unless it was woken in the meantime. Undefined, with nothing
 * written, if it is gone or has another owner by now.
 */
export function releaseQueued(
  tx: Tx,
  seen: QueuedRequest,
  dueAt: number,
  patch: Partial<Pick<QueuedRequest, 'attempts' | 'turn_at'>> = {},
): Promise<QueuedRequest | undefined> {
  return tx
    .updateTable('queued_requests')
    .set({ ...patch, ...unowned, due_at: sql`case when due_at = ${seen.due_at} then ${dueAt} else due_at end` })
    .where('id', '=', seen.id)
    .where('owner', '=', seen.owner)
    .returningAll()
    .executeTakeFirst();
}
