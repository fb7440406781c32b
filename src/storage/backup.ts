import { chmodSync, copyFileSync } from 'node:fs';
import { sql, type Kysely } from 'kysely';
import { migrate, migrations, type Migration } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';
import { asNumbered, countFrom, hasTable, kindOf, lastNumber, readOneMoment } from './sql-dialect.ts';
import { openIdleSqlite } from './sqlite.ts';
import type { ReadHandle, Tx } from './tx.ts';

/** A backup: the rows of either database as one SQLite file, with the tables of the step that the database has. */

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;
/** `key`: the columns of its primary key. */
type Table = { readonly name: string; readonly columns: readonly string[]; readonly key: readonly string[] };

/** How many rows are copied at once. */
const BATCH = 100;
/** Written anew by every migration. */
const stepsTable = 'migrations';

/** The newest step that this database has; 0: it has no tables yet. */
export async function stepOf(db: ReadHandle): Promise<number> {
  if (!(await hasTable(db, stepsTable))) return 0;
  const { rows } = await sql<{ newest: number | null }>`select max(step) as newest from migrations`.execute(db);
  return rows[0]?.newest ?? 0;
}

/** Copies a database, which may be in use, as it is at one moment, to the empty file at `path`. */
export async function writeBackup(db: Kysely<Schema>, path: string): Promise<void> {
  if (kindOf(db) === 'sqlite') {
    await sql`vacuum into ${path}`.execute(db);
    return;
  }
  const file = openIdleSqlite(path);
  try {
    await db.transaction().execute(async (from) => {
      await readOneMoment(from);
      await migrate(file, migrations.slice(0, await stepOf(from)));
      await file.transaction().execute(async (to) => {
        // The first step has written an id of its own.
        await to.deleteFrom('installation').execute();
        await copyTables(from, to, await tablesOf(to));
      });
    });
  } finally {
    await file.destroy();
  }
}

/** Copies the rows of a backup into empty tables of this version. They keep the id of their own database. */
export async function restoreRows(backup: ReadHandle, tx: Tx): Promise<void> {
  // Not the backup's own list, which may have tables that are not ours.
  const model = openIdleSqlite(':memory:');
  try {
    await migrate(model);
    const tables = await tablesOf(model);
    await copyTables(
      backup,
      tx,
      tables.filter(({ name }) => name !== 'installation'),
    );
  } finally {
    await model.destroy();
  }
}

/** Copies a backup of an earlier step to the empty file at `path`, and brings the copy to this version's step. */
export async function upgradedCopy(
  backup: string,
  path: string,
  steps: readonly Migration[] = migrations,
): Promise<Kysely<Schema>> {
  copyFileSync(backup, path);
  // A copy has the rights of its original, which may be kept read-only.
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

/** Whether SQLite finds every page, row and index of the file in order. */
export async function isIntact(file: ReadHandle): Promise<boolean> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(file);
  return rows[0]?.integrity_check === 'ok';
}

/** Whether a bot has ever used this database. */
export async function isUsed(db: ReadHandle): Promise<boolean> {
  for (const table of ['changes', 'audit', 'kv'] as const) {
    if (!(await hasTable(db, table))) continue;
    if (
      (
        await db
          .selectFrom(table)
          .select(sql`1`.as('one'))
          .limit(1)
          .execute()
      ).length > 0
    )
      return true;
  }
  return false;
}

/** The tables of a SQLite file in the order of their creation, so that a row comes after those it refers to. */
async function tablesOf(file: ReadHandle): Promise<readonly Table[]> {
  const { rows } = await sql<{ name: string; column: string; pk: number }>`
    select tables.name as name, columns.name as "column", columns.pk as pk
    from sqlite_master as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite~_%' escape '~' and tables.name <> ${stepsTable}
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

async function copyTables(from: ReadHandle, to: Tx, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    for await (const rows of batchesOf(from, table)) await insertRows(to, table, rows);
    const [column = '', ...more] = table.key;
    const last = more.length > 0 ? undefined : await lastNumber(from, table.name, column);
    if (last !== undefined) await countFrom(to, table.name, column, last);
  }
}

async function* batchesOf(db: ReadHandle, { name, columns, key }: Table): AsyncGenerator<readonly Row[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ;) {
    const reached = last;
    const after = reached && sql`where (${keys}) > (${sql.join(key.map((column) => reached[column]))})`;
    const { rows } = await sql<Row>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)} ${after ?? sql``}
      order by ${keys} limit ${sql.lit(BATCH)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < BATCH) return;
    last = rows.at(-1);
  }
}

async function insertRows(tx: Tx, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))}) ${asNumbered(tx)}
    values ${sql.join(values)}`.execute(tx);
}
