import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import { pauseKeys } from './kv.ts';
import { claim, inShares, oldestDueIn, unowned, type Claim, type Shares } from './lease.ts';
import type { TimerTable, ReadHandle, Tx } from './schema.ts';

export type Timer = Selectable<TimerTable>;

/** The initial values of a timer; it is due when the access ends. */
export type NewTimer = Omit<Insertable<TimerTable>, 'id' | 'due_at' | 'created_change' | 'attempts' | Life>;
type Life = 'times_missing' | 'last_note' | 'gave_up_at' | 'ended_at' | 'end_reason' | 'owner' | 'lease_until';

export function setTimer(tx: Tx, timer: NewTimer): Promise<Timer> {
  return tx
    .insertInto('timers')
    .values({ ...timer, due_at: timer.ends_at, attempts: 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** SQL: during a pause of all sending, only timers that remind are handled. */
const isAwake = sql<boolean>`(gave_up_at is not null or not exists (select 1 from kv where key = ${pauseKeys.all}))`;

/** Claims up to `limit` due timers that no pause holds, in turns and within shares; see `claim`. */
export function claimTimers(tx: Tx, wanted: Claim, shares: Shares = {}): Promise<Timer[]> {
  const { groups, ...turns } = inShares(shares);
  return claim<Timer>(tx, 'timers', wanted, { columns: ['requester'], ...turns }, { condition: isAwake, groups });
}

/** The due time of the oldest due timer that no pause holds (epoch ms), or undefined. */
export const oldestTimerDue = (db: ReadHandle, now: number): Promise<number | undefined> =>
  oldestDueIn(db, 'timers', now, isAwake);

type Patch = Partial<
  Pick<Updateable<TimerTable>, 'created_change' | 'attempts' | 'last_note' | 'gave_up_at' | 'times_missing'>
>;

/**
 * Saves a worker's notes on a timer and releases it until `dueAt` (epoch ms). Undefined, with nothing written, if the
 * timer is over, has other addresses, or has another owner by now.
 */
export function noteTimer(tx: Tx, timer: Timer, dueAt: number, patch: Patch = {}): Promise<Timer | undefined> {
  return tx
    .updateTable('timers')
    .set({ ...patch, due_at: dueAt, ...unowned })
    .where('id', '=', timer.id)
    .where('ended_at', 'is', null)
    .where('addresses', '=', timer.addresses)
    .where('owner', 'is not distinct from', timer.owner)
    .returningAll()
    .executeTakeFirst();
}

/** Sets a timer's remaining addresses (JSON) or ends it, and releases it: a worker's later notes are not saved. */
export async function changeTimer(
  tx: Tx,
  id: number,
  to: { readonly addresses: string } | { readonly end_reason: NonNullable<Timer['end_reason']>; readonly at: number },
): Promise<void> {
  const patch = 'addresses' in to ? to : { end_reason: to.end_reason, ended_at: to.at, due_at: null };
  await tx
    .updateTable('timers')
    .set({ ...patch, ...unowned })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

export function timerOf(db: ReadHandle, change: number): Promise<Timer | undefined> {
  return db.selectFrom('timers').selectAll().where('change', '=', change).executeTakeFirst();
}

/** The timers of a target that are not over, oldest first. */
export function openTimers(db: ReadHandle, targetKey: string): Promise<Timer[]> {
  const open = db.selectFrom('timers').selectAll().where('target_key', '=', targetKey).where('ended_at', 'is', null);
  return open.orderBy('id').execute();
}

/** The timers that are not over, next to end first, `limit` at most; `targetKey`: only those of this target. */
export function listTimers(db: ReadHandle, limit: number, targetKey?: string): Promise<Timer[]> {
  let open = db.selectFrom('timers').selectAll().where('ended_at', 'is', null);
  if (targetKey !== undefined) open = open.where('target_key', '=', targetKey);
  return open.orderBy('ends_at').orderBy('id').limit(limit).execute();
}
