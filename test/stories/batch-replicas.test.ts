import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { begins, manySites, namesOfMany, policy, written } from './batch.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';

/** A batch that two replicas move, one of which is killed in the middle. */

describe.skipIf(!postgresRuns)(`a batch of replicas on one PostgreSQL${noPostgres}`, () => {
  test('promise 1: one is killed in the middle: the other goes on, and nobody is written twice', async () => {
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const story = async (scenario: Scenario): Promise<void> => {
      await scenario.start();
      // The second is the one that `kill` ends.
      await scenario.start();
      scenario.slack.delivery.duplicates = 1;
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 200, times: 'always' });
      const ana = scenario.person('ana');
      const card = await begins(ana, '/site cache clear many-*/live');
      await scenario.hosting.until(() => scenario.writes()[9], patienceMs);
      await scenario.kill();
      // The dead replica's sends would count as lost within a minute, when their leases end.
      await vi.waitFor(
        async () => {
          await sql.query(
            `update changes set lease_until = 1, due_at = 1
             where state = 'sending' and sent_at < $1`,
            [Date.now() - 5_000],
          );
          const { rows } = await sql.query<{ state: string }>(`select state from changes where number = $1`, [
            card.number,
          ]);
          expect(['stopped', 'done']).toContain(rows[0]?.state);
        },
        { timeout: 2 * patienceMs, interval: 200 },
      );
      const { rows } = await sql.query<{ state: string }>(`select state from changes where number = $1`, [card.number]);
      if (rows[0]?.state === 'stopped') {
        await card.shows('[Go on]');
        await ana.clicks(card.card(), 'Go on');
      }
      const counted = async (state: string): Promise<number> =>
        (await sql.query(`select 1 from changes where batch = $1 and state = $2`, [card.number, state])).rowCount ?? 0;
      await vi.waitFor(async () => expect((await counted('done')) + (await counted('unknown'))).toBe(30), {
        timeout: patienceMs,
        interval: 200,
      });
      const counts = written(scenario, namesOfMany(30));
      expect(Math.max(...counts)).toBe(1);
      await card.shows(`${await counted('done')} of 30 done`);
      const sends = await sql.query(
        `select change from audit where event = 'send' group by change having count(*) > 1`,
      );
      expect(sends.rows).toEqual([]);
    };
    try {
      await inScenario(
        {
          policy,
          hosting: { plan: manySites(30), durations: { 'cache:clear': 0 } },
          environment: { DATABASE_URL: url },
          ownProcess: 'all',
          start: false,
        },
        story,
      )();
    } finally {
      await sql.end();
    }
  });
});
