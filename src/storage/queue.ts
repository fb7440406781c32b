import { endWaiting, insertWaiting, listOpen, type NewWaiting, type QueuedRequest } from './waiting.ts';
import type { ReadHandle, Tx } from './schema.ts';

/** Requests that wait for a lock to end, one queue for each locked target, in the order in which they joined. */

/** More than one queue has. */
const maxRead = 1_000;

/** Adds a request at the end of its target's queue; if the queue was empty, the request is due at once. */
export async function insertQueued(
  tx: Tx,
  row: Omit<NewWaiting<'queue'>, 'kind' | 'due_at' | 'attempts'>,
): Promise<QueuedRequest> {
  const isFirst = (await queueOf(tx, row.target)).length === 0;
  return insertWaiting(tx, { ...row, kind: 'queue', attempts: 0, ...(isFirst && { due_at: row.created_at }) });
}

/** The queue of a target, first one first. */
export const queueOf = (db: ReadHandle, target: string): Promise<QueuedRequest[]> =>
  listOpen(db, ['queue'], { target, limit: maxRead });

/**
 * Ends the place of a request; the next one of its target becomes due. False, with nothing written, if it has ended or,
 * with `isMine`, was claimed again by now.
 */
export async function removeQueued(tx: Tx, row: QueuedRequest, now: number, isMine = false): Promise<boolean> {
  if ((await endWaiting(tx, row, now, { isMine })) === undefined) return false;
  await wakeQueues(tx, [row.target], now);
  return true;
}

/** Makes the first request of each of these targets due, unless its turn has come. */
export async function wakeQueues(tx: Tx, targets: readonly string[], now: number): Promise<void> {
  for (const target of new Set(targets)) await wake(tx, (await queueOf(tx, target))[0], now);
}

/**
 * Whether it is this request's time if no lock is in its way: no request of its queue has a turn, and none ahead of it
 * is due or being handled. A request that was put back is passed.
 */
export async function isHeadOfQueue(db: ReadHandle, { id, target }: QueuedRequest, now: number): Promise<boolean> {
  const queue = await queueOf(db, target);
  const place = queue.findIndex((row) => row.id === id);
  return queue.every(
    (row, at) =>
      at === place || (row.turn_at === null && (at > place || (row.owner === null && (row.due_at ?? 0) > now))),
  );
}

/** Makes the request behind this one due, unless its turn has come. */
export async function wakeNext(tx: Tx, { id, target }: QueuedRequest, now: number): Promise<void> {
  const queue = await queueOf(tx, target);
  await wake(tx, queue[queue.findIndex((row) => row.id === id) + 1], now);
}

async function wake(tx: Tx, row: QueuedRequest | undefined, now: number): Promise<void> {
  if (row?.turn_at === null) await makeDue(tx, row, now);
}

/** Ends the turn of a request without removing it: it waits again, in its place. */
export const endTurn = (tx: Tx, row: QueuedRequest, now: number): Promise<void> =>
  makeDue(tx, row, now, { turn_at: null });

/** Nothing is written if it has ended since it was read. */
async function makeDue(tx: Tx, { id }: QueuedRequest, now: number, patch: { turn_at?: null } = {}): Promise<void> {
  const due = tx
    .updateTable('waiting')
    .set({ ...patch, due_at: now })
    .where('id', '=', id);
  await due.where('ended_at', 'is', null).execute();
}
