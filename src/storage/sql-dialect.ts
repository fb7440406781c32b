import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import type { Reader, Tx } from './tx.ts';

/** The two databases. Everything in which their SQL differs stands in this file. */
export type Kind = 'sqlite' | 'postgres';

/** Which database a handle or a transaction talks to. */
export function kindOf(db: Reader): Kind {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Words of `create table` that are spelled differently. */
export type Dialect = {
  /** A whole number of 64 bits. */
  readonly integer: string;
  /** A primary key that the database counts up and never gives out twice. */
  readonly counted: string;
  /** Makes the database keep to the column types; stands after the closing parenthesis. */
  readonly strict: string;
  /** Statements after which no line of the table `audit` can be changed or removed. */
  readonly appendOnly: readonly string[];
  /** Statements between which its lines can be changed: for migrations alone. */
  readonly unsealed: { readonly from: readonly string[]; readonly to: readonly string[] };
  /** Statements after which pages of that table keep room for newer versions of their rows. */
  readonly roomIn: (table: string) => readonly string[];
};

const forbidden = 'the audit trail is append-only';
const appendOnlyFile = ['update', 'delete'].map(
  (action) =>
    `create trigger audit_no_${action} before ${action} on audit begin select raise(abort, '${forbidden}'); end`,
);

/** The dialect of each database. */
export const dialects: Readonly<Record<Kind, Dialect>> = {
  sqlite: {
    // It writes a row where the row is.
    roomIn: () => [],
    integer: 'integer',
    counted: 'integer primary key autoincrement',
    strict: 'strict',
    appendOnly: appendOnlyFile,
    unsealed: { from: ['drop trigger audit_no_update', 'drop trigger audit_no_delete'], to: appendOnlyFile },
  },
  postgres: {
    // In a full page a lease moves its row, and with that an entry in each of its indexes.
    roomIn: (table) => [`alter table ${table} set (fillfactor = 70)`],
    integer: 'bigint',
    counted: 'bigint generated always as identity primary key',
    strict: '',
    appendOnly: [
      `create function audit_refuse() returns trigger language plpgsql as $$ begin raise exception '${forbidden}'; end $$`,
      'create trigger audit_no_change before update or delete or truncate on audit execute function audit_refuse()',
    ],
    unsealed: {
      from: ['alter table audit disable trigger audit_no_change'],
      to: ['alter table audit enable trigger audit_no_change'],
    },
  },
};

/** Keys of PostgreSQL's advisory locks: any two numbers, the same in every replica. */
const advisory = { acquireGlobalLock: 7_401_001, migration: 7_401_002 } as const;

async function queue(tx: Tx, key: number, also: RawBuilder<unknown> = sql`null`): Promise<void> {
  // SQLite has one connection, whose transactions already run one after the other.
  if (kindOf(tx) === 'postgres') await sql`select pg_advisory_xact_lock(${key}), ${also}`.execute(tx);
}

/** Where commits are answered before they are safe, this transaction's is not; a pooler keeps no setting of a session. */
const waitingForTheDisk = sql`
  case when current_setting('synchronous_commit') in ('off', 'local', 'remote_write')
    then set_config('synchronous_commit', 'on', true) end`;

/**
 * From here to its end this transaction is the only one, of all replicas, that has come this far: what it reads
 * afterwards is what all earlier ones committed. Locks and the audit chain are written behind it, and so is every move
 * of a change: once committed, it outlives a crash of the server.
 */
export const alone = (tx: Tx): Promise<void> => queue(tx, advisory.acquireGlobalLock, waitingForTheDisk);

/** Lets one replica at a time change the tables. */
export const aloneToMigrate = (tx: Tx): Promise<void> => queue(tx, advisory.migration);

/** At the end of a select: keeps its rows of this table for this transaction and passes over those that another one keeps. */
export const forUpdateSkipLocked = (tx: Tx, table: string): RawBuilder<unknown> =>
  kindOf(tx) === 'postgres' ? sql`for no key update of ${sql.table(table)} skip locked` : sql``;

/** Numbers as rows, `value` and its place `at`: one value of the statement, however many they are. */
export const listed = (tx: Tx, numbers: readonly number[]): RawBuilder<unknown> =>
  kindOf(tx) === 'postgres'
    ? sql`(select value::bigint as value, at from json_array_elements_text(${JSON.stringify(numbers)}) with ordinality as each (value, at))`
    : sql`(select value, key as at from json_each(${JSON.stringify(numbers)}))`;

/** At the end of a select: waits for its rows and keeps them from being written by others until the transaction ends. */
export const forUpdate = (tx: Tx): RawBuilder<unknown> => (kindOf(tx) === 'postgres' ? sql`for no key update` : sql``);

/** PostgreSQL's own clock, which all replicas share, in epoch milliseconds. Time goes on inside a transaction too. */
export async function postgresNow(db: Reader): Promise<number> {
  const asked = sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  const { rows } = await asked.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not say what time it is');
  return row.now;
}

/** Whether PostgreSQL rolled a transaction back to untie a deadlock or a conflict: nothing of it happened, it may run again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');
}
