import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { noPgbouncer, pgbouncerRuns, startPgbouncer } from '../pgbouncer.ts';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, patienceMs } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups: { developers: [${ids.ana}], leads: [${ids.chi}] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
const hosting = { durations: { 'environments:push': 0 } };
/** Fewer than the two bots' twenty: they share these. */
const poolSize = 4;
const one = { rowCount: 1 };

describe.skipIf(!postgresRuns || !pgbouncerRuns)(`two replicas behind PgBouncer${noPostgres}${noPgbouncer}`, () => {
  test('promise 1: share its few connections in transaction mode: a push is approved, sent once and followed to its end', async () => {
    const database = await makeDatabase();
    const pooler = await startPgbouncer(database, poolSize);
    const sql = new Client({ connectionString: database.href });
    await sql.connect();
    try {
      const environment = { DATABASE_URL: pooler.url };
      await inScenario({ environment, policy, hosting, start: false }, async (scenario) => {
        await Promise.all([scenario.start(), scenario.start({ DATABASE_LISTEN_URL: database.href })]);
        const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
        await ana.opens('/site push acme-shop/staging acme-shop/live --files', 'Nothing is sent until it is approved');
        const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
        await change.tells('this is waiting for your approval');
        await chi.clicks(change.card(), 'Approve');
        // The time for Stop begins once its message is posted.
        const stopIsPosted = async (): Promise<void> =>
          expect(await sql.query(`select 1 from messages where key = '1:stop' and ts is not null`)).toMatchObject(one);
        await vi.waitFor(stopIsPosted, { timeout: patienceMs });
        await sql.query('update changes set due_at = 1 where owner is null');
        await change.tells('the host reports it finished');
        expect(scenario.writes('acme-shop/live')).toHaveLength(1);
        const { rows } = await sql.query<{ open: number }>(
          `select count(*)::integer as open from pg_stat_activity where datname = current_database() and application_name = 'sitehand'`,
        );
        expect(rows[0]?.open).toBeGreaterThan(0);
        expect(rows[0]?.open).toBeLessThanOrEqual(poolSize);
        const listeners = `select query from pg_stat_activity where datname = current_database() and application_name = 'sitehand listener'`;
        expect((await sql.query(listeners)).rows).toEqual([{ query: 'listen sitehand_due' }]);
        expect(scenario.log()).not.toContain('trouble');
        expect(scenario.log().match(/"message":"PostgreSQL is behind a pooler/g)).toHaveLength(1);
      })();
    } finally {
      await sql.end();
      await pooler.stop();
    }
  });
});
