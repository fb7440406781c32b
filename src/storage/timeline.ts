import { sql } from 'kysely';
import { kindOf } from './sql-dialect.ts';
import { writeKv } from './kv.ts';
import type { Tx } from './tx.ts';

/** The key of the server and timeline at the last check. */
const timelineKey = 'timeline';
/** The key that a restore from a backup leaves behind; its value is the JSON of a `Restored`. */
export const setBackKey = 'set_back';

/** Times of the backup and of its restore, epoch ms. */
export type Restored = { readonly kind: 'restored'; readonly from: number; readonly at: number };

/**
 * Saves the id of the PostgreSQL server and its *timeline*. True if they differ from the last ones: commits may have been
 * lost. A promoted standby and a point-in-time restore start a new timeline; a copy on another server has another id.
 * SQLite has neither, so always false there.
 */
export async function timelineChanged(tx: Tx, at: number): Promise<boolean> {
  if (kindOf(tx) === 'sqlite') return false;
  const { rows } = await sql<{ now: string; saved: string | null }>`
    select (select system_identifier from pg_control_system()) || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as now,
      (select value from kv where key = ${timelineKey}) as saved`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not say which server it is');
  if (row.now === row.saved) return false;
  await writeKv(tx, { key: timelineKey, value: row.now, at });
  return row.saved !== null;
}
