import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Finds pauses in a long audit trail. Older programs need not know it. */
export async function pausesInTheTrail(tx: Tx): Promise<void> {
  await sql`create index audit_of_pauses on audit (seq) where event in ('pause', 'resume')`.execute(tx);
}
