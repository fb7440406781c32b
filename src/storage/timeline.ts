import { sql } from 'kysely';
import { kindOf } from './sql-dialect.ts';
import { writeSetting } from './kv.ts';
import type { Tx } from './tx.ts';

/** The setting with the server and the timeline that were noted last. */
const timelineKey = 'timeline';

/**
 * Notes which server this is and which course its history takes, PostgreSQL's *timeline*: a standby that is promoted,
 * and a backup that is restored to a moment, begin another one; a copy in another server has another name. True if it
 * was not so when it was noted last: commits may have been lost in between. A SQLite file has nothing of the kind.
 */
export async function timelineChanged(tx: Tx, at: number): Promise<boolean> {
  if (kindOf(tx) === 'sqlite') return false;
  const { rows } = await sql<{ now: string; noted: string | null }>`
    select (select system_identifier from pg_control_system()) || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as now,
      (select value from settings where key = ${timelineKey}) as noted`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not say which server it is');
  if (row.now === row.noted) return false;
  await writeSetting(tx, { key: timelineKey, value: row.now, at });
  return row.noted !== null;
}
