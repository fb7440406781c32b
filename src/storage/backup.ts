import { chmodSync, copyFileSync } from 'node:fs';
import { sql, type Kysely } from 'kysely';
import { migrate, migrations, type Migration } from './migrations/migrate.ts';
import type { Schema, ReadHandle, Tx } from './schema.ts';
import { overridingIdentity, resetSequence, hasTable, databaseKind, lastNumber, readSnapshot } from './sql-dialect.ts';
import { openIdleSqlite } from './sqlite.ts';
import { createHash } from 'node:crypto';

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

/** Inserts rows with the numbers that they have. */
export async function insertRows(tx: Tx, { name, columns }: Omit<Table, 'key'>, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))}) ${overridingIdentity(tx)}
    values ${sql.join(values)}`.execute(tx);
}

/**
 * A digest of everything in a backup, in a table of its own. It shows whether the backup was changed since it was
 * written. It has no key: whoever rewrites a backup can also write a matching digest.
 */
const digestTable = 'create table digest (sha256 text not null) strict';

/** Removes whatever the migrations up to that step do not create, such as other people's indexes; then adds the digest. */
export async function addDigest(backup: Kysely<Schema>, step: number): Promise<void> {
  const [found, wanted] = [await entriesOf(backup), await entriesOfBackup(step)];
  const [others, missing] = [without(found, wanted), without(wanted, found)];
  await backup.transaction().execute(async (tx) => {
    for (const { type, name } of others) {
      // An altered table of ours stays, or its rows would be lost.
      const isOurs = type === 'table' && wanted.some((one) => one.type === type && one.name === name);
      if (!isOurs) await sql`${sql.raw(`drop ${type} if exists`)} ${sql.table(name)}`.execute(tx);
    }
    for (const entry of missing) if (entry.type !== 'table' && entry.sql) await sql.raw(entry.sql).execute(tx);
    // A backup of a backup has one already.
    await sql`drop table if exists digest`.execute(tx);
    await sql.raw(digestTable).execute(tx);
    await sql`insert into digest (sha256) values (${await digestOf(tx)})`.execute(tx);
  });
}

/**
 * Why a file is not a whole backup of that step. `foreign`: it does not have exactly the tables of a backup. `damaged`:
 * SQLite or a constraint finds something wrong. `changed`: the digest does not match. Undefined: it is whole.
 */
export async function flawOf(file: ReadHandle, step: number): Promise<'foreign' | 'damaged' | 'changed' | undefined> {
  // First, because the checks below rely on the constraints of the tables.
  const [found, wanted] = [await entriesOf(file), await entriesOfBackup(step)];
  if (without(found, wanted).length + without(wanted, found).length > 0) return 'foreign';
  if (!(await isIntact(file))) return 'damaged';
  const { rows } = await sql<{ sha256: string }>`select sha256 from digest`.execute(file);
  return rows.length === 1 && rows[0]?.sha256 === (await digestOf(file)) ? undefined : 'changed';
}

/** A table, index, trigger or view, with the statement that made it. Indexes of constraints have none. */
type Entry = { readonly type: string; readonly name: string; readonly sql: string | null };

async function entriesOf(file: ReadHandle): Promise<readonly Entry[]> {
  return (await sql<Entry>`select type, name, sql from sqlite_master`.execute(file)).rows;
}

/** The entries of `some` that `others` lacks. */
const without = (some: readonly Entry[], others: readonly Entry[]): readonly Entry[] =>
  some.filter(
    (one) => !others.some(({ type, name, sql: made }) => type === one.type && name === one.name && made === one.sql),
  );

async function entriesOfBackup(step: number): Promise<readonly Entry[]> {
  await using model = openIdleSqlite(':memory:');
  await migrate(model, migrations.slice(0, step));
  await sql.raw(digestTable).execute(model);
  return await entriesOf(model);
}

/**
 * Whether SQLite finds every page, row and index in order. Read-only, SQLite skips `check` constraints here; they are
 * checked when a row is copied.
 */
async function isIntact(file: ReadHandle): Promise<boolean> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(file);
  const orphans = await sql`pragma foreign_key_check`.execute(file);
  return rows[0]?.integrity_check === 'ok' && orphans.rows.length === 0;
}

/** The steps that the database has, and up to where its numbers were counted. */
const kept: readonly Table[] = [
  { name: 'migrations', columns: ['step', 'name', 'oldest', 'at'], key: ['step'] },
  { name: 'sqlite_sequence', columns: ['name', 'seq'], key: ['name'] },
];

/** SHA-256 in hex digits, over a line for each table and each row. */
async function digestOf(file: ReadHandle): Promise<string> {
  const hash = createHash('sha256');
  for (const table of [...(await tablesOf(file)), ...kept]) {
    hash.update(`${JSON.stringify([table.name, table.columns])}\n`);
    for await (const rows of batchesOf(file, table))
      for (const row of rows) hash.update(`${JSON.stringify(table.columns.map((column) => row[column]))}\n`);
  }
  return hash.digest('hex');
}

/** A row of any table. */
export type Row = Readonly<Record<string, string | number | null>>;
/** `key`: the columns of its primary key. */
export type Table = { readonly name: string; readonly columns: readonly string[]; readonly key: readonly string[] };

/** How many rows are read at once. */
const batchSize = 100;
/** Tables that every migration and every backup writes anew. */
const notCopied = sql.join(['migrations', 'digest']);

/** The tables of a SQLite file in the order of their creation, so that a row comes after those it refers to. */
async function tablesOf(file: ReadHandle): Promise<readonly Table[]> {
  const { rows } = await sql<{ name: string; column: string; pk: number }>`
    select tables.name as name, columns.name as "column", columns.pk as pk
    from sqlite_master as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite~_%' escape '~' and tables.name not in (${notCopied})
    order by tables.rowid, columns.cid`.execute(file);
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map(({ column }) => column),
  }));
}

/** All rows in the order of the key, in batches. */
async function* batchesOf(db: ReadHandle, { name, columns, key }: Table): AsyncGenerator<readonly Row[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ;) {
    const reached = last;
    const after = reached && sql`where (${keys}) > (${sql.join(key.map((column) => reached[column]))})`;
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)} ${after ?? sql``}
      order by ${keys} limit ${sql.lit(batchSize)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    last = rows.at(-1);
  }
}
