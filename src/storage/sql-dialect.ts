import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import { errorCode } from '../base/errors.ts';
import type { ReadHandle, Tx } from './schema.ts';

/** The two databases. All differences of their SQL are in this file. */
export type DatabaseKind = 'sqlite' | 'postgres';

/** Which database a handle or a transaction talks to. */
export function databaseKind(db: ReadHandle): DatabaseKind {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Fragments and statements that the two databases spell differently. */
export type SqlDialect = {
  /** A 64-bit integer. */
  readonly integer: string;
  /** An auto-incremented primary key whose values are never reused. */
  readonly counted: string;
  /** Enforces the column types; goes after the closing parenthesis of `create table`. */
  readonly strict: string;
  /** Statements that make the table `audit` append-only. */
  readonly appendOnly: readonly string[];
  /** Statements that reserve room in a table's pages for updated rows. */
  readonly roomIn: (table: string) => readonly string[];
  /** Statements that announce on `dueChannel` whenever a row of the first tables becomes due. */
  readonly announceDue: readonly string[];
  /** The same for a later table. */
  readonly announces: (table: string) => readonly string[];
  /**
   * Makes a table count on well after these, if the database was used: an older program beside this one still counts in
   * them.
   */
  readonly skipsNumbersOf: (table: string, others: readonly string[]) => string;
};

/** How many numbers are left to an older program. */
const leftToOthers = 1_000;
const ifUsed = 'where exists (select 1 from audit)';

/** The channel where PostgreSQL announces that work is due, without saying which. */
export const dueChannel = 'sitehand_due';

const forbidden = 'the audit trail is append-only';
const refusing = (name: string, when: string): string =>
  `create trigger audit_no_${name} before ${when} begin select raise(abort, '${forbidden}'); end`;
const appendOnlyFile = [
  refusing('update', 'update on audit'),
  refusing('delete', 'delete on audit'),
  // `replace` deletes the old line, and fires the trigger for that only on connections with recursive triggers.
  refusing('replace', 'insert on audit when exists (select 1 from audit where seq = new.seq)'),
];

/** Uses the server's clock, which may differ from ours after a jump: polling finds the rest. */
const announcing = (table: string, condition = 'true'): string =>
  `create trigger ${table}_announce after insert or update of due_at on ${table} for each row
    when (new.owner is null and new.due_at <= (extract(epoch from clock_timestamp()) * 1000)::bigint and ${condition})
    execute function announce_due()`;

export const dialects: Readonly<Record<DatabaseKind, SqlDialect>> = {
  sqlite: {
    // SQLite updates rows in place.
    roomIn: () => [],
    // One process has the file and wakes itself.
    announceDue: [],
    announces: () => [],
    skipsNumbersOf: (table, others) =>
      `insert into sqlite_sequence (name, seq) select '${table}', ${leftToOthers} + coalesce(
        (select max(seq) from sqlite_sequence where name in ('${others.join("', '")}')), 0) ${ifUsed}`,
    integer: 'integer',
    counted: 'integer primary key autoincrement',
    strict: 'strict',
    appendOnly: appendOnlyFile,
  },
  postgres: {
    // In a full page, writing a lease moves the row and updates all of its indexes.
    roomIn: (table) => [`alter table ${table} set (fillfactor = 70)`],
    announceDue: [
      `create function announce_due() returns trigger language plpgsql as $$ begin perform pg_notify('${dueChannel}', ''); return null; end $$`,
      announcing('changes'),
      announcing('timers'),
      announcing('queued_requests'),
      // Edits wait for the next poll: drawing every state in between would use up Slack's rate limit.
      announcing('messages', 'new.ts is null'),
    ],
    announces: (table) => [announcing(table)],
    skipsNumbersOf: (table, others) => {
      const last = others.map((name) => `pg_sequence_last_value(pg_get_serial_sequence('${name}', 'id')::regclass)`);
      const after = `${leftToOthers} + coalesce(greatest(${last.join(', ')}), 0)`;
      return `select setval(pg_get_serial_sequence('${table}', 'id'), ${after}) ${ifUsed}`;
    },
    integer: 'bigint',
    counted: 'bigint generated always as identity primary key',
    strict: '',
    appendOnly: [
      `create function audit_refuse() returns trigger language plpgsql as $$ begin raise exception '${forbidden}'; end $$`,
      'create trigger audit_no_change before update or delete or truncate on audit execute function audit_refuse()',
    ],
  },
};

/** Keys of PostgreSQL's advisory locks: arbitrary, but the same in every replica. */
const advisory = { global: 7_401_001, migration: 7_401_002 } as const;

async function advisoryLock(tx: Tx, key: number, also: RawBuilder<unknown> = sql`null`): Promise<void> {
  // SQLite's single connection already runs transactions one after the other.
  if (databaseKind(tx) === 'postgres') await sql`select pg_advisory_xact_lock(${key}), ${also}`.execute(tx);
}

/** Makes this commit durable if the server confirms commits early. Per transaction: poolers drop session settings. */
const durableCommit = sql`
  case when current_setting('synchronous_commit') in ('off', 'local', 'remote_write')
    then set_config('synchronous_commit', 'on', true) end`;

/**
 * Takes a global lock, shared by all replicas, until the transaction ends. Later reads see everything that earlier
 * holders committed. Locks, audit lines and moves of changes are written under it. The commit survives a crash of the
 * server.
 */
export const acquireGlobalLock = (tx: Tx): Promise<void> => advisoryLock(tx, advisory.global, durableCommit);

/** Lets only one replica at a time migrate the tables; held until the transaction ends. */
export const acquireMigrationLock = (tx: Tx): Promise<void> => advisoryLock(tx, advisory.migration);

/** Ends a select: locks its rows of this table for the transaction, and skips rows that another one has locked. */
export const forUpdateSkipLocked = (tx: Tx, table: string): RawBuilder<unknown> =>
  databaseKind(tx) === 'postgres' ? sql`for no key update of ${sql.table(table)} skip locked` : sql``;

/** Numbers as rows of `value` and position `at`. One bound value, so that the statement's text is always the same. */
export const numberRows = (tx: Tx, numbers: readonly number[]): RawBuilder<unknown> =>
  databaseKind(tx) === 'postgres'
    ? sql`(select value::bigint as value, at from json_array_elements_text(${JSON.stringify(numbers)}) with ordinality as each (value, at))`
    : sql`(select value, key as at from json_each(${JSON.stringify(numbers)}))`;

/** Ends a select: waits for its rows and locks them against writes until the transaction ends. */
export const forUpdate = (tx: Tx): RawBuilder<unknown> =>
  databaseKind(tx) === 'postgres' ? sql`for no key update` : sql``;

/** Skips the next `count` numbers of changes. On PostgreSQL they stay skipped even if the transaction is rolled back. */
export async function skipNumbers(tx: Tx, count: number): Promise<void> {
  const sequence = sql`pg_get_serial_sequence('changes', 'number')`;
  await (
    databaseKind(tx) === 'postgres'
      ? sql`select setval(${sequence}, nextval(${sequence}) + ${count - 1})`
      : sql`update sqlite_sequence set seq = seq + ${count} where name = 'changes'`
  ).execute(tx);
}

/** PostgreSQL's clock, shared by all replicas, in epoch milliseconds. It advances inside a transaction too. */
export async function postgresNow(db: ReadHandle): Promise<number> {
  const query = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const { rows } = await query.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not say what time it is');
  return row.now;
}

/** Whether PostgreSQL rolled the transaction back for a deadlock or conflict: it had no effect and can be retried. */
export const isRetryable = (error: unknown): boolean => ['40P01', '40001'].includes(errorCode(error));

/** SQLite: the size of the database in bytes, and the path of its file; in memory it has none. */
export async function sqliteFile(
  db: ReadHandle,
): Promise<{ readonly bytes: number; readonly path: string | undefined }> {
  const query = sql<{ bytes: number; path: string | null }>`
    select page_count * page_size as bytes, (select file from pragma_database_list where name = 'main') as path
    from pragma_page_count, pragma_page_size`;
  const { rows } = await query.execute(db);
  const [row] = rows;
  return { bytes: row?.bytes ?? 0, path: row?.path || undefined };
}

/** PostgreSQL: our tables with their indexes, in bytes, largest first. Uses the sizes of files, so no row is counted. */
export async function tablesBySize(
  db: ReadHandle,
): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const query = sql<{ name: string; bytes: number }>`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = to_regnamespace(current_schema()::text) order by bytes desc, name`;
  return (await query.execute(db)).rows;
}

