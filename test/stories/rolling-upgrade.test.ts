import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { createLog } from '../../src/base/log.ts';
import { start } from '../../src/main.ts';
import { migrations, type Migration } from '../../src/storage/migrations/migrate.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, patienceMs, type Scenario } from './scenario.ts';

const known = migrations.length;
const adds = (oldest: number): Migration => ({
  name: 'made up',
  oldest,
  statements: () => ['create table made_up (id text)'],
});
const ready = async (scenario: Scenario): Promise<string> =>
  (await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).text();
const becomes = (scenario: Scenario, is: string): Promise<void> =>
  vi.waitFor(async () => expect(await ready(scenario)).toBe(is), { timeout: patienceMs });
const excluded = `A newer Sitehand has changed the database (it needs a version that knows ${known + 1} migrations; this one knows ${known})`;

describe.skipIf(!postgresRuns)(`a newer version beside this one, on one PostgreSQL${noPostgres}`, () => {
  /** A bot of the next version, which has one more migration, on the scenario's database. */
  const startNewer = (scenario: Scenario, oldest: number): ReturnType<typeof start> =>
    start(readConfig(scenario.environment), { log: createLog('silent'), migrations: [...migrations, adds(oldest)] });

  const beside =
    (oldest: number, story: (scenario: Scenario, sql: Client) => Promise<void>) => async (): Promise<void> => {
      const url = await freshPostgres();
      const sql = new Client({ connectionString: url });
      await sql.connect();
      try {
        // A delivery to the version that is leaving gets no ack: then the command is typed again.
        const slack = { ackTimeoutMs: 5_000 };
        await inScenario({ environment: { DATABASE_URL: url }, slack }, async (scenario) => {
          await sql.query(`insert into kv (key, value, at) values ('pause', '{}', 1)`);
          await scenario.person('ana').asks('/site cache clear acme-shop/live');
          const newer = await startNewer(scenario, oldest);
          try {
            await story(scenario, sql);
          } finally {
            await newer.stop();
          }
        })();
      } finally {
        await sql.end();
      }
    };
  const resume = (sql: Client): Promise<unknown> =>
    sql.query(`delete from kv where key = 'pause'; update changes set due_at = 1 where owner is null`);

  test(
    'whose migration excludes it: takes no more work and no more deliveries, says so, and the newer one goes on',
    beside(known + 1, async (scenario, sql) => {
      await becomes(scenario, 'not ready');
      expect(scenario.log()).toContain(excluded);
      await resume(sql);
      // Until it has left, Slack may still deliver to it.
      await vi.waitFor(
        async () => {
          const said = await scenario.person('ben').says('/site cache clear acme-blog/live');
          expect([said.outcome.acked, ...said.answers()]).toEqual([true]);
        },
        { timeout: patienceMs },
      );
      await scenario.slack.until(
        () =>
          scenario.slack.messages({ channel: 'C0OPS', as: ids.chi }).some(({ text }) => text.includes(excluded)) ||
          undefined,
        patienceMs,
      );
      await vi.waitFor(() => expect(scenario.writes()).toHaveLength(2), { timeout: patienceMs });
      await expect(scenario.start()).rejects.toThrow('A newer Sitehand has changed this database');
    }),
  );

  test(
    'whose migration only adds: both go on, and it can be started again',
    beside(known, async (scenario, sql) => {
      await resume(sql);
      await vi.waitFor(() => expect(scenario.writes()).toHaveLength(1), { timeout: patienceMs });
      await scenario.start();
      expect(await ready(scenario)).toMatch(/^ready/);
      expect(scenario.log()).not.toContain('A newer Sitehand');
    }),
  );
});

test(
  'by HTTP, a version that a newer one excludes answers that it did nothing, and sends nothing',
  inScenario({ slack: { delivery: { kind: 'http' } } }, async (scenario) => {
    scenario.runSql(
      `insert into migrations (step, name, oldest, at) values (?, 'made up', ?, 1)`,
      known + 1,
      known + 1,
    );
    await becomes(scenario, 'not ready');
    const said = await scenario.person('ana').says('/site cache clear acme-shop/live');
    await said.hears(
      "I'm being replaced by a newer version. If you see no card and no other answer to this, nothing was done.",
    );
    expect(scenario.writes()).toEqual([]);
  }),
);
