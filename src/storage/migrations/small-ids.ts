import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Ids as they stand in the JSON of targets and of bindings of channels. */
const ids = /"(?:id|site)":"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/gi;
const inSmallLetters = (json: string): string => json.replaceAll(ids, (id) => id.toLowerCase());

/**
 * Writes ids in small letters, as they are read since: where the host spelled them otherwise, changes, timers, locks
 * and bindings are to be found by them. Frozen calls and cards stay byte for byte what was approved. Of two locks of one
 * target the one that holds longer stays.
 */
export async function smallIds(tx: Tx): Promise<void> {
  await sql`update changes set target = lower(target) where target <> lower(target)`.execute(tx);
  await sql`update timers set target_key = lower(target_key) where target_key <> lower(target_key)`.execute(tx);
  const end = (lock: 'locks' | 'other') =>
    sql`(coalesce(${sql.ref(`${lock}.until`)}, ${forEver}), ${sql.ref(`${lock}.target`)})`;
  await sql`delete from locks where exists (
    select 1 from locks as other
    where lower(other.target) = lower(locks.target) and ${end('other')} > ${end('locks')}
  )`.execute(tx);
  await sql`update locks set target = lower(target) where target <> lower(target)`.execute(tx);
  await rewrite(tx, 'changes', 'number', 'targets');
  await rewrite(tx, 'timers', 'id', 'target');
  await rewrite(tx, 'settings', 'key', 'value', sql`key like 'site of %'`);
}

/** Writes the ids in a column of JSON in small letters; of rows that fulfil `which`, known by their `key`. */
async function rewrite(tx: Tx, table: string, key: string, column: string, which = sql`true`): Promise<void> {
  const [rows, of, json] = [sql.table(table), sql.ref(key), sql.ref(column)];
  const found = sql<{ of: string | number; json: string }>`
    select ${of} as "of", ${json} as json from ${rows} where ${json} <> lower(${json}) and ${which}`;
  for (const row of (await found.execute(tx)).rows) {
    await sql`update ${rows} set ${json} = ${inSmallLetters(row.json)} where ${of} = ${row.of}`.execute(tx);
  }
}

const forEver = sql.lit(Number.MAX_SAFE_INTEGER);
