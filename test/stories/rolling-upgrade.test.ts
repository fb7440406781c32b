import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { createLog } from '../../src/base/log.ts';
import { start } from '../../src/main.ts';
import { appendAudit } from '../../src/storage/audit.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { migrations, type Migration } from '../../src/storage/migrations/migrate.ts';
import { emptyProgress } from '../../src/waiting/watch-limits.ts';
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
      // A place of a replica that does not know the table `waiting`.
      await sql.query(`insert into queued_requests (target, target_name, command, risk, args, targets, requester,
        requester_name, requester_team, channel, created_at, expires_at, due_at) values ('e', 'acme-shop/live',
        'cache clear', 'routine', '[]', '[]', '${ids.ben}', 'Ben', 'T0', 'C0ACME', 1, 2, 2)`);
      await scenario.person('ben').reads('Your place in the queue for acme-shop/live has expired.');
      expect((await sql.query('select 1 from queued_requests')).rowCount).toBe(0);
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

const former = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'one table for what waits'),
);

test(
  'what waited in tables of its own before an upgrade goes on under its number, and can be ended by it',
  inScenario({ start: false }, async (scenario) => {
    const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
    const { id } = scenario.hosting.world.environmentNamed('acme-shop/live') ?? { id: '' };
    const env = JSON.stringify({ kind: 'environment', id, name: 'acme-shop/live', site: { name: 'acme-shop' } });
    const later = Date.now() + 3_600_000;
    const database = await openDatabase(scenario.environment['DATABASE_URL'] ?? '', { migrations: former });
    const line = { at: 1, change: null, event: 'policy', actor: 'sitehand', details: '{}' };
    await database.transaction((tx) => appendAudit(tx, line, Buffer.alloc(32)));
    await sql`
      insert into watches (id, target_key, target, requester, requester_name, channel, zone, created_at, ends_at, read_to,
        progress, due_at) values (3, ${`environment:${id}`}, ${env}, ${ana.id}, 'Ana', 'C0ACME', 'UTC', 1, ${later}, 1,
        ${JSON.stringify(emptyProgress)}, ${later})`.execute(database.db);
    await sql`
      insert into queued_requests (id, target, target_name, command, risk, args, targets, requester, requester_name,
        requester_team, channel, created_at, expires_at, due_at) values (7, ${`environment:${id}`}, 'acme-shop/live',
        'cache clear', 'routine', '[]', ${`[${env}]`}, ${ben.id}, 'Ben', 'T0', 'C0ACME', 1, ${later}, ${later})`.execute(
      database.db,
    );
    await database.close();
    await scenario.start();
    await (await ben.says('/site queue leave 3')).hears('You have no place 3 in a queue. Nothing was done.');
    await (await ana.says('/site watch stop 7')).hears("I can't find a watch #7");
    await (await ana.says('/site watches')).hears(/#3 acme-shop\/live/);
    await (await ben.says('/site queue leave 7')).hears("You've left the queue for acme-shop/live");
    await (await ana.says('/site watch stop 3')).hears('Watch #3 of acme-shop/live is over');
    const ended = scenario.rows("select event from audit where event in ('queue_leave', 'watch_stop') order by seq");
    expect(ended).toEqual([{ event: 'queue_leave' }, { event: 'watch_stop' }]);
  }),
);
