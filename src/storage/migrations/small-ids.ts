import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Ids in the JSON of targets and of channel bindings. */
const ids = /"(?:id|site)":"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/gi;
const lowerCased = (json: string): string => json.replaceAll(ids, (id) => id.toLowerCase());

/**
 * Stores ids in lower case, as they are read from this version on, so that changes, timers, locks and bindings are found
 * however the host spelled them. Frozen calls and cards stay byte for byte. If a target has two locks, the longer stays.
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

/** Lower-cases the ids in a JSON column, in rows that match `which`; `key` is the primary key. */
async function rewrite(tx: Tx, table: string, key: string, column: string, which = sql`true`): Promise<void> {
  const [rows, of, json] = [sql.table(table), sql.ref(key), sql.ref(column)];
  const found = sql<{ of: string | number; json: string }>`
    select ${of} as "of", ${json} as json from ${rows} where ${json} <> lower(${json}) and ${which}`;
  for (const row of (await found.execute(tx)).rows) {
    await sql`update ${rows} set ${json} = ${lowerCased(row.json)} where ${of} = ${row.of}`.execute(tx);
  }
}

const forEver = sql.lit(Number.MAX_SAFE_INTEGER);
