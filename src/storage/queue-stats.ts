import type { State } from './schema.ts';
import { oldestTimerDue } from './timers.ts';
import type { Reader } from './tx.ts';

/** How many changes are not settled, by the state they are in. */
export async function countStates(db: Reader): Promise<Readonly<Partial<Record<State, number>>>> {
  const rows = await db
    .selectFrom('changes')
    .select((of) => ['state', of.fn.countAll<number>().as('count')])
    .where('settled_at', 'is', null)
    .groupBy('state')
    .execute();
  return Object.fromEntries(rows.map(({ state, count }) => [state, count] as const));
}

/** The changes whose outcome is unknown, and since when (epoch ms): oldest first, `limit` at most. */
export async function listLost(db: Reader, limit: number): Promise<{ readonly number: number; readonly at: number }[]> {
  const rows = await db
    .selectFrom('changes')
    .select(['number', 'lost_at', 'created_at'])
    .where('state', '=', 'unknown')
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map(({ number, lost_at, created_at }) => ({ number, at: lost_at ?? created_at }));
}

/** Since when the oldest work is due (epoch ms): a step of a change, a message, a timer that does not wait in a pause; undefined where none is. */
export async function oldestDue(db: Reader, now: number): Promise<number | undefined> {
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
