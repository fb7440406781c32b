import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { migrations } from '../src/storage/migrations/migrate.ts';
import { resourceAt } from './lazy-resource.ts';
import { includes, partNote } from './parts.ts';

/** Whether tests on PostgreSQL run. */
export const postgresRuns = includes('postgres');

/** Appended to their names; empty if they run. */
export const noPostgres = partNote('postgres', 'on PostgreSQL');

/** This test file's database, created when the first test asks for it. */
let database: Promise<URL> | undefined;

/**
 * The URL of a fresh schema on the run's own server, in a database that only this test file uses. It goes with the
 * server; whoever opens connections closes them.
 */
export async function freshPostgres(): Promise<string> {
  database ??= makeDatabase();
  return freshSchema(await database);
}

/** As `freshPostgres`, with a clock that is off by some milliseconds: its function shadows the server's own. */
export async function clockedPostgres(): Promise<{
  readonly url: string;
  readonly jump: (ms: number) => Promise<unknown>;
}> {
  const url = new URL(await freshPostgres());
  const options = url.searchParams.get('options') ?? '';
  const off = `${options.split('=').at(-1) ?? ''}.clock_off`;
  await run(
    url,
    `create table clock_off as select 0::bigint as ms;
    create function clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + (select ms from ${off}) * interval '1 millisecond' $$`,
  );
  url.searchParams.set('options', `${options},pg_catalog`);
  return { url: url.href, jump: (ms) => run(url, `update ${off} set ms = ${ms}`) };
}

/** Schemas of this file whose tables are created and empty again. */
const emptied: string[] = [];

/** Like `freshPostgres`, but its tables may already exist and be empty. `giveBack` empties them for the next test. */
export async function emptyPostgres(): Promise<{ readonly url: string; readonly giveBack: () => Promise<void> }> {
  const url = emptied.pop() ?? (await freshPostgres());
  const giveBack = (): Promise<void> =>
    run(new URL(url), EMPTIES).then(
      () => void emptied.push(url),
      // A schema whose tables a test altered is not reused.
      () => undefined,
    );
  return { url, giveBack };
}

/** Fails if the trail's protection was removed, or an unknown migration was applied. */
const EMPTIES = `
  set lock_timeout = 1000;
  select 1 / count(*) from pg_trigger where tgrelid = 'audit'::regclass and tgname = 'audit_no_change';
  select 1 / (case when max(step) = ${migrations.length} then 1 else 0 end) from migrations;
  set session_replication_role = replica;
  truncate changes, votes, audit, locks, waiting, timers, queued_requests, handed_on_requests, watches, inbox, messages, button_payloads, kv, installation restart identity;
  insert into installation values (substr(md5(random()::text), 1, 16), (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** The URL of an empty schema in that database. */
async function freshSchema(database: URL): Promise<string> {
  const url = new URL(database);
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await run(url, `create schema ${schema}`);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return url.href;
}

/** The URL of a database of its own, whose locks keep nobody else waiting. */
export async function makeDatabase(): Promise<URL> {
  return freshDatabase(await resourceAt(inject('postgres')));
}

/** The URL of an empty database on that server; its locks affect nothing else. */
export async function freshDatabase(server: string): Promise<URL> {
  const [url, name] = [new URL(server), `test_${randomBytes(6).toString('hex')}`];
  url.pathname = '/postgres';
  await run(url, `create database ${name}`);
  url.pathname = `/${name}`;
  return url;
}

async function run(url: URL, statement: string): Promise<void> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
