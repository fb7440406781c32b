import { sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Whatever makes a change, message or timer due announces it when it commits; see `listener.ts`. */
export async function announceDueWork(tx: Tx, dialect: SqlDialect): Promise<void> {
  for (const statement of dialect.announceDue(['changes', 'messages', 'timers'])) await sql.raw(statement).execute(tx);
}
