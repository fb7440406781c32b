import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { lineFor } from '../base/beside.ts';
import {
  auditKeyOf,
  auditKeysOf,
  readTrailConfig,
  type EnvironmentVariables,
  type TrailConfig,
} from '../base/config.ts';
import { errorMessage, Refusal, type Args } from '../base/errors.ts';
import { findingOf } from '../audit/audit-anchor.ts';
import { createChangeStore } from '../change/change-store.ts';
import { acknowledgeRestore } from '../send/failover-and-restore.ts';
import { flawOf, isUsed, restoreRows, stepOf, upgradedCopy } from '../storage/backup.ts';
import { otherThanFile } from '../base/bounded-reads.ts';
import { scrub } from '../base/secret.ts';
import { openDatabase, openToRead, sqlitePath } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { migrations } from '../storage/migrations/migrate.ts';
import type { Schema } from '../storage/schema.ts';
import { isReadable, readSqlite, sqliteCode } from '../storage/sqlite.ts';
import { plain, say } from '../words/text.ts';
import { inLines } from './audit.ts';
import { contentsOf, timeOf } from './backup.ts';
import { failureMessage, isDiskFull, exitCodeOf, exitCodes, out, type Out, whoRunsThis } from './output.ts';

/** `sitehand restore FILE`: restores a backup into an empty database, and records that time has passed since the backup. */

const nothing = 'Nothing was restored.';

/** Runs the command. Resolves with the exit code; never rejects. */
export async function restore(
  words: Args,
  environment?: EnvironmentVariables,
  { write, complain }: Out = out,
): Promise<number> {
  try {
    const [file] = words;
    if (file === undefined || words.length > 1 || file.startsWith('-'))
      throw new Refusal(`Use restore FILE. ${nothing}`);
    const config = readTrailConfig(environment);
    return await withBackup(resolve(file), (backup) => run(resolve(file), backup, config, { write, complain }));
  } catch (error) {
    complain(`${failureMessage(error, 'The restore failed', nothing)}\n`);
    return exitCodes.wrong;
  }
}

type Backup = Kysely<Schema>;

async function run(file: string, backup: Backup, config: TrailConfig, { write, complain }: Out): Promise<number> {
  const finding = await findingOf(backup, auditKeysOf(config), Date.now());
  if (finding.verdict.kind === 'altered') {
    complain(`${inLines(finding)}\n${nothing} Take an earlier backup, and keep ${file} as evidence.\n`);
    return exitCodeOf.altered;
  }
  await refuseUnlessEmpty(config.databaseUrl);
  await restoreInto(backup, config, complain);
  write(`Restored ${file}: ${plain(await contentsOf(backup))}.\n${plain(whatNext)}\n${inLines(finding)}\n`);
  return exitCodeOf[finding.verdict.kind];
}

const whatNext = say`All sending is paused. Start Sitehand, compare the host's panel with what is open, then type **resume** after your slash command in Slack.`;

/** Opens the backup for `work`. An older backup is copied and brought to this version's step. Throws `Refusal`. */
async function withBackup<T>(path: string, work: (backup: Backup) => Promise<T>): Promise<T> {
  refuseUnlessAFile(path);
  await using file = readSqlite(path);
  const step = await checkedStep(path, file);
  if (step === migrations.length) return await work(file);
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-restore-'));
  try {
    await using copy = await upgradedCopy(path, join(folder, 'upgraded.db'));
    return await work(copy);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function refuseUnlessAFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Refusal(`I can't find ${path}. ${nothing}`);
  const other = otherThanFile(found);
  if (other) throw new Refusal(`${path} is ${other}. ${nothing} Name the file of a backup.`);
  if (!isReadable(path))
    throw new Refusal(`I'm not allowed to read ${path}. ${nothing} Run this as the user who owns it.`);
  // Reading a copied database leaves an empty `-wal` file, so only a filled one matters.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Refusal(
      `${path} is a database in use, or one that was not closed. ${nothing} Set DATABASE_URL to it, run ${lineFor('backup FILE')}, and restore that backup.`,
    );
  }
}

/** SQLite's result codes for a file that is not a database, and for one with damaged pages or statements. */
const [notADatabase, damaged] = [26, [1, 11]];

/** The step of the backup, after reading it from end to end. Throws `Refusal` if it can't be restored. */
async function checkedStep(path: string, file: Backup): Promise<number> {
  const broken = new Refusal(`${path} is damaged, or only part of a backup. ${nothing} Take another backup.`);
  const foreign = new Refusal(`${path} is not a backup of Sitehand. ${nothing} ${lineFor('backup FILE')} makes one.`);
  const changed = new Refusal(
    `${path} is not as it was written: its content does not fit its digest. ${nothing} Take another backup.`,
  );
  try {
    const step = await stepOf(file);
    if (step === 0) throw foreign;
    if (step > migrations.length) {
      throw new Refusal(
        `A newer Sitehand made ${path} (step ${step}; this version knows ${migrations.length}). ${nothing} Use the newer version.`,
      );
    }
    const flaw = await flawOf(file, step);
    if (flaw === undefined) return step;
    throw { foreign, damaged: broken, changed }[flaw];
  } catch (error) {
    const errcode = sqliteCode(error) & 0xff;
    if (errcode === notADatabase) throw foreign;
    // A RangeError means a number larger than any that we write.
    if (damaged.includes(errcode) || error instanceof RangeError) throw broken;
    throw error;
  }
}

const notEmpty = new Refusal(`The database of DATABASE_URL is not empty. ${nothing}`, {
  hint: 'Stop Sitehand, then give DATABASE_URL a file that is not there yet, or an empty PostgreSQL database.',
});

/** Checks this before the database is opened, because opening would migrate it. */
async function refuseUnlessEmpty(url: string): Promise<void> {
  const file = sqlitePath(url);
  if (file === ':memory:') {
    throw new Refusal(`DATABASE_URL names a database in memory, which would be gone at once. ${nothing}`, {
      hint: 'Set it to a file that is not there yet, or an empty PostgreSQL database.',
    });
  }
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  await using db = await openToRead(url);
  if (await isUsed(db)) throw notEmpty;
}

async function restoreInto(backup: Backup, config: TrailConfig, complain: Out['complain']): Promise<void> {
  const { id: former } = await backup.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  const from = await timeOf(backup);
  const database = await openDatabase(config.databaseUrl, { onWarning: (warning) => complain(`${warning}\n`) });
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: auditKeyOf(config), installation, onEvent: () => undefined });
  const context = { database, changeStore, auditKeys: auditKeysOf(config) };
  let isWritten = false;
  try {
    await exclusiveTransaction(database, async (tx, at) => {
      // With the id from the backup, buttons posted before the restore would still work.
      if (installation === former || (await isUsed(tx))) throw notEmpty;
      await restoreRows(backup, tx);
      await acknowledgeRestore(context, tx, at, { former, from, by: whoRunsThis() });
      isWritten = true;
    });
  } catch (error) {
    // If the disk was full, the transaction was certainly undone, even at the commit.
    if (!isWritten || isDiskFull(error)) throw error;
    throw new Refusal(`I don't know whether it was restored: the commit failed (${scrub(errorMessage(error))}).`, {
      hint: 'Run it again: if the database is not empty then, it was.',
    });
  } finally {
    await database.close();
  }
}
