import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Lets the lines of deeds beside changes be found: PostgreSQL reads the whole trail for them where they are few. */
export async function deedsIndex(tx: Tx): Promise<void> {
  await sql`create index audit_of_deeds on audit (seq) where change is null`.execute(tx);
}
