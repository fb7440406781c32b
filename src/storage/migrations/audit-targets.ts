import { sql } from 'kysely';
import type { Dialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Lines that one statement takes: it has to end within the time that a statement may take. */
const piece = 50_000;

/**
 * Lets the lines about a target be found, however many there are and however many others stand after them: each names
 * it in a column of its own. No hash is over that column, so no line has another one afterwards.
 */
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
  for (let from = 0; from < last; from += piece)
    await sql`
      update audit set target = (select target from changes where number = audit.change)
      where seq > ${from} and seq <= ${from + piece} and change is not null`.execute(tx);
}

/** Lines of deeds beside changes say it in their details. */
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
