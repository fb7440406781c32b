import { sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tx } from '../tx.ts';

/** Several changes may read one environment. Older programs would not see these locks, so they are excluded. */
export async function sharedLocks(tx: Tx, { integer, strict }: SqlDialect): Promise<void> {
  const statements = [
    `create table shared_locks (
      target text not null,
      change ${integer} not null references changes (number),
      taken_at ${integer} not null,
      until ${integer},
      primary key (target, change)
    ) ${strict}`,
    'create index shared_locks_of_change on shared_locks (change)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(tx);
}
