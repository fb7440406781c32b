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
  const changes = tx.selectFrom('changes').select(['number', 'targets']).where(hasCapitals('targets'));
  for (const { number, targets } of await changes.execute()) {
    await tx
      .updateTable('changes')
      .set({ targets: inSmallLetters(targets) })
      .where('number', '=', number)
      .execute();
  }
  const timers = tx.selectFrom('timers').select(['id', 'target']).where(hasCapitals('target'));
  for (const { id, target } of await timers.execute()) {
    await tx
      .updateTable('timers')
      .set({ target: inSmallLetters(target) })
      .where('id', '=', id)
      .execute();
  }
  const bindings = tx.selectFrom('settings').select(['key', 'value']).where('key', 'like', 'site of %');
  for (const { key, value } of await bindings.execute()) {
    await tx
      .updateTable('settings')
      .set({ value: inSmallLetters(value) })
      .where('key', '=', key)
      .execute();
  }
}

const forEver = sql.lit(Number.MAX_SAFE_INTEGER);
const hasCapitals = (column: string) => sql<boolean>`${sql.ref(column)} <> lower(${sql.ref(column)})`;
