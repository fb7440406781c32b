import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../base/errors.ts';
import { otherThanFile } from '../base/regular-file.ts';

/** Who may read the files of a SQLite database, and whether they are still the files that were opened. */

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
export function makeFile(path: string): void {
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
export function makePrivate(path: string, onWarning: (warning: string) => void): void {
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
export function watchFiles(paths: readonly string[]): () => string | undefined {
  const opened = paths.map((path) => ({ path, id: idOf(path) }));
  return () => opened.find(({ path, id }) => id === undefined || idOf(path) !== id)?.path;
}

/** Device and inode: while the file is open, no other one can get the same. */
function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
