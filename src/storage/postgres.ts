import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, TypeOverrides, types as oids } from 'pg';
import { migrate } from './migrations/migrate.ts';
import type { Schema } from './schema.ts';

/** Told when a connection was lost. The query that was using it fails by itself; the pool opens another one. */
export type OnLost = (error: Error) => void;

type Patience = {
  /** Connections at most. */
  readonly max: number;
  /** How long one statement may run, and how long it may wait for a lock, in ms. */
  readonly statement: number;
  readonly lock: number;
  readonly readOnly?: true;
};

const serving: Patience = { max: 10, statement: 5_000, lock: 2_000 };
/** How much later than the server's time-out our own is, in ms. */
const graceMs = 1_000;
/** A new index on a large table takes its time, and the other replicas wait for it. */
const migrating: Patience = { max: 1, statement: 600_000, lock: 600_000 };
/** One reader of much, who is in nobody's way. */
const reading: Patience = { max: 1, statement: 60_000, lock: 2_000, readOnly: true };

/**
 * Brings the tables at `url` up to date, then opens a pool of at most ten connections to them. Rejects if the server
 * does not answer within two seconds, or a newer version wrote the tables.
 */
export async function openPostgres(url: string, onLost: OnLost): Promise<Kysely<Schema>> {
  const first = connect(url, migrating, onLost);
  try {
    await sql`select 1`.execute(first).catch((error: unknown) => {
      throw new Error(
        `The database cannot be opened: ${why(error)}. Nothing was changed. Check DATABASE_URL, and that PostgreSQL runs.`,
        { cause: error },
      );
    });
    await migrate(first);
  } finally {
    await first.destroy();
  }
  return connect(url, serving, onLost);
}

/** A name with several addresses, none of which answers, has one error each and no words of its own. */
function why(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(why).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Connects for reading alone, beside bots that write; the tables stay as they are. */
export function readPostgres(url: string, onLost: OnLost): Kysely<Schema> {
  return connect(url, reading, onLost);
}

function connect(url: string, patience: Patience, onLost: OnLost): Kysely<Schema> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'sitehand',
    max: patience.max,
    connectionTimeoutMillis: 2_000,
    statement_timeout: patience.statement,
    lock_timeout: patience.lock,
    // The server's time-outs do not reach us through a broken network: this one is our own.
    query_timeout: patience.statement + graceMs,
    stream: () => impatient(patience.statement + graceMs),
    // Given up before its silence could be taken for a broken network.
    idleTimeoutMillis: Math.min(patience.statement, 10_000) - graceMs,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    types: numbers(),
  });
  // A connection reports its end as an event, at work as well as idle; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', onLost));
  if (patience.readOnly)
    pool.on('connect', (client) => void client.query('set default_transaction_read_only = on').catch(onLost));
  pool.on('error', () => {});
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * A socket that ends itself after so much silence. Its queries fail by their own time-outs; but in the pool it would be
 * lent out again, and whoever got it would wait for the same lost answer.
 */
function impatient(silentMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silentMs, () => socket.destroy());
}

/** Reads `bigint` as a number instead of text; beyond what a number holds exactly it throws. */
function numbers(): TypeOverrides {
  const types = new TypeOverrides();
  types.setTypeParser(oids.builtins.INT8, (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large to be read exactly`);
    return number;
  });
  return types;
}
