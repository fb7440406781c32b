import { sql, type Kysely } from 'kysely';
import { acquireMigrationLock, dialects, kindOf, type SqlDialect } from '../sql-dialect.ts';
import type { Schema } from '../schema.ts';
import type { Tx } from '../tx.ts';
import { firstTables } from './first-tables.ts';
import { requestOfChange } from './request-of-change.ts';

/** One step forward. There is no way back except a backup. */
export type Migration = { readonly name: string; up(tx: Tx, dialect: SqlDialect): Promise<void> };

/** All steps in order. Never change a released one; add new ones at the end. */
export const migrations: readonly Migration[] = [
  { name: 'first tables', up: firstTables },
  { name: 'the request of a change', up: requestOfChange },
];

/**
 * Runs the steps that this database does not have yet, in one transaction, one replica at a time. Rejects, with nothing
 * changed, if the database has steps that this version does not know.
 */
export async function migrate(db: Kysely<Schema>, steps: readonly Migration[] = migrations): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await acquireMigrationLock(tx);
    const dialect = dialects[kindOf(tx)];
    const taken = await stepsTaken(tx, dialect);
    if (taken > steps.length) {
      throw new Error(
        `A newer Sitehand wrote this database (step ${taken}; this version knows ${steps.length}). ` +
          'Nothing was started or changed. Start the newer version, or restore a backup from before it.',
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < taken) continue;
      await step.up(tx, dialect);
      await sql`insert into migrations (step, name, at) values (${index + 1}, ${step.name}, ${Date.now()})`.execute(tx);
    }
  });
}

async function stepsTaken(tx: Tx, { integer, strict }: SqlDialect): Promise<number> {
  const columns = `step ${integer} primary key, name text not null, at ${integer} not null`;
  await sql.raw(`create table if not exists migrations (${columns}) ${strict}`).execute(tx);
  const { rows } = await sql<{ newest: number | null }>`select max(step) as newest from migrations`.execute(tx);
  return rows[0]?.newest ?? 0;
}
