import { errorMessage } from '../base/errors.ts';
import { Socket } from 'node:net';
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from 'kysely';
import { Pool, TypeOverrides, types as oids } from 'pg';
import { migrate, type Migration } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';

/** How connections to PostgreSQL are opened. Loaded only where it is used: SQLite starts without it. */

/** Called when a connection is lost. Its query fails by itself, and the pool opens another connection. */
export type OnLost = (error: Error) => void;

type Limits = {
  readonly max: number;
  /** How long one statement may run, in ms. Outside a transaction only this process stops waiting; the server goes on. */
  readonly statement: number;
  /** How long one statement of a transaction may wait for a lock, in ms. */
  readonly lock: number;
  readonly readOnly?: true;
};

const serving: Limits = { max: 10, statement: 5_000, lock: 2_000 };
/** How much later than the server's time-out ours comes, in ms. */
const graceMs = 1_000;
/** How long a transaction may stay idle between two statements, in ms. */
const idleMs = 10_000;
/** Building an index on a large table takes long, and the other replicas wait for it. */
const migrating: Limits = { max: 1, statement: 600_000, lock: 600_000 };
/** For reading a long audit trail beside running bots. */
const reading: Limits = { max: 1, statement: 60_000, lock: 2_000, readOnly: true };

/**
 * Migrates the tables at `url`, then opens a pool of at most ten connections. Rejects if the server does not answer
 * within two seconds, or a newer version excludes this one.
 */
export async function openPostgres(
  url: string,
  onLost: OnLost,
  migrations: readonly Migration[],
): Promise<Kysely<Schema>> {
  await using first = connect(url, migrating, onLost);
  await sql`select 1`.execute(first).catch((error: unknown) => {
    throw new Error(
      `The database cannot be opened: ${why(error)}. Nothing was changed. Check DATABASE_URL, and whether PostgreSQL is running.`,
      { cause: error },
    );
  });
  await migrate(first, migrations);
  return connect(url, serving, onLost);
}

/** A host name with several addresses fails with an AggregateError, whose own message is empty. */
function why(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(why).join(', ');
  return errorMessage(error);
}

/** Connects read-only, beside running bots, without migrating. */
export const readPostgres = (url: string): Kysely<Schema> => connect(url, reading, () => {});

function connect(url: string, limits: Limits, onLost: OnLost): Kysely<Schema> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'sitehand',
    max: limits.max,
    connectionTimeoutMillis: 2_000,
    // On our side, because the server's time-outs can't reach us through a broken network.
    query_timeout: limits.statement + graceMs,
    stream: () => selfClosing(limits.statement + graceMs),
    // Shorter than the socket's own limit, so that the pool closes idle connections first.
    idleTimeoutMillis: Math.min(limits.statement, 10_000) - graceMs,
    keepAlive: true,
    types: numbers(),
  });
  // An 'error' event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', onLost));
  pool.on('error', () => {});
  const Driver = limits.readOnly ? ReadingDriver : LimitedDriver;
  const dialect: Dialect = {
    createDriver: () => new Driver(pool, limits),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
  return new Kysely<Schema>({ dialect });
}

/**
 * Sets the limits in each transaction, in the round trip that begins it. A pooler such as PgBouncer refuses them at the
 * start of a connection, and would pass session settings on to other clients.
 */
class LimitedDriver extends PostgresDriver {
  readonly #begin: CompiledQuery;

  constructor(pool: Pool, { statement, lock, readOnly }: Limits) {
    super({ pool });
    this.#begin = CompiledQuery.raw(
      // Read committed: each statement sees everything committed before it, so reads after taking a lock are fresh.
      `begin isolation level read committed${readOnly ? ' read only' : ''}; set local statement_timeout = ${statement}; ` +
        `set local lock_timeout = ${lock}; set local idle_in_transaction_session_timeout = ${idleMs}`,
    );
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(this.#begin);
  }
}

/** Runs every statement in a read-only transaction of its own. */
class ReadingDriver extends LimitedDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    await this.beginTransaction(connection).catch(async (error: unknown) => {
      await release(this, connection);
      throw error;
    });
    return connection;
  }

  override async releaseConnection(connection: Parameters<PostgresDriver['releaseConnection']>[0]): Promise<void> {
    // If this fails, the connection is closed instead of used again.
    await this.rollbackTransaction(connection).catch(() => undefined);
    await super.releaseConnection(connection);
  }
}

const release = (driver: Driver, connection: DatabaseConnection): Promise<void> => driver.releaseConnection(connection);

/**
 * A socket that closes itself after `silentMs` of silence. A query's time-out fails only that query: the pool would
 * reuse the dead connection, and the next query would hang on it too.
 */
function selfClosing(silentMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silentMs, () => socket.destroy());
}

/** Reads `bigint` as a number instead of text; throws a RangeError beyond the safe integers. */
function numbers(): TypeOverrides {
  const types = new TypeOverrides();
  types.setTypeParser(oids.builtins.INT8, (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large to be read exactly`);
    return number;
  });
  return types;
}
