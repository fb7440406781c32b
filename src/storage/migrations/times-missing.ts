import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Room for how often in a row the addresses of a timer were not found: one look is no evidence. */
export async function timesMissing(tx: Tx): Promise<void> {
  await sql`alter table timers add column times_missing integer not null default 0`.execute(tx);
}
