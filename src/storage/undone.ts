import { sql } from 'kysely';
import type { Change } from './changes.ts';
import type { ReadHandle } from './schema.ts';

/** Which changes of a target undo, follow or touch which. */

/**
 * Whether another change of the same command family (`allowlist …`) took effect on the same target since this change was
 * settled; `perhaps`: one may have, and none is known to.
 */
export async function touchedSince(
  db: ReadHandle,
  { number, target, command, settled_at }: Change,
): Promise<'no' | 'perhaps' | 'yes'> {
  const [family = ''] = command.split(' ');
  const since = settled_at ?? 0;
  const later = await db
    .selectFrom('changes')
    .select('state')
    .distinct()
    .where('target', '=', target)
    .where('number', '<>', number)
    .where('command', 'like', `${family} %`)
    .where('state', 'in', ['sending', 'accepted', 'done', 'unknown', 'happened'])
    .where(sql`coalesce(sent_at, settled_at)`, '>=', since)
    .execute();
  if (later.length === 0) return 'no';
  return later.some(({ state }) => state === 'done' || state === 'happened') ? 'yes' : 'perhaps';
}

/** The changes of a target that these arguments (JSON) would undo, newest first: those whose *Undo* has them. */
export function findUndoable(
  db: ReadHandle,
  { target, args, number }: Pick<Change, 'target' | 'args'> & { readonly number?: number | undefined },
  limit: number,
): Promise<Change[]> {
  const start = sql<string>`cast(${`{"args":${args},`} as text)`;
  const all = db.selectFrom('changes').selectAll().where('target', '=', target).where('undo', 'is not', null);
  const earlier = number === undefined ? all : all.where('number', '<', number);
  const matching = earlier.where(sql<boolean>`substr(undo, 1, length(${start})) = ${start}`);
  return matching.orderBy('number', 'desc').limit(limit).execute();
}

/** The newest change with these arguments after `number` that took effect or still may, or undefined. One that
 * waits for its time does not count. */
export function findLater(db: ReadHandle, number: number, target: string, args: string): Promise<Change | undefined> {
  const later = db.selectFrom('changes').selectAll().where('target', '=', target).where('number', '>', number);
  return later
    .where('args', '=', args)
    .where((on) => on.or([on('scheduled_at', 'is', null), on('state', 'not in', ['waiting', 'approved'])]))
    .where('state', 'in', ['waiting', 'approved', 'sending', 'accepted', 'done', 'unknown', 'happened'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}
