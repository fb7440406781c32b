import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/** Adds a count of reads in a row that did not find a timer's addresses: a single read is no evidence. */
export async function timesMissing(tx: Tx): Promise<void> {
  await sql`alter table timers add column times_missing integer not null default 0`.execute(tx);
}
