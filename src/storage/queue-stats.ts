import type { State } from './schema.ts';
import { oldestTimerDue } from './timers.ts';
import type { ReadHandle } from './tx.ts';

/** The number of unsettled changes in each state. */
export async function countStates(db: ReadHandle): Promise<Readonly<Partial<Record<State, number>>>> {
  const rows = await db
    .selectFrom('changes')
    .select((of) => ['state', of.fn.countAll<number>().as('count')])
    .where('settled_at', 'is', null)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, count] as const));
}

/** The changes with an unknown outcome, and since when (epoch ms); oldest first, `limit` at most. */
export async function listLost(
  db: ReadHandle,
  limit: number,
): Promise<{ readonly number: number; readonly at: number }[]> {
  const rows = await db
    .selectFrom('changes')
    .select(['number', 'lost_at', 'created_at'])
    .where('state', '=', 'unknown')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ number, lost_at, created_at }) => ({ number, at: lost_at ?? created_at }));
}

/** The due time (epoch ms) of the oldest due change, message or timer, except timers held by a pause; or undefined. */
export async function oldestDue(db: ReadHandle, now: number): Promise<number | undefined> {
  const oldest = await Promise.all([
    oldestTimerDue(db, now),
    ...(['changes', 'messages'] as const).map(async (table) => {
      const due = db.selectFrom(table).select('due_at').where('due_at', '<=', now).orderBy('due_at').limit(1);
      return (await due.executeTakeFirst())?.due_at ?? undefined;
    }),
  ]);
  const moments = oldest.filter((at) => at !== undefined);
  return moments.length === 0 ? undefined : Math.min(...moments);
}
