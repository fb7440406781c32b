import type { Database } from './database.ts';

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
