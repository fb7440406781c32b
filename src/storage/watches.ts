import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import { claim, personKey, unowned, type Claim, type IdsOf } from './lease.ts';
import type { WatchTable } from './watch-table.ts';
import type { ReadHandle, Tx } from './tx.ts';
import { minuteMs } from '../words/duration.ts';

export type Watch = Selectable<WatchTable>;
export type NewWatch = Omit<
  Insertable<WatchTable>,
  'id' | 'tried_at' | 'ended_at' | 'end_reason' | 'owner' | 'lease_until'
>;

export const startWatch = (tx: Tx, watch: NewWatch): Promise<Watch> =>
  tx.insertInto('watches').values(watch).returningAll().executeTakeFirstOrThrow();

/** How many watches began a read since `since` (epoch ms), in all replicas. */
async function triedSince(tx: Tx, since: number): Promise<number> {
  const { count } = await tx
    .selectFrom('watches')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('tried_at', '>', since)
    .where(isOf('errors'))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Claims due watches, in turns, and notes when their reads begin. `perMinute`: how many reads may begin in a minute in
 * all replicas together, so the caller must hold the global lock.
 */
export async function claimWatches(tx: Tx, wanted: Claim, perMinute: number, idsOf: IdsOf): Promise<Watch[]> {
  const left = perMinute - (await triedSince(tx, wanted.now - minuteMs));
  if (left <= 0) return [];
  const whose = ({ requester }: Pick<Watch, 'requester'>): string => personKey(idsOf, requester);
  const limit = Math.min(left, wanted.limit);
  const order = { columns: ['requester'], whose };
  const claimed = await claim<Watch>(tx, 'watches', { ...wanted, limit }, order, { condition: isOf('errors') });
  const ids = claimed.map(({ id }) => id);
  if (ids.length > 0) await tx.updateTable('watches').set({ tried_at: wanted.now }).where('id', 'in', ids).execute();
  return claimed;
}

/** Claims a due digest; undefined: none is due. */
export async function claimDigest(tx: Tx, wanted: Omit<Claim, 'limit'>): Promise<Watch | undefined> {
  const order = { columns: ['requester'], whose: ({ requester }: Pick<Watch, 'requester'>) => requester };
  return (await claim<Watch>(tx, 'watches', { ...wanted, limit: 1 }, order, { condition: isOf('digest') }))[0];
}

const isOf = (kind: Watch['kind']) => sql<boolean>`kind = ${kind}`;

type Patch = Partial<Pick<Updateable<WatchTable>, 'read_to' | 'progress' | 'tried_at'>>;

/** How a watch goes on: it is due again at `dueAt` (epoch ms), or over. */
export type Onward =
  | { readonly dueAt: number }
  | { readonly endedAt: number; readonly why: NonNullable<Watch['end_reason']> };

/**
 * Saves the result of a look and releases the watch. Undefined, with nothing written, if the watch was ended or claimed
 * by another process in the meantime: then nothing may be told about it.
 */
export function noteWatch(tx: Tx, watch: Watch, patch: Patch, onward: Onward): Promise<Watch | undefined> {
  const moved = 'dueAt' in onward ? { due_at: onward.dueAt } : ended(onward.endedAt, onward.why);
  const row = tx.updateTable('watches').where('id', '=', watch.id).where('ended_at', 'is', null);
  return (
    row
      .set({ ...patch, ...moved, ...unowned })
      .where('owner', 'is not distinct from', watch.owner)
      // Not if the same process has claimed it again after its lease ended.
      .where('lease_until', 'is not distinct from', watch.lease_until)
      .returningAll()
      .executeTakeFirst()
  );
}

/** Ends a watch, whoever works on it; undefined if it was over. */
export const stopWatch = (tx: Tx, id: number, at: number): Promise<Watch | undefined> =>
  tx
    .updateTable('watches')
    .set({ ...ended(at, 'stopped'), ...unowned })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

const ended = (at: number, why: NonNullable<Watch['end_reason']>) => ({
  ended_at: at,
  end_reason: why,
  due_at: null,
});

export const findWatch = (db: ReadHandle, id: number): Promise<Watch | undefined> =>
  db.selectFrom('watches').selectAll().where('id', '=', id).executeTakeFirst();

/** All watches and digests that are not over, oldest first. The code that starts them limits their number. */
export const openWatches = (db: ReadHandle): Promise<Watch[]> =>
  db.selectFrom('watches').selectAll().where('ended_at', 'is', null).orderBy('id').execute();

/** How many watches of logs are not over. */
export async function countWatches(db: ReadHandle): Promise<number> {
  const open = db.selectFrom('watches').where('ended_at', 'is', null).where(isOf('errors'));
  return (await open.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

/** Deletes the watches that were over before `before` (epoch ms). */
export async function forgetWatches(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('watches').where('ended_at', '<', before).execute();
}
