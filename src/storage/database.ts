import { setTimeout } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Jump, beginTime, type Time } from './clock.ts';
import { migrations as ourMigrations, type Migration } from './migrations/migrate.ts';
import { CommitUnanswered, isLostConnection } from '../base/lost-connection.ts';
import type { OnLost } from './postgres.ts';
import { databaseKind, isRetryable, type DatabaseKind } from './sql-dialect.ts';
import type { Listening } from './listener.ts';
import type { Schema, ReadHandle, Tx } from './schema.ts';
import { openSqlite, readSqlite, wasNotFlushed } from './sqlite.ts';
import { watchWrites } from './writes.ts';

export type { Tx };

export type Database = {
  readonly kind: DatabaseKind;
  /** For reads outside a transaction. Never use it inside one: on SQLite that deadlocks. */
  readonly db: Kysely<Schema>;
  /**
   * Runs `work` in a transaction, committed when it resolves and rolled back when it rejects. `work` must have no other
   * effects, because it is retried (twice at most) when PostgreSQL aborts it for a deadlock or conflict. If the promise
   * rejects because the disk did not flush, or with `CommitUnanswered`, the commit may or may not have happened.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As `transaction`, for a single statement that commits by itself: saves two round trips. */
  statement<T>(work: (db: ReadHandle) => Promise<T>): Promise<T>;
  /** As `transaction`, but without waiting for the disk: for leases and the like, which may be lost in a power cut. */
  transactionWithoutFsync<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As `transaction`, for work that always writes: if it succeeds, `refusesWrites` is over. */
  transactionThatWrites<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Whether the database is read-only or its disk is full, as of the last write that showed it. */
  readonly refusesWrites: () => boolean;
  /**
   * The current time, in epoch milliseconds, shared by all replicas. It never goes back and does not jump with the
   * clock; see `clock.ts`.
   */
  now(tx?: Tx): Promise<number>;
  /** How far the clock is ahead of that time, in ms (negative: behind): for replicas that start later. */
  readonly clockAhead: () => number;
  /**
   * Throws if this version is outdated. Throws and ends the process if the database's files were removed or replaced,
   * because commits would be lost. Called just before `sending` is committed.
   */
  readonly stillOurs: () => void;
  /** Whether a newer version has changed the tables so that this one must take no more work. Once true, it stays true. */
  readonly isOutdated: () => boolean;
  /** Resolves with a sentence when this version becomes outdated. */
  readonly outdated: Promise<string>;
  /** Takes how many migrations a program must know to work on the tables; the number is read with the due work. */
  readonly noteNeeded: (migrations: number) => void;
  /**
   * PostgreSQL: keeps a connection beside the pool. It calls `onDue` when work becomes due on any replica, and
   * `onTrouble` when it can't listen. `url` defaults to the address of the database. SQLite: does nothing. Call it
   * once.
   */
  readonly listen: (to: Pick<Listening, 'onDue' | 'onTrouble'> & { readonly url: string | undefined }) => void;
  /** The id of this database, 16 hex digits. */
  readonly installation: string;
  /** Waits for running queries, then closes files and connections. */
  close(): Promise<void>;
};

export type DatabaseOptions = {
  /** Replaces the time in tests, in epoch milliseconds. */
  readonly now?: () => number;
  /** Called once for each clock jump, but not before `openDatabase` has resolved. */
  readonly onJump?: (jump: Jump) => void;
  /** Replaces the migrations in tests. */
  readonly migrations?: readonly Migration[];
  /** Called for each lost connection to PostgreSQL. */
  readonly onLost?: OnLost;
  /** Called once when the database can't be relied on any more: the process must do nothing else and end. */
  readonly onFatal?: (error: DatabaseLost) => void;
  /** Called with a sentence about files that other users could read or replace. */
  readonly onWarning?: (warning: string) => void;
};

/** The database can't be relied on any more, so the process must end. The message says what was found and what to do. */
class DatabaseLost extends Error {
  override readonly name = 'DatabaseLost';
}

const maxAttempts = 3;

/**
 * Opens `sqlite:PATH`, `sqlite::memory:` or `postgres://…` and migrates its tables. Rejects with a sentence for people
 * if the address is none of these, another bot has the file open, or a newer version excludes this one.
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const { migrations = ourMigrations } = options;
  const { db, stillOurs, listenForDue, ...transactions } = await openEither(url, { ...options, migrations });
  let stopListening = (): void => {};
  try {
    const early: Jump[] = [];
    let onJump = (jump: Jump): void => void early.push(jump);
    const { now: given } = options;
    const { now, ahead }: Time = given
      ? { now: async () => given(), ahead: () => 0 }
      : await beginTime(db, (jump) => onJump(jump));
    const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
    onJump = options.onJump ?? (() => {});
    // Delayed, because the caller reports a jump through the database, which it doesn't have yet.
    setImmediate(() => early.forEach(onJump));
    return {
      kind: databaseKind(db),
      db,
      ...watchWrites(transactions),
      ...watchMigrations(migrations.length, stillOurs),
      now,
      clockAhead: ahead,
      listen: (to) => {
        stopListening = listenForDue?.({ ...to, url: to.url ?? url, installation: id }) ?? stopListening;
      },
      installation: id,
      close: () => {
        stopListening();
        return db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Watches whether a newer version excludes one that knows `known` migrations. */
