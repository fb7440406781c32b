import type { Insertable, Selectable } from 'kysely';
import type { HandedOnRequestTable } from './handed-on-table.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** Requests that people without the right handed on to whoever may run them. */
export type HandedOnRequest = Selectable<HandedOnRequestTable>;

export async function insertHandedOn(tx: Tx, row: Insertable<HandedOnRequestTable>): Promise<void> {
  await tx.insertInto('handed_on_requests').values(row).execute();
}

export function findHandedOn(db: ReadHandle, id: string): Promise<HandedOnRequest | undefined> {
  return db.selectFrom('handed_on_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The request with the same arguments that is still open. `now` in epoch ms. */
export function findSameHandedOn(db: ReadHandle, args: string, now: number): Promise<HandedOnRequest | undefined> {
  const open = db.selectFrom('handed_on_requests').selectAll().where('ended_at', 'is', null);
  return open.where('expires_at', '>', now).where('args', '=', args).executeTakeFirst();
}

/** How many requests these people handed on since `since` (epoch ms). */
export async function countHandedOn(db: ReadHandle, people: readonly string[], since: number): Promise<number> {
  const own = db.selectFrom('handed_on_requests').select((of) => of.fn.countAll<number>().as('count'));
  const lately = own.where('person', 'in', people).where('created_at', '>', since);
  return (await lately.executeTakeFirstOrThrow()).count;
}

/** Ends a request, whether or not somebody used it. Undefined, with nothing written, if it has ended. `at` in epoch ms. */
export function endHandedOn(
  tx: Tx,
  id: string,
  at: number,
  used: Pick<HandedOnRequest, 'used_by' | 'change'> = { used_by: null, change: null },
): Promise<HandedOnRequest | undefined> {
  const ended = tx.updateTable('handed_on_requests').set({ ended_at: at, ...used });
  return ended.where('id', '=', id).where('ended_at', 'is', null).returningAll().executeTakeFirst();
}

/** Requests that have not ended and expire by `until` (epoch ms), 100 at most. */
export function listHandedOn(db: ReadHandle, until: number): Promise<HandedOnRequest[]> {
  const open = db.selectFrom('handed_on_requests').selectAll().where('ended_at', 'is', null);
  return open.where('expires_at', '<=', until).orderBy('expires_at').limit(100).execute();
}

/** Deletes requests that expired before `before` (epoch ms). */
export async function forgetHandedOn(tx: Tx, before: number): Promise<void> {
  await tx
    .deleteFrom('handed_on_requests')
    .where('ended_at', 'is not', null)
    .where('expires_at', '<', before)
    .execute();
}
