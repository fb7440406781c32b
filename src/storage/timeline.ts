import { parseStored } from './parse-json.ts';
import { sql } from 'kysely';
import { removeKv, readKv, writeKv } from './kv.ts';
import { type ReadHandle, type Tx } from './schema.ts';
import { databaseKind } from './sql-dialect.ts';
import { aliveKey } from './clock.ts';

/** The key of the server and timeline at the last check. */
const timelineKey = 'timeline';
/** The key that a restore from a backup leaves behind; its value is the JSON of a `Restored`. */
export const setBackKey = 'set_back';

/** Times of the backup and of its restore, epoch ms. */
export type Restored = { readonly kind: 'restored'; readonly from: number; readonly at: number };

/**
 * Where this database is in its own history. A promoted standby and a point-in-time restore start a new *timeline*; a
 * copy on another server has another id.
 */
export type Timeline = {
  /** The id of the PostgreSQL server and its timeline; empty on SQLite, which has neither. */
  readonly now: string;
  /** The server and timeline as last saved; undefined: never. */
  readonly saved: string | undefined;
  /** Set from a restore until `saveTimeline`. */
  readonly restored: Restored | undefined;
};

/** Reads the timeline. Rejects on a standby that was not promoted. */
export async function readTimeline(db: ReadHandle): Promise<Timeline> {
  if (databaseKind(db) === 'sqlite')
    return { now: '', saved: '', restored: restoredIn((await readKv(db, setBackKey))?.value) };
  const { rows } = await sql<{ now: string; saved: string | null; restored: string | null }>`
    select (select system_identifier from pg_control_system()) || ':' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as now,
      (select value from kv where key = ${timelineKey}) as saved,
      (select value from kv where key = ${setBackKey}) as restored`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not say which server it is');
  return { now: row.now, saved: row.saved ?? undefined, restored: restoredIn(row.restored ?? undefined) };
}

const restoredIn = (value: string | undefined): Restored | undefined =>
  value === undefined ? undefined : parseStored<Restored>(value);

/** Saves the current timeline: what happened before it is handled. */
export async function saveTimeline(tx: Tx, { now }: Timeline, at: number): Promise<void> {
  if (databaseKind(tx) === 'postgres') await writeKv(tx, { key: timelineKey, value: now, at });
  await removeKv(tx, setBackKey);
}

/** The key that records to which state the database with that id was restored. */
const restoredKey = (installation: string): string => `restored:${installation}`;

/** To which state (epoch ms) the database with that id was restored; undefined: nothing here was restored from it. */
export async function restoredTo(db: ReadHandle, installation: string): Promise<number | undefined> {
  const kept = await readKv(db, restoredKey(installation));
  return kept && Number(kept.value);
}

/**
 * Records that the rows here are those of the database `former`, as they were at `from` (epoch ms). Forgets when a bot
 * was last alive on it; otherwise a bot that starts here would report everything since then as an absence.
 */
export async function noteRestore(tx: Tx, former: string, { from, at }: Omit<Restored, 'kind'>): Promise<void> {
  const setBack: Restored = { kind: 'restored', from, at };
  await writeKv(tx, { key: setBackKey, value: JSON.stringify(setBack), at });
  await writeKv(tx, { key: restoredKey(former), value: String(from), at });
  await removeKv(tx, aliveKey);
}
