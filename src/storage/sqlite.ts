import { open, type FileHandle } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { lockOf, makeFile, makePrivate, watchFiles } from './files.ts';
import { migrate } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';

/** How long a statement waits, in ms, while a person's own shell writes to the file; meanwhile the whole process waits. */
const BUSY_MS = 250;
/** SQLite's result code for a file that somebody else has locked. */
const SQLITE_BUSY = 5;
/** Those for a file, or its folder, that was not flushed. */
const notFlushed = new Set([1034, 1290]);

/** The database and, unless it is in memory, the handle that keeps other bots out. */
type Files = { readonly database: DatabaseSync; readonly guard?: DatabaseSync };

/** An open database. */
export type Sqlite = {
  readonly db: Kysely<Schema>;
  /** Makes sure that all it has committed by now is on the disk. Once it has failed nobody knows what is there. */
  readonly flush: () => Promise<void>;
  /** The path of a file that is not the one that was opened any more, or undefined. */
  readonly replaced: () => string | undefined;
};

/**
 * Opens the file at `path` (`:memory:` keeps nothing), makes it and its folder readable for this user alone, and brings
 * its tables up to date. Rejects if another bot has the file open, or a newer version wrote it. `onWarning` gets
 * sentences about files that others could read.
 */
export async function openSqlite(path: string, onWarning: (warning: string) => void): Promise<Sqlite> {
  const isFile = path !== ':memory:';
  const files = isFile ? openFiles(path, onWarning) : { database: new DatabaseSync(path) };
  // `replace` removes a row unseen by triggers, which would leave the audit trail open, unless they are recursive.
  files.database.exec('pragma foreign_keys = on; pragma recursive_triggers = on');
  const log: { file?: FileHandle } = {};
  const close = (): void => {
    // Nothing is written any more: what is left to flush is not told to anybody.
    log.file?.close().catch(() => undefined);
  };
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapter(files, close) }) });
  try {
    await migrate(db);
    if (!isFile) return { db, flush: () => Promise.resolve(), replaced: () => undefined };
    // Its log is there now, on the disk with its name, and stays the same file for as long as the database is open.
    const real = files.database.location() ?? path;
    const file = await open(`${real}-wal`);
    log.file = file;
    // A flush within a commit would keep the whole process waiting: a commit is told of once its log is flushed.
    files.database.exec('pragma synchronous = normal');
    // By the given name as well: a symbolic link may lead elsewhere by then.
    const replaced = watchFiles([real, `${real}-wal`, lockOf(real), path]);
    return { db, flush: () => file.datasync(), replaced };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Opens the file for reading alone, beside a bot that has it open; its tables stay as they are. */
export function readSqlite(path: string): Kysely<Schema> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapter({ database }) }) });
}

function openFiles(path: string, onWarning: (warning: string) => void): Files {
  const database = openDatabaseAt(path);
  try {
    makePrivate(path, onWarning);
    const guard = keepOthersOut(database.location() ?? path);
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
    return { database, guard };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What is no database is somebody else's: it is told apart before anything of it, or beside it, is changed. */
function openDatabaseAt(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    database.prepare('pragma schema_version').get();
    return database;
  } catch (error) {
    database?.close();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${path} cannot be opened as a database: ${why}. Nothing of it was changed. Check DATABASE_URL, sqlite:PATH with the path of a file.`,
      { cause: error },
    );
  }
}

/**
 * Holds an open exclusive transaction on an empty database beside the file: the system ends it with the process,
 * however that dies, and the file itself stays readable for a shell or a backup.
 */
function keepOthersOut(path: string): DatabaseSync {
  const guard = new DatabaseSync(lockOf(path), { timeout: 0 });
  try {
    guard.exec('begin exclusive');
    return guard;
  } catch (error) {
    guard.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new Error(
      `Another Sitehand has ${path} open; this one was not started. Stop the other one, or give this one its own DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Whether SQLite was told by the system that something did not get to the disk. */
export const wasNotFlushed = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && notFlushed.has(error.errcode);

type Statement = ReturnType<SqliteDatabase['prepare']>;

/** Statements kept prepared; what changes with each use stands in their values, so few differ. */
const PREPARED = 200;

/** What Kysely asks of a SQLite library, answered by Node's own. */
function adapter({ database, guard }: Files, onClose?: () => void): SqliteDatabase {
  const prepared = new Map<string, Statement>();
  const prepare = (text: string): Statement => {
    const statement = database.prepare(text);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...values.map(bindable)),
      run: (values) => statement.run(...values.map(bindable)),
      // It is read while others run, so it has a statement of its own.
      iterate: (values) => database.prepare(text).iterate(...values.map(bindable)),
    };
  };
  return {
    prepare(said) {
      const text = meant(said, database);
      const statement = prepared.get(text) ?? prepare(text);
      prepared.delete(text);
      prepared.set(text, statement);
      const [oldest] = prepared.size > PREPARED ? prepared.keys() : [];
      if (oldest !== undefined) prepared.delete(oldest);
      return statement;
    },
    close() {
      onClose?.();
      database.close();
      guard?.close();
    },
  };
}

/** Kysely's own words of a transaction, as they have to be said here. */
function meant(text: string, { isTransaction }: DatabaseSync): string {
  // A transaction that begins as a reader can be refused when it comes to write.
  if (text === 'begin') return 'begin immediate';
  // Where the disk is full SQLite has rolled back by itself; a second time is an error, which would hide the first.
  return text === 'rollback' && !isTransaction ? 'select 1' : text;
}

function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError(
    `the tables keep text and whole numbers, not ${typeof value === 'number' ? value : typeof value}`,
  );
}
