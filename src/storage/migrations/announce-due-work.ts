import { sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Whatever makes a change, a timer or a post due announces it when it commits; see `listener.ts`. */
export async function announceDueWork(tx: Tx, dialect: SqlDialect): Promise<void> {
  for (const statement of dialect.announceDue) await sql.raw(statement).execute(tx);
}