function watchMigrations(
  known: number,
  stillOurs: () => void,
): Pick<Database, 'isOutdated' | 'outdated' | 'noteNeeded' | 'stillOurs'> {
  const { promise: outdated, resolve } = Promise.withResolvers<string>();
  let why: string | undefined;
  return {
    outdated,
    isOutdated: () => why !== undefined,
    noteNeeded: (migrations) => {
      if (migrations <= known) return;
      why = outdatedWords(migrations, known);
      resolve(why);
    },
    stillOurs: () => {
      if (why !== undefined) throw new Error(why);
      stillOurs();
    },
  };
}

const outdatedWords = (needed: number, known: number): string =>
  `A newer Sitehand has changed the database (it needs a version that knows ${needed} migrations; this one knows ${known}). This one takes no more work and sends nothing more. Stop it, and start the newer version in its place.`;

/** Opens the same address read-only, beside a running bot, without migrating it. The caller must destroy it. */
export async function openToRead(url: string): Promise<Kysely<Schema>> {
  const file = sqlitePath(url);
  if (file !== undefined) return readSqlite(file);
  const { readPostgres } = await postgres();
  return readPostgres(url);
}

/** Loaded on demand: most bots run on SQLite. */
const postgres = () => import('./postgres.ts');

/** The path of `sqlite:PATH`; undefined for any other address. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:(.+)$/s.exec(url)?.[1];

type OpenedDatabase = Pick<Database, 'db' | 'transaction' | 'statement' | 'transactionWithoutFsync' | 'stillOurs'> & {
  readonly listenForDue?: (listening: Listening) => () => void;
};

type Opening = DatabaseOptions & Required<Pick<DatabaseOptions, 'migrations'>>;

async function openEither(url: string, { onLost = () => {}, ...options }: Opening): Promise<OpenedDatabase> {
  const file = sqlitePath(url);
  if (file !== undefined) return openFile(file, options);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await postgres();
    const { listenForDue } = await import('./listener.ts');
    const db = await openPostgres(url, onLost, options.migrations);
    const retried: Database['transaction'] = (work) => transaction(db, work);
    const statement: Database['statement'] = (work) => work(db);
    return { db, transaction: retried, statement, transactionWithoutFsync: retried, stillOurs: () => {}, listenForDue };
  }
  throw new Error('DATABASE_URL must be sqlite:PATH or postgres://USER@HOST/DATABASE. Nothing was opened.');
}

/** On SQLite: a transaction resolves once its commit is flushed. Concurrent commits share a flush. */
async function openFile(
  path: string,
  { onFatal = () => {}, onWarning = () => {}, migrations }: Opening,
): Promise<OpenedDatabase> {
  const { db, flush, replaced } = await openSqlite(path, onWarning, migrations);
  const reliance = createReliance(onFatal);
  const flushed = coalesce(async () => {
    reliance.check();
    // Fatal: the kernel drops the failed pages, so a later flush would succeed without them.
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
    transactionWithoutFsync: (work) => committed(() => db.transaction().execute(work)),
    stillOurs: () => {
      reliance.check();
      const other = replaced();
      if (other !== undefined) reliance.end(replacedWords(other));
    },
  };
}

/** Whether the database can still be relied on. `check` throws `DatabaseLost` after `end`, which calls `onFatal` once. */
function createReliance(onFatal: (error: DatabaseLost) => void) {
  let lost: DatabaseLost | undefined;
  const check = (): void => {
    if (lost) throw lost;
  };
  return {
    check,
    end: (message: string, cause?: unknown): never => {
      check();
      lost = new DatabaseLost(message, { cause });
      onFatal(lost);
      throw lost;
    },
  };
}

const unflushedWords = (path: string): string =>
  `The disk didn't save what was written to ${path}, and I don't know what is on it now. Nothing more is sent. Please check the disk, then start me again: what was being sent will be reported as unknown.`;
const replacedWords = (path: string): string =>
  `${path} was removed or replaced while it was open, so new data would be lost, or another Sitehand may be using it. Nothing more is sent. Put the file back, make sure that only one Sitehand runs, then start again.`;

/** On PostgreSQL. */
async function transaction<T>(db: Kysely<Schema>, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    let isCommitting = false;
    try {
      return await db.transaction().execute(async (tx) => {
        const result = await work(tx);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      if (isCommitting && isLostConnection(error)) throw new CommitUnanswered(error);
      if (attempt === maxAttempts || !isRetryable(error)) throw error;
      // An immediate retry could deadlock with the same transaction again.
      await setTimeout(attempt * 20 + Math.random() * 20);
    }
  }
}

/**
 * Wraps `work` so that it never runs twice at the same time. Calls during a run share one further run, which starts
 * when the current one ends, even if that fails.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    const now = work().finally(() => {
      if (running === now) running = undefined;
    });
    running = now;
    return now;
  };
  return () => (running === undefined ? begin() : (next ??= running.then(begin, begin)));
}
