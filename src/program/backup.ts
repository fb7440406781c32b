import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { counted } from '../commands/kit/page.ts';
import { auditKeysOf, readTrailConfig, type EnvironmentVariables, type TrailConfig } from '../base/config.ts';
import { errorCode, Refusal, type Args } from '../base/errors.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import { flawOf, stepOf, writeBackup } from '../storage/backup.ts';
import { migrations } from '../storage/migrations/migrate.ts';
import { readSqlite } from '../storage/sqlite.ts';
import { storedTimes } from '../storage/clock.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { plain, say, time } from '../words/text.ts';
import { inLines, openExisting } from './audit.ts';
import { failureMessage, exitCodeOf, exitCodes, out, type Out } from './output.ts';

/** `sitehand backup FILE`: copies the database into one file, beside a running bot, and checks the copy. */

const nothing = 'Nothing was written.';

/** Runs the command. Resolves with the exit code; never rejects. */
export async function backup(
  words: Args,
  environment?: EnvironmentVariables,
  { write, complain }: Out = out,
): Promise<number> {
  try {
    const [file] = words;
    if (file === undefined || words.length > 1 || file.startsWith('-'))
      throw new Refusal(`Use backup FILE. ${nothing}`);
    return await run(resolve(file), readTrailConfig(environment), write);
  } catch (error) {
    complain(`${failureMessage(error, 'The backup failed', nothing)}\n`);
    return exitCodes.wrong;
  }
}

async function run(file: string, { databaseUrl, ...keys }: TrailConfig, write: Out['write']): Promise<number> {
  refuseToOverwrite(file);
  await using db = await openExisting(databaseUrl);
  const step = await stepOf(db);
  if (step === 0) throw new Refusal(`The database has no tables yet, so there is nothing to back up. ${nothing}`);
  if (step > migrations.length) {
    throw new Refusal(
      `A newer Sitehand wrote this database (step ${step}; this version knows ${migrations.length}). ${nothing} Use the newer version.`,
    );
  }
  const checked = await unfinished(file, async (part) => {
    await writeBackup(db, part);
    return check(part, auditKeysOf(keys));
  });
  write(`Backed up to ${file}: ${checked.says}\n`);
  return checked.code;
}

function refuseToOverwrite(file: string): void {
  if (existsSync(file)) throw new Refusal(`${file} is there already, and I never overwrite a file. ${nothing}`);
}

/** Gives the file its name once `work` has filled and checked it and it is on the disk. If that fails, removes it. */
async function unfinished<T>(file: string, work: (part: string) => Promise<T>): Promise<T> {
  const part = `${file}.part`;
  create(part);
  let name = part;
  try {
    const result = await work(part);
    flush(part);
    // Only one backup at a time has `part`, so no other backup of ours can have taken the name in the meantime.
    refuseToOverwrite(file);
    renameSync(part, file);
    name = file;
    flush(dirname(file));
    return result;
  } catch (error) {
    rmSync(name, { force: true });
    rmSync(`${part}-journal`, { force: true });
    throw error;
  }
}

/** Creates an empty file that only this user can read. */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') {
      throw new Refusal(
        `${path} is there: another backup to this name is being written, or was interrupted. ${nothing} If none is running, remove that file.`,
      );
    }
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new Refusal(`There is no folder ${dirname(path)}. ${nothing} Make it first, or give another FILE.`);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new Refusal(`I'm not allowed to write in ${dirname(path)}. ${nothing} Give another FILE.`);
    throw error;
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads the backup in the same way as a restore. */
async function check(path: string, keys: readonly Buffer[]) {
  await using file = readSqlite(path);
  const flaw = await flawOf(file, await stepOf(file));
  if (flaw === 'foreign') throw new Error('the tables of the database are not as Sitehand made them');
  if (flaw) throw new Error('what was written cannot be read back');
  const finding = await findingOf(file, keys, Date.now());
  const contents = say`${await contentsOf(file)}, ${megabytes(statSync(path).size)}.`;
  return { says: `${plain(contents)}\n${inLines(finding)}`, code: exitCodeOf[finding.verdict.kind] };
}

/** What the backup contains, as a clause without a full stop. */
export async function contentsOf(file: ReadHandle) {
  const { all } = await file
    .selectFrom('changes')
    .select((is) => is.fn.countAll<number>().as('all'))
    .executeTakeFirstOrThrow();
  return say`${counted(all, 'change')}, as of ${time(await timeOf(file), 'date')}`;
}

/** The newest time in a backup, epoch ms: when it was made, or when the bot was last alive. */
export async function timeOf(file: ReadHandle): Promise<number> {
  const { newest } = await storedTimes(file, Date.now());
  const { created_at: oldest } = await file.selectFrom('installation').select('created_at').executeTakeFirstOrThrow();
  return Math.max(newest, oldest);
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