/** PostgreSQL: makes a transaction that has read nothing yet read everything as of one moment, and write nothing. */
export async function readSnapshot(tx: Tx): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(tx);
}

/** Whether the database has this table. */
export async function hasTable(db: ReadHandle, table: string): Promise<boolean> {
  const found =
    databaseKind(db) === 'postgres'
      ? sql`select 1 where to_regclass(${table}) is not null`
      : sql`select 1 from sqlite_master where type = 'table' and name = ${table}`;
  return (await found.execute(db)).rows.length > 0;
}

/** Before the values of an insert: takes given numbers instead of counting them. */
export const overridingIdentity = (tx: Tx): RawBuilder<unknown> =>
  databaseKind(tx) === 'postgres' ? sql`overriding system value` : sql``;

/** The highest number that this column ever counted to; undefined: none yet, or the column does not count. */
export async function lastNumber(db: ReadHandle, table: string, column: string): Promise<number | undefined> {
  const found =
    databaseKind(db) === 'postgres'
      ? sql<{ last: number | null }>`
          select pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass) as last`
      : sql<{ last: number | null }>`select seq as last from sqlite_sequence where name = ${table}`;
  return (await found.execute(db)).rows[0]?.last ?? undefined;
}

/** Makes the column count on after this number. */
export async function resetSequence(tx: Tx, table: string, column: string, last: number): Promise<void> {
  if (databaseKind(tx) === 'postgres') {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${last})`.execute(tx);
    return;
  }
  // SQLite adds its row with the first insert, and the table may be empty.
  await sql`delete from sqlite_sequence where name = ${table}`.execute(tx);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx);
}
