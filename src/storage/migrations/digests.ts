import { sql } from 'kysely';
import type { Tx } from '../tx.ts';

/**
 * Gives watches a kind: a digest is one that tells once a week. It excludes programs from before it, which would read
 * logs for digests.
 */
export async function digests(tx: Tx): Promise<void> {
  const column = "kind text not null default 'errors' check (kind in ('errors', 'digest'))";
  await sql.raw(`alter table watches add column ${column}`).execute(tx);
}
