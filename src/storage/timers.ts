import { sql, type Selectable } from 'kysely';
import { claim, unowned, type Claim } from './lease.ts';
import type { TimerTable } from './schema.ts';
import type { Reader, Tx } from './tx.ts';

/** One row of `timers`: words that will be said later. */
export type Timer = Selectable<TimerTable>;

/** Sets a timer for words (JSON) that a change asked to be said at `due_at` (epoch ms). */
export function setTimer(tx: Tx, timer: { change: number; words: string; due_at: number }): Promise<Timer> {
  return tx
    .insertInto('timers')
    .values({ ...timer, tries: 0 })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Gives the caller up to `limit` timers that have run out; see `claim`. */
export const claimTimers = (tx: Tx, wanted: Claim): Promise<Timer[]> => claim<Timer>(tx, 'timers', wanted);

/** Notes the change that the words became; the timer looks after it again at `dueAt` (epoch ms). */
export async function becameChange(tx: Tx, id: number, change: number, dueAt: number): Promise<void> {
  await tx
    .updateTable('timers')
    .set({ became: change, due_at: dueAt, ...unowned })
    .where('id', '=', id)
    .execute();
}

/** Puts a timer back until `dueAt` (epoch ms) and counts the try; null: it is not tried again. */
export async function postponeTimer(tx: Tx, id: number, dueAt: number | null): Promise<void> {
  await tx
    .updateTable('timers')
    .set({ due_at: dueAt, tries: sql`tries + 1`, ...unowned })
    .where('id', '=', id)
    .execute();
}

/** The timers that a change asked for, in the order of their making, 100 at most. */
export function timersOf(db: Reader, change: number): Promise<Timer[]> {
  return db.selectFrom('timers').selectAll().where('change', '=', change).orderBy('id').limit(100).execute();
}
