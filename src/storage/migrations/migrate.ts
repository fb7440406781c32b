import { sql, type Kysely } from 'kysely';
import { acquireMigrationLock, dialects, databaseKind, type SqlDialect } from '../sql-dialect.ts';
import type { Schema, Tx } from '../schema.ts';
import { firstTables } from './first-tables.ts';
import { followingMessages } from './delivery-tables.ts';
import { waiting } from './waiting.ts';

/** One step forward. There is no way back except a backup. */
export type Migration = {
  readonly name: string;
  /**
   * How many steps a program must know to work on a database with this step: its own number, or the previous step's
   * value if older programs can go on beside it.
   */
  readonly oldest: number;
  readonly statements: (dialect: SqlDialect) => readonly string[];
};

/**
 * All steps in order. Never change a released step, not even its spelling: backups are compared with it. Add new steps
 * at the end. A step only adds; a later step, which excludes older programs, removes what those used.
 */
export const migrations: readonly Migration[] = [
  { name: 'first tables', oldest: 1, statements: firstTables },
  { name: 'messages that follow their change', oldest: 1, statements: followingMessages },
  // An older program would not see what has moved, and would draw messages as they were stored.
  { name: 'one table for what waits', oldest: 3, statements: waiting },
  {
    name: 'changes that callers ask for',
    // An older program would count the approval of somebody who can use the key, and send what a pause of callers holds.
    oldest: 4,
    statements: () => [
      'alter table changes add column caller text',
      'alter table changes add column caller_request text',
      'create unique index changes_of_caller on changes (caller, caller_request) where caller is not null',
      'create index changes_by_caller on changes (caller, number) where caller is not null',
      "create index audit_of_caller_pauses on audit (seq) where event in ('pause_callers', 'resume_callers')",
    ],
  },
  {
    name: 'changes that are sent at a time',
    // An older program would send them as soon as they are approved.
    oldest: 5,
    statements: ({ integer }) => [
      `alter table changes add column scheduled_at ${integer}`,
      'create index changes_scheduled on changes (scheduled_at) where scheduled_at is not null and settled_at is null',
    ],
  },
  {
    name: 'changes that are reviewed afterwards',
    // An older program would draw them without their mark, and end what it takes for unapproved.
    oldest: 6,
    statements: () => [
      'alter table changes add column post_review text',
      "create index changes_to_review on changes (number) where post_review = 'open'",
    ],
  },
];

/**
 * Runs the steps that this database does not have yet, in one transaction, one replica at a time. Rejects, with nothing
 * changed, if the database has a step that excludes this version.
 */
export async function migrate(db: Kysely<Schema>, steps: readonly Migration[] = migrations): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await acquireMigrationLock(tx);
    const dialect = dialects[databaseKind(tx)];
    const { taken, oldest } = await stepsTaken(tx, dialect);
    if (oldest > steps.length) {
      throw new Error(
        `A newer Sitehand has changed this database (it needs a version that knows ${oldest} migrations; this one knows ${steps.length}). ` +
          'Nothing was started or changed. Start the newer version, or restore a backup from before it.',
      );
    }
    for (const [index, step] of steps.entries()) {
      if (index < taken) continue;
      for (const statement of step.statements(dialect)) await sql.raw(statement).execute(tx);
      const row = sql.join([index + 1, step.name, step.oldest, Date.now()]);
      await sql`insert into migrations (step, name, oldest, at) values (${row})`.execute(tx);
    }
  });
}

/** `taken`: how many steps this database has. `oldest`: how many a program must know to work on it. */
type Steps = { readonly taken: number; readonly oldest: number };

async function stepsTaken(tx: Tx, { integer, strict }: SqlDialect): Promise<Steps> {
  const columns = `step ${integer} primary key, name text not null, oldest ${integer} not null, at ${integer} not null`;
  await sql.raw(`create table if not exists migrations (${columns}) ${strict}`).execute(tx);
  const { rows } = await sql<Steps>`
    select coalesce(max(step), 0) as taken, coalesce(max(oldest), 0) as oldest from migrations`.execute(tx);
  return rows[0] ?? { taken: 0, oldest: 0 };
}
