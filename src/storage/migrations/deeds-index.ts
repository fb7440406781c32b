import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** An index for audit lines without a change: if they are few, PostgreSQL would read the whole trail to find them. */
export async function deedsIndex(tx: Tx): Promise<void> {
  await sql`create index audit_of_deeds on audit (seq) where change is null`.execute(tx);
}
