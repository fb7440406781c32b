import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A database file and its companions: who may read them, and whether they are still the ones that were opened. */

/** Beside the database: held by the bot that has it open, so that no second one can. */
export const lockOf = (path: string): string => `${path}.lock`;

/** Makes the database file and its folder, for this user alone; what is there already is let alone. */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('it is a folder');
  create(path);
}

/**
 * Takes from others what they may do with the file of a database and its companions; `onWarning` gets a sentence about
 * each of those.
 */
export function makePrivate(path: string, onWarning: (warning: string) => void): void {
  const real = realpathSync(path);
  create(lockOf(real));
  const files = [real, `${real}-wal`, `${real}-shm`, lockOf(real)];
  for (const file of files.filter(isOpenToOthers)) onWarning(closeToOthers(file));
  const folder = statSync(dirname(real));
  // With the sticky bit others may write there and still not replace what is ours.
  if ((folder.mode & 0o022) !== 0 && (folder.mode & 0o1000) === 0) {
    onWarning(`Others may write in ${dirname(real)} and so replace the database. Take that from them: chmod go-w.`);
  }
}

/** SQLite gives its companion files the mode of the database. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    // One that is there is not opened: to close it again would end the locks that this process has on it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

const isOpenToOthers = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;

function closeToOthers(path: string): string {
  try {
    chmodSync(path, 0o600);
    return `Others could read ${path}; now this user alone can. Keys that were in it before may have been seen.`;
  } catch {
    return `Others can read ${path}, and I may not change that. Its owner can: chmod 600.`;
  }
}

/**
 * Remembers which files stand at these paths now. What it returns looks again: the path of the first that is gone or
 * another one, or undefined while all are the same.
 */
export function watchFiles(paths: readonly string[]): () => string | undefined {
  const opened = paths.map((path) => ({ path, id: idOf(path) }));
  return () => opened.find(({ path, id }) => id === undefined || idOf(path) !== id)?.path;
}

/** While a file is open no other one gets its number. */
function idOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
