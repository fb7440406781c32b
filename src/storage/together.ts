import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { Tx } from './tx.ts';

/** One transaction that waits for its turn; `end` is called once it is committed, or with why it was not. */
type Waiting = {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly end: (failure: Failure) => void;
};

type Failure = { readonly error: unknown } | undefined;

/** How many are committed at once, at most: the first of them waits for the last. */
const AT_ONCE = 64;

/**
 * Runs transactions of a database with one connection, in the order they are asked for. Those that were asked for
 * while others ran are committed together, with one flush to the disk for all; each still stands or falls alone, and
 * none resolves before the commit.
 */
export function together(db: Kysely<Schema>): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  const waiting: Waiting[] = [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) await commit(db, waiting.splice(0, AT_ONCE));
    isRunning = false;
  };
  return <T>(work: (tx: Tx) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      let result: T;
      waiting.push({
        work: async (tx) => void (result = await work(tx)),
        end: (failure) => (failure === undefined ? resolve(result) : reject(failure.error)),
      });
      if (!isRunning) void run();
    });
}

/** Commits a group; never rejects. What fails is undone by itself, and the others are committed. */
async function commit(db: Kysely<Schema>, group: readonly Waiting[]): Promise<void> {
  const failures = new Map<Waiting, Failure>();
  let lost: Failure;
  try {
    await db.transaction().execute(async (tx) => {
      // Alone it needs no savepoint: its failure undoes the whole.
      if (group.length === 1) return group[0]?.work(tx);
      for (const one of group) failures.set(one, await alone(tx, one));
    });
  } catch (error) {
    lost = { error };
  }
  for (const one of group) one.end(failures.get(one) ?? lost);
}

/** Runs one of a group; resolves with why it was undone, if it was. */
async function alone(tx: Tx, { work }: Waiting): Promise<Failure> {
  await sql`savepoint one`.execute(tx);
  let failure: Failure;
  try {
    await work(tx);
  } catch (error) {
    failure = { error };
    // Where the disk is full SQLite has undone everything by itself, and so nobody's work stands.
    await sql`rollback to one`.execute(tx).catch(() => Promise.reject(error));
  }
  await sql`release one`.execute(tx);
  return failure;
}
