import { setTimeout } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Jump } from './clock.ts';
import { kindOf, isRetryable, type Kind } from './sql-dialect.ts';
import type { OnLost } from './postgres.ts';
import type { Schema } from './schema.ts';
import { createReliance, type DatabaseLost } from './reliance.ts';
import { openSqlite, readSqlite, wasNotFlushed } from './sqlite.ts';
import { shared } from './coalesce.ts';
import { beginTime, type Clocks, type Time } from './time.ts';
import type { Reader, Tx } from './tx.ts';

export type { Tx };

/** The open database of one bot. */
export type Database = {
  readonly kind: Kind;
  /** For reads outside a transaction. Inside one it must not be used: on SQLite that waits for ever. */
  readonly db: Kysely<Schema>;
  /**
   * Runs `work` in a transaction that is committed when it resolves and rolled back when it rejects. `work` touches
   * nothing but its transaction, because it runs again (twice at most) when PostgreSQL gave it up for another one.
   * When the promise rejects because the connection was lost, or the disk did not flush, it is not known whether the
   * commit took place.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As `transaction`, for work that is one statement, which commits by itself: two trips to the database less. */
  statement<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  /** As `transaction`, but nobody waits for the disk: for leases and the like, which a machine may lose with its power. */
  unflushed<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The time by which everything expires, in epoch milliseconds: one clock for all replicas. It does not go back, and
   * does not jump with the clock; see `clock.ts`.
   */
  now(tx?: Tx): Promise<number>;
  /** By how much the clock is ahead of that (behind: negative), in ms: for replicas that start beside this one. */
  readonly clockAhead: () => number;
  /**
   * Throws, and has the process end, where what is committed now would be lost: a file was removed or replaced. Asked
   * just before `sending` is committed.
   */
  readonly stillOurs: () => void;
  /** Tells this database from any other: 16 hex digits. */
  readonly installation: string;
  /** Waits for running queries and lets go of files and connections. */
  close(): Promise<void>;
};

/** What a test, or the log, may hang on to a database. */
export type DatabaseOptions = {
  /** Stands in for the time, in epoch milliseconds. */
  readonly now?: () => number;
  /** Stand in for the clocks of this machine. */
  readonly clocks?: Partial<Clocks>;
  /** Told of every jump of the clock, once, when whoever opens the database has it. */
  readonly onJump?: (jump: Jump) => void;
  /** Told of every lost connection to PostgreSQL. */
  readonly onLost?: OnLost;
  /** Told once that nothing of this database can be relied on any more: the process must end now, and do nothing else. */
  readonly onFatal?: (error: DatabaseLost) => void;
  /** Gets a sentence about files that others could read. */
  readonly onWarning?: (warning: string) => void;
};

const ATTEMPTS = 3;

/**
 * Opens `sqlite:PATH`, `sqlite::memory:` or `postgres://…` and brings its tables up to date. Rejects with a sentence
 * if the address is neither, a second bot holds the file, or a newer version wrote the tables.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { db, ...ways } = await openEither(url, options);
  try {
    const early: Jump[] = [];
    let onJump = (jump: Jump): void => void early.push(jump);
    const { now, ahead } = await timeOf(db, options, (jump) => onJump(jump));
    const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
    onJump = options.onJump ?? (() => {});
    // Whoever is told writes it into the database, and does not have that yet.
    setImmediate(() => early.forEach(onJump));
    return { kind: kindOf(db), db, ...ways, now, clockAhead: ahead, installation: id, close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Opens the same for reading alone, beside a running bot: no tables are made or changed. The caller destroys it. */
export async function openToRead(url: string): Promise<Kysely<Schema>> {
  if (isSqlite(url)) return readSqlite(url.slice('sqlite:'.length));
  const { readPostgres } = await postgres();
  return readPostgres(url, () => {});
}

/** Its client is loaded where it is used: most start without. */
const postgres = () => import('./postgres.ts');

const isSqlite = (url: string): boolean => /^sqlite:./.test(url);

type Ways = Pick<Database, 'db' | 'transaction' | 'statement' | 'unflushed' | 'stillOurs'>;

async function openEither(url: string, { onLost = () => {}, ...options }: DatabaseOptions): Promise<Ways> {
  if (isSqlite(url)) return openFile(url.slice('sqlite:'.length), options);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await postgres();
    const db = await openPostgres(url, onLost);
    const one: Database['transaction'] = (work) => transaction(db, work);
    return { db, transaction: one, statement: (work) => work(db), unflushed: one, stillOurs: () => {} };
  }
  throw new Error('DATABASE_URL must be sqlite:PATH or postgres://USER@HOST/DATABASE. Nothing was opened.');
}

/** In a file: a commit is told of once it is on the disk; what is committed later is flushed later. */
async function openFile(path: string, { onFatal = () => {}, onWarning = () => {} }: DatabaseOptions): Promise<Ways> {
  const { db, flush, replaced } = await openSqlite(path, onWarning);
  const reliance = createReliance(onFatal);
  const flushed = shared(async () => {
    reliance.check();
    // The next one would succeed, without what this one has not written: the system forgets it.
    await flush().catch((error: unknown) => reliance.end(unflushedWords(path), error));
  });
  const committed = async <T>(work: () => Promise<T>): Promise<T> => {
    reliance.check();
    return work().catch((error: unknown) => {
      if (wasNotFlushed(error)) reliance.end(unflushedWords(path), error);
      throw error;
    });
  };
  const onDisk = async <T>(work: () => Promise<T>): Promise<T> => {
    const result = await committed(work);
    await flushed();
    return result;
  };
  return {
    db,
    transaction: (work) => onDisk(() => db.transaction().execute(work)),
    statement: (work) => onDisk(() => work(db)),
    unflushed: (work) => committed(() => db.transaction().execute(work)),
    stillOurs: () => {
      reliance.check();
      const other = replaced();
      if (other !== undefined) reliance.end(replacedWords(other));
    },
  };
}

const unflushedWords = (path: string): string =>
  `The disk did not take what was written to ${path}, and what is on it now is not known. Nothing more is sent. Look at the disk, then start again: what was being sent is called unknown.`;
const replacedWords = (path: string): string =>
  `${path} was removed or replaced while it was open, so what is written would be lost, or another Sitehand may have it. Nothing more is sent. Put the file back, make sure that one Sitehand runs, then start again.`;

/** On a server, with many connections. */
async function transaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Each statement sees what is committed when it starts: what is read behind a row's or an advisory lock is fresh.
      return await db.transaction().setIsolationLevel('read committed').execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      // Begun again at once, it could overtake the one it made way for, and meet it head-on once more.
      await setTimeout(attempt * 20 + Math.random() * 20);
    }
  }
}

async function timeOf(
  db: Kysely<Schema>,
  { now, clocks = {} }: DatabaseOptions,
  onJump: (jump: Jump) => void,
): Promise<Time> {
  return now === undefined ? beginTime(db, clocks, onJump) : { now: async () => now(), ahead: () => 0 };
}
