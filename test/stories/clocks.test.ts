import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { openScenario, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI]
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
/** By how many hours the clock of each replica is wrong; the database, the host and Slack have the right time. */
const hoursWrong = [-24, 1];
const hour = 3_600_000;
/** How long a step may take on a busy machine, in ms; far less than an hour. */
const slack = 20_000;

describe.skipIf(!postgresRuns)(`replicas whose clocks are an hour and a day wrong${noPostgres}`, () => {
  let scenario: Scenario;
  let sql: Client;
  let began: number;
  beforeAll(async () => {
    began = Date.now();
    const url = await freshPostgres();
    sql = new Client({ connectionString: url });
    await sql.connect();
    const durations = { 'environments:push': 0 };
    scenario = await openScenario({
      ownProcess: 'all',
      policy,
      hosting: { durations },
      environment: { DATABASE_URL: url },
      start: false,
    });
    await Promise.all(
      hoursWrong.map((hours) => scenario.start({ NODE_OPTIONS: `--import ./test/prove/clock.ts?hours=${hours}` })),
    );
  });
  afterAll(async () => {
    await scenario.close();
    await sql.end();
  });

  const one = async (question: string, ...values: readonly unknown[]): Promise<number> => {
    const { rows } = await sql.query<{ answer: string }>(question, [...values]);
    return Number(rows[0]?.answer);
  };
  const column = (name: string, change: number): Promise<number> =>
    one(`select ${name} as answer from changes where number = $1`, change);

  test('promise 1: a change can be approved for its hour and stopped for its ten seconds, and is sent once then', async () => {
    const change = await scenario.person('ana').requests('/site push acme-shop/staging acme-shop/live --database');
    const asked = Date.now();
    expect(Math.abs((await column('expires_at', change.number)) - asked - hour)).toBeLessThan(slack);
    await scenario.person('chi').clicks(change.card(), 'Approve');
    const stop = await change.tells('Approved by @Chi. Sending in 10 s.');
    const postedAt = Number(stop.ts) * 1_000;
    await change.tells('The host accepted it');
    const [write, ...more] = scenario.writes();
    expect(more).toEqual([]);
    expect((write?.at ?? 0) - postedAt).toBeGreaterThanOrEqual(9_500);
    expect((write?.at ?? 0) - postedAt).toBeLessThan(10_000 + slack);
    await change.tells('the host reports it finished');
  });

  test('a change that nobody approves expires when the database says that its time is over', async () => {
    const before = scenario.writes().length;
    const change = await scenario.person('ben').requests('/site push acme-blog/live acme-blog/staging --database');
    await change.tells('@Chi: this is waiting for your approval until');
    const { rowCount } = await sql.query(
      `update changes set due_at = at, expires_at = at
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint + 2500 as at) soon
        where number = $1 and state = 'waiting' and expires_at > at`,
      [change.number],
    );
    expect(rowCount).toBe(1);
    await change.tells("It wasn't approved in time.");
    const late = (await column('settled_at', change.number)) - (await column('expires_at', change.number));
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(slack);
    expect(scenario.writes()).toHaveLength(before);
  });

  test('the database has no time of a wrong clock, whichever replica wrote it', async () => {
    const kept = [
      ['changes', 'created_at'],
      ['changes', 'sent_at'],
      ['changes', 'settled_at'],
      ['audit', 'at'],
      ['votes', 'at'],
      ['messages', 'created_at'],
      ['inbox', 'received_at'],
      ['inbox', 'closed_at'],
      ['kv', 'at'],
    ] as const;
    for (const [table, moment] of kept) {
      const wrong = `select count(*) as answer from ${table} where ${moment} not between $1 and $2`;
      expect([table, moment, await one(wrong, began - slack, Date.now() + slack)]).toEqual([table, moment, 0]);
    }
  });
});
