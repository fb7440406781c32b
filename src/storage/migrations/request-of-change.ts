import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Gives changes the id of the delivery that asked for them. Older programs need not know it. */
export async function requestOfChange(tx: Tx): Promise<void> {
  await sql`alter table changes add column request text`.execute(tx);
}
