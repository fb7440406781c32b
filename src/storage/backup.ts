import { chmodSync, copyFileSync } from 'node:fs';
import { sql, type Kysely } from 'kysely';
import { migrate, migrations, type Migration } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';
import { addDigest } from './backup-digest.ts';
import { overridingIdentity, resetSequence, hasTable, databaseKind, lastNumber, readSnapshot } from './sql-dialect.ts';
import { openIdleSqlite } from './sqlite.ts';
import { batchesOf, tablesOf, type Row, type Table } from './table-rows.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** A backup: the rows of either database as one SQLite file, with the tables of the step that the database has. */

/** The newest step that this database has; 0: it has no tables yet. */
export async function stepOf(db: ReadHandle): Promise<number> {
  if (!(await hasTable(db, 'migrations'))) return 0;
  const { rows } = await sql<{ newest: number | null }>`select max(step) as newest from migrations`.execute(db);
  return rows[0]?.newest ?? 0;
}

/** Copies a database, which may be in use, as it is at one moment, to the empty file at `path`, and adds a digest. */
export async function writeBackup(db: Kysely<Schema>, path: string): Promise<void> {
  if (databaseKind(db) === 'sqlite') await sql`vacuum into ${path}`.execute(db);
  await using file = openIdleSqlite(path);
  if (databaseKind(db) === 'postgres') await copyInto(file, db);
  await addDigest(file, await stepOf(file));
}

async function copyInto(file: Kysely<Schema>, db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (from) => {
    await readSnapshot(from);
    await migrate(file, migrations.slice(0, await stepOf(from)));
    await file.transaction().execute(async (to) => {
      // The first step wrote a new id.
      await to.deleteFrom('installation').execute();
      await copyTables(from, to, await tablesOf(to));
    });
  });
}

/** Copies the rows of a backup into empty tables of this version. They keep the backup's id of the database. */
export async function restoreRows(backup: ReadHandle, tx: Tx): Promise<void> {
  // Don't use the backup's own list: it may have tables that are not ours.
  await using model = openIdleSqlite(':memory:');
  await migrate(model);
  const tables = (await tablesOf(model)).filter(({ name }) => name !== 'installation');
  await copyTables(backup, tx, tables);
}

/** Copies a backup of an earlier step to the empty file at `path`, and brings the copy to this version's step. */
export async function upgradedCopy(
  backup: string,
  path: string,
  steps: readonly Migration[] = migrations,
): Promise<Kysely<Schema>> {
  copyFileSync(backup, path);
  // A copy has the rights of its original, which may be read-only.
  chmodSync(path, 0o600);
  const copy = openIdleSqlite(path);
  try {
    await migrate(copy, steps);
    return copy;
  } catch (error) {
    await copy.destroy();
    throw error;
  }
}

/** Whether a bot has ever used this database. */
export async function isUsed(db: ReadHandle): Promise<boolean> {
  for (const table of ['changes', 'audit', 'kv']) {
    if (!(await hasTable(db, table))) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

async function copyTables(from: ReadHandle, to: Tx, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    for await (const rows of batchesOf(from, table)) await insertRows(to, table, rows);
    const [column = '', ...more] = table.key;
    const last = more.length > 0 ? undefined : await lastNumber(from, table.name, column);
    if (last !== undefined) await resetSequence(to, table.name, column, last);
  }
}

async function insertRows(tx: Tx, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))}) ${overridingIdentity(tx)}
    values ${sql.join(values)}`.execute(tx);
}
