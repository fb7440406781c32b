import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, errorMessage } from '../base/errors.ts';
import { otherThanFile } from '../base/bounded-reads.ts';
import { open, type FileHandle } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { migrate, type Migration } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';
import { BoundedMap } from '../base/caches.ts';

/** SQLite: who may read its files, whether they are still those that were opened, and how they are opened. */

/** The lock file beside the database: the bot holds it, so that no second one can open the database. */
export const lockOf = (path: string): string => `${path}.lock`;

/** Whether this user may read the file. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates the database file and its folder, readable by this user only. Existing ones are left as they are. Throws if
 * another database's log is there: SQLite would empty it, and that database would lose its newest changes.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const found = statSync(path, { throwIfNoEntry: false });
  const other = otherThanFile(found);
  if (other) throw new Error(`it is ${other}`);
  const log = `${path}-wal`;
  if ((found?.size ?? 0) === 0 && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(`${log} holds the newest changes of a database that is not there; move it to that database`);
  create(path);
}

/** Removes other users' rights to a database's files. `onWarning` gets a sentence about each file that had some. */
function makePrivate(path: string, onWarning: (warning: string) => void): void {
  const real = realpathSync(path);
  create(lockOf(real));
  const files = [real, `${real}-wal`, `${real}-shm`, lockOf(real)];
  for (const file of files.filter(isOpenToOthers)) onWarning(closeToOthers(file));
  const folder = statSync(dirname(real));
  // With the sticky bit, others can write there but not replace our files.
  if ((folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0) {
    onWarning(
      `Others can write in ${dirname(real)} and so replace the database. Please remove that right: chmod go-w.`,
    );
  }
}

/** Only the database and the lock file: SQLite gives `-wal` and `-shm` the mode of the database. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    // Don't even open an existing file: closing it again would release this process's locks on it.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const isOpenToOthers = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

function closeToOthers(path: string): string {
  try {
    chmodSync(path, 0o600);
    return `Others could read ${path}; now only this user can. They may have seen keys that it contained.`;
  } catch {
    return `Others can read ${path}, and I'm not allowed to change that. Its owner can: chmod 600.`;
  }
}

/**
 * Remembers the files at these paths. The returned function checks them again and returns the first path whose file is
 * gone or replaced, or undefined.
 */
function watchFiles(paths: readonly string[]): () => string | undefined {
  const opened = paths.map((path) => ({ path, id: idOf(path) }));
  return () => opened.find(({ path, id }) => id === undefined || idOf(path) !== id)?.path;
}

/** Device and inode: while the file is open, no other one can get the same. */
function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** How long a statement waits, in ms, if another program writes to the file. Short: it blocks the whole process. */
const busyMs = 250;
/** SQLite's result code for a file locked by another process. */
const sqliteBusy = 5;
/** SQLite's result codes for a file or folder that could not be flushed. */
const notFlushed = new Set([1034, 1290]);

/** The database and, unless it is in memory, the handle on its lock file. */
type Files = { readonly database: DatabaseSync; readonly guard?: DatabaseSync };

type Sqlite = {
  readonly db: Kysely<Schema>;
  /** Flushes all commits so far to the disk. After a failure the content of the disk is unknown. */
  readonly flush: () => Promise<void>;
  /** The path of a file that was removed or replaced since it was opened, or undefined. */
  readonly replaced: () => string | undefined;
};

/**
 * Opens the file at `path` (`:memory:`: no file), makes it private to this user and migrates its tables. Rejects if
 * another bot has the file open, or a newer version excludes this one. `onWarning` gets sentences about files that
 * others could read.
 */
export async function openSqlite(
  path: string,
  onWarning: (warning: string) => void,
  migrations: readonly Migration[],
): Promise<Sqlite> {
  const isFile = path !== ':memory:';
  const files = isFile ? openFiles(path, onWarning) : { database: new DatabaseSync(path) };
  files.database.exec('pragma foreign_keys = on');
  const log: { file?: FileHandle } = {};
  const close = (): void => {
    // Ignore errors: nobody waits for a flush any more.
    log.file?.close().catch(() => undefined);
  };
  const db = kyselyOn(files, close);
  try {
    await migrate(db, migrations);
    if (!isFile) return { db, flush: () => Promise.resolve(), replaced: () => undefined };
    // The migration has created the log file, and SQLite keeps it until the database is closed.
    const real = files.database.location() ?? path;
    const file = await open(`${real}-wal`);
    log.file = file;
    // A flush inside a commit would block the process. Commits are confirmed after `flush` instead.
    files.database.exec('pragma synchronous = normal');
    // Watch `path` too: it may be a symbolic link that is changed later.
    const replaced = watchFiles([real, `${real}-wal`, lockOf(real), path]);
    return { db, flush: () => file.datasync(), replaced };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Opens the file read-only, beside a running bot, without migrating it. Throws if it is not a regular file. */
export function readSqlite(path: string): Kysely<Schema> {
  const other = otherThanFile(statSync(path, { throwIfNoEntry: false }));
  if (other) throw new Error(`${path} is ${other}, not the file of a database`);
  return kyselyOn({ database: new DatabaseSync(path, { readOnly: true, timeout: busyMs }) });
}

/** Opens a file that no bot uses, such as a backup, for reading and writing, without migrating it. */
export const openIdleSqlite = (path: string): Kysely<Schema> => kyselyOn({ database: new DatabaseSync(path) });

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

/** Opens the database. A file that is not a database is refused before anything in it or beside it is changed. */
function openDatabaseAt(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path, { timeout: busyMs });
    database.prepare('pragma schema_version').get();
    return database;
  } catch (error) {
    database?.close();
    throw new Error(
      `${path} cannot be opened as a database: ${errorMessage(error)}. Nothing was changed. Check DATABASE_URL: it must be sqlite:PATH, with the path of a file.`,
      { cause: error },
    );
  }
}

/**
 * Keeps an exclusive transaction open on an empty database beside the file. The system releases it however the process
 * dies, and shells and backups can still read the database itself.
 */
function keepOthersOut(path: string): DatabaseSync {
  const guard = new DatabaseSync(lockOf(path), { timeout: 0 });
  try {
    guard.exec('begin exclusive');
    return guard;
  } catch (error) {
    guard.close();
    if (sqliteCode(error) !== sqliteBusy) throw error;
    throw new Error(
      `Another Sitehand has ${path} open; this one was not started. Stop the other one, or give this one its own DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Whether SQLite reports that a flush failed. */
export const wasNotFlushed = (error: unknown): boolean => notFlushed.has(sqliteCode(error));

/** SQLite's extended result code, whose lowest byte is the plain one; 0 if the error is not SQLite's. */
export const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;

const kyselyOn = (files: Files, onClose?: () => void): Kysely<Schema> =>
  new Kysely({ dialect: new SqliteDialect({ database: adapter(files, onClose) }) });

type Statement = ReturnType<SqliteDatabase['prepare']>;

/** How many prepared statements are kept. */
const maxPrepared = 200;

/** Node's SQLite behind the interface that Kysely expects. */
function adapter({ database, guard }: Files, onClose?: () => void): SqliteDatabase {
  const prepared = new BoundedMap<string, Statement>(maxPrepared);
  const prepare = (text: string): Statement => {
    const statement = database.prepare(text);
    return {
      reader: statement.columns().length > 0,
      all: (values) => statement.all(...values.map(bindable)),
      run: (values) => statement.run(...values.map(bindable)),
      // Don't use the shared statement: others may run while this one is being iterated.
      iterate: (values) => database.prepare(text).iterate(...values.map(bindable)),
    };
  };
  return {
    prepare(sqlText) {
      const text = adapted(sqlText, database);
      const statement = prepared.get(text) ?? prepare(text);
      prepared.set(text, statement);
      return statement;
    },
    close() {
      onClose?.();
      database.close();
      guard?.close();
    },
  };
}

/** Kysely's transaction statements, adapted for SQLite. */
function adapted(text: string, { isTransaction }: DatabaseSync): string {
  // A plain `begin` starts as a reader and can fail with SQLITE_BUSY at its first write.
  if (text === 'begin') return 'begin immediate';
  // When the disk is full, SQLite rolls back by itself. A second rollback would fail and hide the first error.
  return text === 'rollback' && !isTransaction ? 'select 1' : text;
}

function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError(
    `the tables keep text and whole numbers, not ${typeof value === 'number' ? value : typeof value}`,
  );
}
