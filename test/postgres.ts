import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { migrations } from '../src/storage/migrations/migrate.ts';
import { unlessThere } from './installed.ts';
import { findPostgres } from './postgres-server.ts';

const required = (process.env['SITEHAND_REQUIRE'] ?? '').split(',').includes('postgres');

/** Whether tests on PostgreSQL run. Where it must be there (`SITEHAND_REQUIRE=postgres`) they run, and fail without it. */
export const postgresRuns = required || findPostgres() !== undefined;

/** Stands behind their names: nothing where they run. */
export const noPostgres = unlessThere('PostgreSQL', postgresRuns);

/** The database of this test file, made when the first test asks for it. */
let database: Promise<URL> | undefined;

/**
 * The URL of a fresh place for tables on the run's own server: a schema of its own, in a database that only this test
 * file uses. It goes when the server goes; whoever opened connections closes them.
 */
export async function freshPostgres(): Promise<string> {
  database ??= makeDatabase();
  return freshSchema(await database);
}

/** Places of this file whose tables are made, and empty again. */
const emptied: string[] = [];

/** As `freshPostgres`, but its tables may be made already, and empty: `giveBack` empties them for the next test. */
export async function emptyPostgres(): Promise<{ readonly url: string; readonly giveBack: () => Promise<void> }> {
  const url = emptied.pop() ?? (await freshPostgres());
  const giveBack = (): Promise<void> =>
    run(new URL(url), EMPTIES).then(
      () => void emptied.push(url),
      // A test that altered the tables themselves keeps them.
      () => undefined,
    );
  return { url, giveBack };
}

/** Fails where the trail's guard was taken away, or a step was taken that this version does not know. */
const EMPTIES = `
  set lock_timeout = 1000;
  select 1 / count(*) from pg_trigger where tgrelid = 'audit'::regclass and tgname = 'audit_no_change';
  select 1 / (case when max(step) = ${migrations.length} then 1 else 0 end) from migrations;
  set session_replication_role = replica;
  truncate changes, votes, audit, locks, timers, inbox, messages, answers, settings, installation restart identity;
  insert into installation values (substr(md5(random()::text), 1, 16), (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

/** The URL of an empty place for tables in that database. */
async function freshSchema(database: URL): Promise<string> {
  const url = new URL(database);
  const schema = `test_${randomBytes(6).toString('hex')}`;
  await run(url, `create schema ${schema}`);
  url.searchParams.set('options', `-c search_path=${schema}`);
  return url.href;
}

async function makeDatabase(): Promise<URL> {
  const answer = await fetch(inject('postgres'));
  const server = await answer.text();
  if (!answer.ok) throw new Error(server);
  return freshDatabase(server);
}

/** The URL of an empty database on that server: what locks there holds up nobody elsewhere. */
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
