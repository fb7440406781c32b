import { errorCode } from '../base/errors.ts';
import { sqliteCode } from './sqlite.ts';
import type { ReadHandle, Tx } from './schema.ts';

type Transactions = {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  statement<T>(work: (db: ReadHandle) => Promise<T>): Promise<T>;
  transactionWithoutFsync<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
};

/** SQLite's result codes, in the lowest byte, for a file that is read-only, cannot be written, or has no room. */
const sqliteRefusals = new Set([8, 10, 13]);
/** PostgreSQL's for a read-only server, a full disk, and a failed write to one. */
const postgresRefusals = new Set(['25006', '53100', '58030']);

const isRefusal = (error: unknown): boolean =>
  sqliteRefusals.has(sqliteCode(error) & 0xff) || postgresRefusals.has(errorCode(error));

/** The same transactions, and whether the database takes writes, as of the last one that shows it. */
export function watchWrites(own: Transactions): Transactions & {
  readonly refusesWrites: () => boolean;
  transactionThatWrites<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
} {
  let refuses = false;
  const noted = async <R>(running: Promise<R>): Promise<R> =>
    running.catch((error: unknown) => {
      refuses ||= isRefusal(error);
      throw error;
    });
  const transaction: Transactions['transaction'] = (work) => noted(own.transaction(work));
  return {
    ...own,
    transaction,
    statement: (work) => noted(own.statement(work)),
    transactionWithoutFsync: (work) => noted(own.transactionWithoutFsync(work)),
    refusesWrites: () => refuses,
    transactionThatWrites: async (work) => {
      const result = await transaction(work);
      refuses = false;
      return result;
    },
  };
}
