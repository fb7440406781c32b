import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
import { threeSeconds } from './three-seconds.ts';
import { openFaultyConnection, type FaultyConnection } from './faulty-connection.ts';

/** Slack redelivers something while the database is slow and the first copy is being handled. */

const target = 'acme-shop/staging';
const clear = `cache clear ${target}`;
const noDatabase = /My database isn't answering\. If you see no card and no other answer to this/;
const falseWords = /Nothing was done|Something broke/;

type Setup = {
  readonly scenario: Scenario;
  readonly wire: FaultyConnection;
  readonly sql: Client;
  readonly direct: string;
};

/** A scenario whose bot reaches its database through a faulty connection; `direct` is the address without it. */
const withFaultyConnection = (story: (setup: Setup) => Promise<void>) => async (): Promise<void> => {
  // A database of its own, so that its locks block no other story.
  const { href: direct } = await makeDatabase();
  const wire = await openFaultyConnection(direct);
  const sql = new Client({ connectionString: direct });
  await sql.connect();
  try {
    const hosting = { durations: { 'cache:clear': 0 } };
    await inScenario({ hosting, environment: { DATABASE_URL: wire.url }, start: false }, (scenario) =>
      story({ scenario, wire, sql, direct }),
    )();
  } finally {
    wire.close();
    await sql.end();
  }
};

/** Waits until the database says that every change has ended. */
const allDone = (sql: Client, count: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rows } = await sql.query<{ state: string }>('select state from changes');
      expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: count }, () => 'done'));
    },
    { timeout: patienceMs },
  );

// Concurrent, because each waits ten seconds for a silent database.
describe.skipIf(!postgresRuns)(`a late redelivery${noPostgres}`, () => {
  test.concurrent(
    'of a delivery that this process has taken: acked, and nobody is told anything',
    withFaultyConnection(async ({ scenario, wire, sql }) => {
      await scenario.start();
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs, times: 2 });
      const first = [
        await scenario.person('ana').says(`/site ${clear}`),
        await scenario.person('ben').mentions(clear, 'C0ACME'),
      ];
      await scenario.hosting.until(() => scenario.writes(target).length === 2 || undefined, patienceMs);
      wire.silence();
      const inTime = threeSeconds();
      const again = await Promise.all(first.map(({ outcome }) => scenario.slack.redeliver(outcome.envelope ?? '')));
      inTime(...again);
      expect(again.map(({ ack }) => ack)).toEqual([{}, {}]);
      wire.mend();
      await scenario.endHostDelays();
      await allDone(sql, 2);
      expect(first.flatMap(({ answers }) => answers().map(({ text }) => text))).toEqual([]);
      expect(scenario.writes(target)).toHaveLength(2);
    }),
  );

  test.concurrent(
    'of a delivery that another process has taken: the answer does not say that nothing was done, but how to find out',
    withFaultyConnection(async ({ scenario, wire, sql, direct }) => {
      const [slow] = [await scenario.start(), await scenario.start({ DATABASE_URL: direct })];
      wire.silence();
      scenario.slack.delivery.duplicates = 2;
      const said = await scenario.person('ben').mentions(clear, 'C0ACME');
      await said.hears(noDatabase);
      await allDone(sql, 1);
      expect(said.answers().filter(({ text }) => falseWords.test(text))).toEqual([]);
      expect(scenario.writes(target)).toHaveLength(1);
      await slow.close();
    }),
  );

  test.concurrent(
    'of a delivery that was not saved in time: it is not handled either, and its sender is told only once',
    withFaultyConnection(async ({ scenario, wire }) => {
      await scenario.start();
      wire.silence();
      const said = await scenario.person('ben').mentions(clear, 'C0ACME');
      await said.hears(noDatabase);
      wire.mend();
      await vi.waitFor(
        async () => expect((await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).status).toBe(200),
        {
          timeout: patienceMs,
        },
      );
      expect((await scenario.slack.redeliver(said.outcome.envelope ?? '')).acked).toBe(true);
      const other = 'acme-docs/staging';
      await vi.waitFor(
        async () => {
          const next = await scenario.person('ana').says(`/site cache clear ${other}`);
          expect(next.answers()).toEqual([]);
          await vi.waitFor(() => expect(scenario.writes(other).length).toBeGreaterThan(0), { timeout: 3_000 });
        },
        { timeout: patienceMs },
      );
      expect(said.answers().filter(({ text }) => noDatabase.test(text))).toHaveLength(1);
      expect(scenario.writes(target)).toEqual([]);
    }),
  );
});
