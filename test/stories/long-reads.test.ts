import { expect, test, vi } from 'vitest';
import { ids, inScenario, patienceMs, type Scenario } from './scenario.ts';

const minute = 60_000;

/** The deliveries in progress, with the end of their leases. */
const open = (scenario: Scenario): readonly Record<string, unknown>[] =>
  scenario.rows('select key, lease_until from inbox where closed_at is null');

const directWords = (scenario: Scenario): string =>
  scenario.slack
    .messages({ channel: `D0${ids.ana}`, as: ids.ana })
    .map(({ text }) => text)
    .join('\n');

test(
  'a read takes longer than the lease of its delivery: the lease is renewed, and nobody is told that it was lost',
  inScenario({}, async (scenario) => {
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', section: '4.17', ms: patienceMs });
    await scenario.person('ana').says('/site allowlist add acme-shop/staging 198.51.100.4');
    await vi.waitFor(() => expect(open(scenario)).toHaveLength(1), { timeout: patienceMs });
    scenario.runSql('update inbox set lease_until = ?', Date.now() + 2_000);
    await vi.waitFor(
      () => {
        const [held] = open(scenario);
        expect(Number(held?.['lease_until'])).toBeGreaterThan(Date.now() + minute / 2);
      },
      { timeout: patienceMs },
    );
    await scenario.endHostDelays();
    const change = await scenario.change(1);
    await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
    expect(directWords(scenario)).not.toContain('I was restarted');
  }),
);

test(
  'a delivery was reported as interrupted, and its answer comes after all: the person gets a correction',
  inScenario({}, async (scenario) => {
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', section: '4.17', ms: patienceMs });
    const ana = scenario.person('ana');
    const said = await ana.says('/site allowlist add acme-shop/staging 198.51.100.4 --dry-run');
    await vi.waitFor(() => expect(open(scenario)).toHaveLength(1), { timeout: patienceMs });
    scenario.runSql("update inbox set owner = 'another', lease_until = 1");
    await said.hears('I was restarted before I got to allowlist add acme-shop/staging');
    await scenario.endHostDelays();
    await said.hears(/I told you that this was lost, but it wasn't\. It took \d+ s/);
    expect(scenario.writes()).toEqual([]);
  }),
);

test('Slack’s half hour passes while the host is read: the report is sent in direct messages, and says why', async () => {
  let shift = 0;
  await inScenario({ slack: { now: () => Date.now() + shift } }, async (scenario) => {
    scenario.hosting.faults.add({ kind: 'delay', method: 'GET', section: '4.17', ms: patienceMs });
    const said = await scenario.person('ana').says('/site allowlist show acme-shop/live');
    shift = 31 * minute;
    await scenario.endHostDelays();
    const report = await said.hears('Slack lets me answer there for half an hour only, so the answer is here.');
    expect(report.channel).toBe(`D0${ids.ana}`);
    expect(report.text).toContain('acme-shop/live');
    expect(report.text).toMatch(/It took \d+ s\./);
  })();
});
