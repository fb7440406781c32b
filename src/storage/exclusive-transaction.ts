import type { Database } from './database.ts';
import { acquireGlobalLock } from './sql-dialect.ts';
import type { Tx } from './tx.ts';

/** A transaction that excludes all others that lock, send or write the audit trail. `at`: its time, epoch ms. */
export const exclusiveTransaction = <T>(database: Database, work: (tx: Tx, at: number) => Promise<T>): Promise<T> =>
  database.transaction(async (tx) => {
    await acquireGlobalLock(tx);
    return work(tx, await database.now(tx));
  });
