import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, patienceMs, type Scenario } from './scenario.ts';

const live = 'acme-shop/live';

/** Two bots on one PostgreSQL, between the same Slack and the same host. */
const withTwo =
  (story: (scenario: Scenario, sql: Client) => Promise<void>, slack: object = {}) =>
  async (): Promise<void> => {
    // Its own database: six bots would wait for one another's locks.
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const two = async (scenario: Scenario): Promise<void> => {
      await Promise.all([scenario.start(), scenario.start()]);
      await story(scenario, sql);
    };
    try {
      await inScenario({ environment: { DATABASE_URL: url }, slack, start: false }, two)();
    } finally {
      await sql.end();
    }
  };

const cards = (
  scenario: Scenario,
): readonly { readonly channel: string; readonly ts: string; readonly text: string }[] =>
  scenario.slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => /· #\d+/.test(text));

const repliesOf = (
  scenario: Scenario,
  { channel, ts }: { readonly channel: string; readonly ts: string },
): readonly string[] =>
  scenario.slack
    .messages({ channel, thread: ts, as: ids.ana })
    .filter((one) => one.ts !== ts)
    .map(({ text }) => text);

describe.skipIf(!postgresRuns)(`two replicas on one PostgreSQL${noPostgres}`, { concurrent: true }, () => {
  test(
    'promise 1: hear every command twice, once each, and write each change once',
    withTwo(async (scenario) => {
      scenario.slack.delivery.duplicates = 1;
      const names = ['acme-shop/live', 'acme-blog/live', 'acme-docs/live'];
      await Promise.all(names.map((name) => scenario.slack.command(ids.ana, 'C0ACME', `/site cache clear ${name}`)));
      const finished = (): boolean =>
        cards(scenario).length === names.length &&
        cards(scenario).every((card) => repliesOf(scenario, card).some((text) => text.includes('reports it finished')));
      await scenario.slack.until(() => finished() || undefined, patienceMs);
      expect(scenario.writes()).toHaveLength(names.length);
      for (const name of names) expect(scenario.writes(name)).toHaveLength(1);
      for (const card of cards(scenario)) {
        expect(repliesOf(scenario, card)).toEqual([expect.stringMatching(/reports it finished \(cache:clear-/)]);
      }
    }),
  );

  test(
    'promise 2: a lease that ends while the host still works makes it unknown; the late answer is recorded and told',
    withTwo(async (scenario, sql) => {
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
      const { rowCount } = await sql.query(`update changes set lease_until = 1, due_at = 1 where state = 'sending'`);
      expect(rowCount).toBe(1);
      await change.tells('Outcome unknown');
      await scenario.hostAnswers();
      await change.tells('The answer came late');
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
      const { rows } = await sql.query<{ event: string }>(`select event from audit where change = 1 order by seq`);
      expect(rows.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['send', 'outcome_lost', 'accept_late', 'finish']),
      );
    }),
  );

  test(
    'hold back together when sending is paused, and go on together',
    withTwo(async (scenario, sql) => {
      await sql.query(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      const looked = (): Promise<boolean> =>
        sql.query(`select 1 from changes where due_at > created_at`).then(({ rowCount }) => rowCount === 1);
      await vi.waitFor(async () => expect(await looked()).toBe(true), { timeout: patienceMs });
      expect(scenario.writes()).toEqual([]);
      await sql.query(`delete from kv where key = 'pause'`);
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );
});
