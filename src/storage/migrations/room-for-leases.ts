import { sql } from 'kysely';
import type { Dialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Makes claims cheap however many rows wait: each writes a lease into its row, and again when it is given back. */
export async function roomForLeases(tx: Tx, { roomIn }: Dialect): Promise<void> {
  for (const statement of ['changes', 'messages', 'timers'].flatMap(roomIn)) await sql.raw(statement).execute(tx);
}
