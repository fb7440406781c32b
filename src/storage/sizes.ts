import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { auditHead, findAudit } from './audit.ts';
import { tablesBySize, databaseKind, sqliteFile } from './sql-dialect.ts';
import type { ReadHandle } from './tx.ts';

/** How large the database is, in bytes, and what fills it. Counts no rows, so it is cheap on large tables. */
export type Sizes = {
  readonly bytes: number;
  /** PostgreSQL: the tables with their indexes, largest first. */
  readonly tables: readonly { readonly name: string; readonly bytes: number }[];
  /** Lines of the audit trail, and since when (epoch ms). */
  readonly lines: number;
  readonly since: number | undefined;
  /** Numbers given to changes so far; a few may be unused. */
  readonly changes: number;
  /** Free space on the disk of a SQLite file, in bytes. */
  readonly free: number | undefined;
};

export async function sizesOf(db: ReadHandle): Promise<Sizes> {
  const [first, { seq: lines }] = [await findAudit(db, 1), await auditHead(db)];
  const newest = await db.selectFrom('changes').select('number').orderBy('number', 'desc').limit(1).executeTakeFirst();
  const rows = { lines, since: first?.at, changes: newest?.number ?? 0 };
  if (databaseKind(db) === 'sqlite') {
    const { bytes, path } = await sqliteFile(db);
    return { ...rows, bytes, tables: [], free: path === undefined ? undefined : await freeBeside(path) };
  }
  const tables = await tablesBySize(db);
  return { ...rows, tables, bytes: tables.reduce((sum, one) => sum + one.bytes, 0), free: undefined };
}

/** How much this user may still write to the disk of the file, in bytes. */
async function freeBeside(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(path));
  return bavail * bsize;
}
