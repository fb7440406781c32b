import { sql } from 'kysely';
import type { ReadHandle } from './tx.ts';

/** A row of any table. */

export type Row = Readonly<Record<string, string | number | null>>;
/** `key`: the columns of its primary key. */
export type Table = { readonly name: string; readonly columns: readonly string[]; readonly key: readonly string[] };

/** How many rows are read at once. */
const batchSize = 100;
/** Tables that every migration and every backup writes anew. */
const notCopied = sql.join(['migrations', 'digest']);

/** The tables of a SQLite file in the order of their creation, so that a row comes after those it refers to. */
export async function tablesOf(file: ReadHandle): Promise<readonly Table[]> {
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
export async function* batchesOf(db: ReadHandle, { name, columns, key }: Table): AsyncGenerator<readonly Row[]> {
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
