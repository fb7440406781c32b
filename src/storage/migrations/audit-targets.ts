import { sql } from 'kysely';
import type { Dialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Lines for each statement, so that it ends within its time-out. */
const batch = 50_000;

/** Adds an indexed column with the target, to find its lines in a long trail. It is not hashed, so hashes stay valid. */
export async function auditTargets(tx: Tx, { unsealed }: Dialect): Promise<void> {
  await sql`alter table audit add column target text`.execute(tx);
  for (const statement of unsealed.from) await sql.raw(statement).execute(tx);
  await ofChanges(tx);
  await ofDeeds(tx);
  for (const statement of unsealed.to) await sql.raw(statement).execute(tx);
  await sql`create index audit_of_target on audit (target, seq)`.execute(tx);
  await sql`create index audit_of_target_by_actor on audit (target, actor, seq)`.execute(tx);
  await sql`create index audit_of_keys on audit (seq) where event in ('sealed', 'rekeyed')`.execute(tx);
  await sql`drop index audit_of_deeds`.execute(tx);
}

async function ofChanges(tx: Tx): Promise<void> {
  const newest = await sql<{ seq: number | null }>`select max(seq) as seq from audit`.execute(tx);
  const last = newest.rows[0]?.seq ?? 0;
  for (let from = 0; from < last; from += batch)
    await sql`
      update audit set target = (select target from changes where number = audit.change)
      where seq > ${from} and seq <= ${from + batch} and change is not null`.execute(tx);
}

/** Lines without a change name their target in their details. */
async function ofDeeds(tx: Tx): Promise<void> {
  let seq = 0;
  for (;;) {
    const { rows } = await sql<{ seq: number; details: string }>`
      select seq, details from audit
      where change is null and seq > ${seq} and details like '%"target_key":"%' order by seq limit 1000`.execute(tx);
    for (const row of rows) {
      const target = /"target_key":"([^"\\]*)"/.exec(row.details)?.[1]?.toLowerCase() ?? null;
      await sql`update audit set target = ${target} where seq = ${row.seq}`.execute(tx);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    seq = last.seq;
  }
}
