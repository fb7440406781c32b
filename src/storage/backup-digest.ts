import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { migrate, migrations } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';
import { openIdleSqlite } from './sqlite.ts';
import { batchesOf, tablesOf, type Table } from './table-rows.ts';
import type { ReadHandle } from './tx.ts';

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
