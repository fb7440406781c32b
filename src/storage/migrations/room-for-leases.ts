import { sql } from 'kysely';
import type { Dialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Keeps claims cheap when many rows wait: each writes a lease into its row and clears it later. */
export async function roomForLeases(tx: Tx, { roomIn }: Dialect): Promise<void> {
  for (const statement of ['changes', 'messages', 'timers'].flatMap(roomIn)) await sql.raw(statement).execute(tx);
}
