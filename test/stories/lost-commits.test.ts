import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { remember } from '../prove/set-back.ts';
import { findPostgres, startPostgres } from '../postgres-server.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

const clear = '/site cache clear acme-shop/staging';
const finished = 'the host reports it finished';

/** Looks again until it does not throw: nothing tells of what is written in a database. */
const soon = <T>(look: () => Promise<T> | T): Promise<T> => vi.waitFor(look, { timeout: patienceMs, interval: 50 });

describe.skipIf(!postgresRuns)(`a PostgreSQL that answers commits before they are safe${noPostgres}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let scenario: Scenario;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres(findPostgres() ?? '');
    url = server.url.replace('/?', '/postgres?');
    // Nobody but a commit itself brings it to the disk.
    await asked('alter system set bgwriter_lru_maxpages = 0');
    await asked('select pg_reload_conf()');
    scenario = await openScenario({ environment: { DATABASE_URL: url } });
  });
  afterAll(async () => {
    await scenario.close();
    await server.stop();
  });

  const asked = async (statement: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new Client({ connectionString: url });
    // The server may end in the middle of it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query('set synchronous_commit = on');
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };

  test('promise 1: crashes while the host has a write: it is written once, and its answer is told', async () => {
    await asked(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
    const change = await scenario.person('ana').asks(clear);
    await soon(async () => expect(await asked(`select 1 from changes where state = 'approved'`)).toHaveLength(1));
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    const [writer] = await asked(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
    const pid = Number(writer?.['pid']);
    process.kill(pid, 'SIGSTOP');
    await asked(`delete from kv where key = 'pause'; update changes set due_at = 1`);
    await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
    process.kill(pid, 'SIGKILL');
    await soon(() => asked('update changes set due_at = 1 where owner is null'));
    await scenario.endHostDelays();
    await change.tells(finished);
    expect(scenario.writes()).toHaveLength(1);
  });

  test('promise 1: is promoted, or restored to a moment: nothing is sent until somebody has looked and resumes', async () => {
    const before = scenario.writes().length;
    const [place] = await asked('show data_directory');
    const folder = String(place?.['data_directory']);
    // A server that finds this recovers as a standby does that is promoted: its history takes another course.
    await asked(`alter system set restore_command = 'false'`);
    await asked('select pg_reload_conf()');
    writeFileSync(`${folder}/recovery.signal`, '');
    const { uid, gid } = statSync(folder);
    chownSync(`${folder}/recovery.signal`, uid, gid);
    const [writer] = await asked(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
    process.kill(Number(writer?.['pid']), 'SIGKILL');
    await soon(async () => expect(existsSync(`${folder}/recovery.signal`)).toBe(false));
    await soon(() => asked('insert into kv (key, value, at) values (1, 1, 1)'));

    const change = await soon(() => scenario.person('ana').asks(clear));
    await change.shows('All sending is paused.');
    const [last] = await asked(`select body from messages where kind = 'ops' order by id desc limit 1`);
    expect(last?.['body']).toMatch(/I paused all sending.*PostgreSQL was promoted, restored or moved/s);
    expect(scenario.writes()).toHaveLength(before);
    await asked(`delete from kv where key = 'pause'; update changes set due_at = 1 where owner is null`);
    await change.tells(finished);
    expect(scenario.writes()).toHaveLength(before + 1);
  });
});

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
  leads: [U03CHI]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [resume, pause], to: [leads] }
channels:
  ops: C0OPS
`;

describe.skipIf(!postgresRuns)(`a PostgreSQL that is set back to before a change was sent${noPostgres}`, () => {
  let scenario: Scenario;
  let sql: Client;
  let url: string;
  beforeEach(async () => {
    url = await freshPostgres();
    sql = new Client({ connectionString: url });
    await sql.connect();
    scenario = await openScenario({
      policy,
      hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } },
      environment: { DATABASE_URL: url },
    });
  });
  afterEach(async () => {
    await scenario.close();
    await sql.end();
  });

  const stateOf = async (number: number): Promise<unknown> =>
    (await sql.query<Record<string, unknown>>('select state from changes where number = $1', [number])).rows[0]?.[
      'state'
    ];
  const becomes = (number: number, state: string): Promise<void> =>
    soon(async () => expect(await stateOf(number)).toBe(state));
  const backup = (): Promise<() => Promise<void>> => remember((statement) => sql.query(statement));
  const takeUp = (): Promise<unknown> => sql.query('update changes set due_at = 1 where owner is null and due_at > 1');
  const opsHear = (words: RegExp): Promise<unknown> =>
    scenario.slack.until(
      () => scenario.slack.messages({ channel: 'C0OPS', as: 'U03CHI' }).find(({ text }) => words.test(text)),
      patienceMs,
    );
  /** A cache clear that is approved and held back, and what lets it go. */
  const held = async () => {
    await sql.query(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
    const change = await scenario.person('ana').asks(clear);
    await becomes(change.number, 'approved');
    await soon(async () =>
      expect((await sql.query(`select 1 from messages where due_at is not null`)).rowCount).toBe(0),
    );
    const goes = async (): Promise<void> => {
      await sql.query(`delete from kv where key = 'pause'`);
      await takeUp();
    };
    return { change, goes };
  };

  test('promise 1: after the answer: never sent again, called unknown, and nothing else is sent until somebody resumes', async () => {
    const { change, goes } = await held();
    const setBack = await backup();
    await goes();
    await becomes(change.number, 'done');
    await setBack();
    await takeUp();
    await becomes(change.number, 'unknown');
    await change.tells(/Outcome unknown\. My database was set back: I sent this at .* but it says I didn't/);
    await opsHear(/was set back, or may have been, so I paused all sending.*#1 is approved there.*resume/s);

    const other = await scenario.person('ana').asks('/site cache clear acme-blog/staging');
    await other.shows('All sending is paused.');
    expect(scenario.writes()).toHaveLength(1);
    await (await scenario.person('chi').says('/site resume')).hears('I ended the pause that Sitehand started');
    await takeUp();
    await other.tells(finished);
    expect(scenario.writes()).toHaveLength(2);
  });

  test('promise 2: while the host has the write: its definite answer counts when it comes', async () => {
    const { change, goes } = await held();
    const setBack = await backup();
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    await goes();
    await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
    await setBack();
    await takeUp();
    await change.tells(/My database was set back: I sent this at/);
    await scenario.endHostDelays();
    await change.tells('The answer came late. Sent. The host accepted it');
    await change.tells(finished);
    expect(scenario.writes()).toHaveLength(1);
    expect(scenario.log()).toMatch(
      /"change":1,"version":2,"outcome":{"kind":"accepted","status":202[^}]*},"msg":"the result of a write"/,
    );
  });

  test('promise 2: to before the change was asked for: ops hear what the host answered', async () => {
    const setBack = await backup();
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    await scenario.person('ana').asks(clear);
    await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
    await setBack();
    await scenario.endHostDelays();
    await opsHear(/It no longer knows #1 \(Clear the cache of acme-shop\/staging\)\. Sent\. The host accepted it/);
    expect(scenario.writes()).toHaveLength(1);
  });

  /** Chi declines. Just before that is saved, the database has the delivery as `then` leaves it. */
  const declined = async (then: string) => {
    const change = await scenario
      .person('ana')
      .requests('/site push lumen-studio/live lumen-studio/staging --database');
    const chi = scenario.person('chi');
    await chi.clicks(change.card(), 'Decline…');
    await chi.form('Reason');
    await soon(async () => expect((await sql.query('select 1 from inbox where closed_at is null')).rowCount).toBe(0));
    // All that moves a change waits for this lock.
    await sql.query('begin; select pg_advisory_xact_lock(7401001)');
    const sent = await chi.submits({ Reason: 'not now' });
    await soon(async () => expect((await sql.query(then)).rowCount).toBe(1));
    await sql.query('commit');
    return { change, sent };
  };

  test('promise 2: to before a decision was taken: its sender is told, and nothing is called declined', async () => {
    const { change, sent } = await declined('delete from inbox where closed_at is null');
    await sent.hears('My database was set back');
    expect(await stateOf(change.number)).toBe('waiting');
  });

  test('promise 2: a decision that comes after its sender was told that it was lost is not called done', async () => {
    const { change } = await declined('update inbox set closed_at = 1 where closed_at is null');
    const others = "datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'";
    await soon(async () =>
      expect((await sql.query(`select 1 from pg_stat_activity where ${others}`)).rowCount).toBe(0),
    );
    expect(await stateOf(change.number)).toBe('waiting');
  });

  test('promise 2: to before a command was taken: its sender is told', async () => {
    await sql.query(`create function lose() returns trigger language plpgsql as
      $$ begin delete from inbox where key = new.key; return null; end $$`);
    await sql.query('create trigger lose after insert on inbox for each row execute function lose()');
    const said = await scenario.person('ana').says(clear);
    await said.hears('My database was set back');
    expect(scenario.writes()).toEqual([]);
  });
});
