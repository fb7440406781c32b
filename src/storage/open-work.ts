import { sql } from 'kysely';
import { oldestDueIn } from './lease.ts';
import { unreviewed, type AskedBy } from './changes.ts';
import type { State } from '../words/states.ts';
import type { ReadHandle } from './schema.ts';
import { oldestTimerDue } from './timers.ts';
import { oldestWaitingDue } from './waiting.ts';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { auditHead, findAudit } from './audit.ts';
import { tablesBySize, databaseKind, sqliteFile } from './sql-dialect.ts';

/** How much there is in the database: open work by its state, what is due, and bytes. */

/** The number of unsettled changes in each state; `by`: only of those that programs, or people themselves, asked for. */
export async function countStates(db: ReadHandle, by?: AskedBy): Promise<Readonly<Partial<Record<State, number>>>> {
  let open = db.selectFrom('changes').where('settled_at', 'is', null);
  if (by !== undefined) open = open.where('caller', by === 'callers' ? 'is not' : 'is', null);
  const rows = await open
    .select((of) => ['state', of.fn.countAll<number>().as('count')])
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

/** How many changes sent by break-glass are over and nobody has reviewed them; the oldest, and since when (epoch ms). */
export async function toReview(db: ReadHandle) {
  const open = db.selectFrom('changes').where('post_review', '=', unreviewed).where('settled_at', 'is not', null);
  const { count } = await open.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const oldest = await open.select(['number', 'settled_at as at']).orderBy('settled_at').limit(1).executeTakeFirst();
  return { count, oldest };
}

/**
 * The due time (epoch ms) of the oldest due change, message, timer or queued request, except timers and requests held by
 * a pause; or undefined.
 */
export async function oldestDue(db: ReadHandle, now: number): Promise<number | undefined> {
  const oldest = await Promise.all([
    oldestTimerDue(db, now),
    oldestWaitingDue(db, 'queue', now),
    oldestDueIn(db, 'changes', now),
    oldestDueIn(db, 'messages', now),
  ]);
  const moments = oldest.filter((at) => at !== undefined);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** The due time of the oldest due watch or digest (epoch ms), or undefined. */
export const oldestWatchDue = (db: ReadHandle, now: number): Promise<number | undefined> =>
  oldestDueIn(db, 'waiting', now, sql`kind in ('watch', 'digest')`);

/** Since when the oldest work of each kind is due, owed to people, or open. */
type OldestWork = Readonly<
  Record<'changes' | 'messages' | 'deliveries' | 'timers' | 'queued requests' | 'watches', number | undefined>
>;

/**
 * Since when (epoch ms) the oldest change, timer, queued request and watch have been due, a message owed, and a delivery
 * open; undefined: there is none. Messages whose loss is reported don't count. Timers and queued requests held by a pause are not due.
 */
export async function oldestWork(db: ReadHandle, now: number): Promise<OldestWork> {
  const { rows } = await sql<Readonly<Record<'changes' | 'messages' | 'deliveries', number | null>>>`
    select (select min(due_at) from changes where due_at <= ${now}) as changes,
      (select min(owed_at) from messages where due_at is not null and untold_at is null) as messages,
      (select min(received_at) from inbox where closed_at is null) as deliveries`.execute(db);
  const [row] = rows;
  return {
    changes: row?.changes ?? undefined,
    messages: row?.messages ?? undefined,
    deliveries: row?.deliveries ?? undefined,
    timers: await oldestTimerDue(db, now),
    'queued requests': await oldestWaitingDue(db, 'queue', now),
    watches: await oldestWatchDue(db, now),
  };
}

/** How large the database is, in bytes, and what fills it. Counts no rows, so it is cheap on large tables. */
export type Sizes = {
  readonly bytes: number;
  /** PostgreSQL: the tables with their indexes, largest first. */
  readonly tables: readonly { readonly name: string; readonly bytes: number }[];
  /** Lines of the audit trail, and since when (epoch ms). */
  readonly lines: number;
  readonly since: number | undefined;
  /** Numbers given to changes so far; a few may be unused. */
  readonly changes: number;
  /** Free space on the disk of a SQLite file, in bytes. */
  readonly free: number | undefined;
};

export async function sizesOf(db: ReadHandle): Promise<Sizes> {
  const [first, { seq: lines }] = [await findAudit(db, 1), await auditHead(db)];
  const newest = await db.selectFrom('changes').select('number').orderBy('number', 'desc').limit(1).executeTakeFirst();
  const rows = { lines, since: first?.at, changes: newest?.number ?? 0 };
  if (databaseKind(db) === 'sqlite') {
    const { bytes, path } = await sqliteFile(db);
    return { ...rows, bytes, tables: [], free: path === undefined ? undefined : await freeBeside(path) };
  }
  const tables = await tablesBySize(db);
  return { ...rows, tables, bytes: tables.reduce((sum, one) => sum + one.bytes, 0), free: undefined };
}

/** How much this user may still write to the disk of the file, in bytes. */
async function freeBeside(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize;
}
