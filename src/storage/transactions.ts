import type { Database } from './database.ts';
import { acquireGlobalLock } from './sql-dialect.ts';
import type { Tx } from './schema.ts';

/** Transactions of special kinds: those that exclude all others, and those that are timed. */

/** A transaction that excludes all others that lock, send or write the audit trail. `at`: its time, epoch ms. */
export const exclusiveTransaction = <T>(database: Database, work: (tx: Tx, at: number) => Promise<T>): Promise<T> =>
  database.transaction(async (tx) => {
    await acquireGlobalLock(tx);
    return work(tx, await database.now(tx));
  });

/** The database with its transactions timed: `begin` starts a timer and returns the function that stops it. */
export function timed(database: Database, begin: () => () => unknown): Database {
  const during = async <T>(running: Promise<T>): Promise<T> => {
    const end = begin();
    return running.finally(end);
  };
  return {
    ...database,
    transaction: (work) => during(database.transaction(work)),
    statement: (work) => during(database.statement(work)),
    transactionWithoutFsync: (work) => during(database.transactionWithoutFsync(work)),
  };
}
