import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noPostgres, postgresRuns } from '../postgres.ts';
import { startPair, type Pair } from '../postgres-pair.ts';
import { findPostgres } from '../postgres-server.ts';
import { openFaultyConnection, type FaultyConnection } from './faulty-connection.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA]
  leads: [U03CHI, U04DEE]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [resume], to: [leads] }
channels:
  ops: C0OPS
`;
const finished = 'the host reports it finished';

// `npm run prove` has more of it: replicated or not, and with a bot that lives through it.
describe.skipIf(!postgresRuns)(`a PostgreSQL with a standby${noPostgres}`, () => {
  let pair: Pair;
  let wire: FaultyConnection;
  let scenario: Scenario;
  beforeAll(async () => {
    pair = await startPair(findPostgres() ?? '');
    wire = await openFaultyConnection(pair.primary.url);
    const durations = { 'cache:clear': 0, 'environments:push': 0 };
    scenario = await openScenario({ policy, hosting: { durations }, environment: { DATABASE_URL: wire.url } });
  });
  afterAll(async () => {
    await scenario.close();
    wire.close();
    await pair.close();
  });

  test('promise 1: killed while the host has a write, and started again: it is written once, its answer is told, nothing is paused', async () => {
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    const change = await scenario.person('ana').asks('/site cache clear acme-shop/staging');
    await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
    await pair.primary.kill();
    await scenario.endHostDelays();
    await pair.primary.start();
    await change.tells(finished);
    expect(scenario.writes()).toHaveLength(1);
    expect(await pair.primary.asked(`select 1 from kv where key = 'pause'`)).toEqual([]);
  });

  test('promise 1: it is lost, and its standby lacks an approval and a write: asked again, and not sent until somebody acts', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await ana.requests('/site push lumen-studio/live lumen-studio/staging --database');
    await change.tells('this is waiting for your approval');
    await vi.waitFor(
      async () => {
        const own = `select 1 from messages where due_at is null and change = ${change.number}`;
        expect(await pair.standby.asked(own)).not.toEqual([]);
      },
      { timeout: patienceMs },
    );
    await pair.stopReplication();
    await chi.clicks(change.card(), 'Approve');
    await change.tells(finished);
    const written = scenario.writes().length;

    await scenario.stop();
    await pair.primary.kill();
    await pair.promote();
    wire.turnTo(pair.standby.url);
    await scenario.start();

    await change.tells("I'm asking again, and earlier approvals no longer count. PostgreSQL was promoted");
    const card = await change.shows('Waiting for approval again.');
    expect(card.text).toContain("please compare lumen-studio/staging with the host's panel first");
    await scenario.slack.until(
      () =>
        scenario.slack
          .messages({ channel: 'C0OPS', as: dee.id })
          .find(({ text }) => text.includes(`I'm asking again for #${change.number}.`)),
      patienceMs,
    );
    await dee.clicks(card, 'Decline…');
    await dee.form('Reason');
    await dee.submits({ Reason: 'it is there already' });
    await change.tells(
      /Declined by @Dee.*Nothing was sent since I asked again \(.*\), but it may have been done before\./,
    );

    const other = await ana.asks('/site cache clear acme-blog/staging');
    await other.shows('All sending is paused.');
    expect(scenario.writes()).toHaveLength(written);
    await (await chi.says('/site resume')).hears('I ended the pause that Sitehand started');
    await pair.standby.asked('update changes set due_at = 1 where owner is null and due_at > 1');
    await other.tells(finished);
    expect(scenario.writes()).toHaveLength(written + 1);
    // The number of a change that the standby never heard of is not given again.
    expect(other.number).toBeGreaterThan(change.number + 1_000);
  });
});
