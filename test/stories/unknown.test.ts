import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario, stateOf, locksOf } from './scenario.ts';
import { labelsOf } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN, U05FAY]
rules:
  - { allow: [read], to: everyone }
  - { allow: [push, 'allowlist add'], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels:
  ops: G0BAKERY
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
});
afterAll(() => scenario.close());

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --database`;
const closing = ['It happened', 'It did not happen'];
/** Makes the host answer the next push of that site with 500. */
const breakPush = (site: string, applied: boolean): void => {
  const path = `/sites/${scenario.hosting.world.environmentNamed(`${site}/live`)?.siteId}/environments`;
  const body = { message: 'Database is locked', status: 500 };
  scenario.hosting.faults.add({ kind: 'status', status: 500, body, method: 'PUT', path, applied });
};
const longAgo = (number: number): void => scenario.runSql('update changes set sent_at = 1 where number = ?', number);

describe.concurrent('promise 2: the host answers 500, and nobody knows', () => {
  test('a push is written once, becomes unknown, and is closed by an approver once its write can no longer arrive', async () => {
    const [ana, chi, rob, gus] = [
      scenario.person('ana'),
      scenario.person('chi'),
      scenario.person('rob'),
      scenario.person('gus'),
    ];
    const before = scenario.writes('acme-shop/staging').length;
    breakPush('acme-shop', true);
    const change = await ana.requests(onto('acme-shop'));
    await chi.clicks(change.card(), 'Approve');
    const reply = await change.tells(/^⚠️ @Ana @Chi @Dee Outcome unknown\. I sent it at .* I won't send it again\./);
    expect(reply.text).toMatch(
      /Please check [^ ]+ in the host's panel, then press It happened or It did not happen\. Whoever asked for it can't press them./,
    );
    expect(reply.text).toMatch(
      /acme-shop\/staging stays locked\. acme-shop\/live, which it reads, stays locked for an hour\. Please check/,
    );
    expect(labelsOf(reply)).toEqual(closing);
    // Where only the requester reads it, it has no button that could only be refused.
    expect(labelsOf(await ana.reads(/@Ana @Chi @Dee Outcome unknown/))).toEqual([]);
    expect(labelsOf(await chi.reads(/@Ana @Chi @Dee Outcome unknown/))).toEqual(closing);
    await scenario.slack.home(ana.id);
    const home = await scenario.slack.until(() => scenario.slack.views(ana.id).home, patienceMs);
    expect(home.text).toContain('⚠️ Push acme-shop/live → acme-shop/staging');
    expect(home.text).toContain('It says: “Database is locked”');
    expect(home.controls.map(({ label }) => label)).not.toContain('It happened');
    expect(scenario.writes('acme-shop/staging')).toHaveLength(before + 1);
    await change.tells(/^A backup of acme-shop\/staging \(system-generated\) was made at .* so it probably started\./);
    expect(labelsOf(await change.shows('⚠️ Push acme-shop/live → acme-shop/staging'))).toEqual([
      ...closing,
      'Everything that was sent',
    ]);
    const inOps = new RegExp(`#${change.number} · Push [^]*Outcome unknown[^]*500\\. It says: “Database is locked”`);
    const inOpsNow = () =>
      scenario.slack.messages({ channel: 'G0BAKERY', as: chi.id }).filter(({ text }) => inOps.test(text));
    await scenario.slack.until(() => inOpsNow()[0], patienceMs);
    expect(inOpsNow().map(labelsOf)).toEqual([closing]);
    expect(locksOf(scenario, change)).toHaveLength(2);

    const early = await chi.clicks(reply, 'It happened');
    await early.hears(/It could still reach the host until .*\. Please press again after that\./);
    longAgo(change.number);
    const refused = [
      [ana, 'This is your own change, so somebody else has to close it.'],
      [rob, "You're not among the people who can close it."],
      [gus, 'Guests of this workspace may not use Sitehand.'],
    ] as const;
    // Each refusal appears where the button was pressed.
    for (const [who, says] of refused) {
      const inThread = await (await who.clicks(reply, 'It happened')).hears(says);
      expect(inThread.thread_ts).toBe(change.ts);
      const atCard = await (await who.clicks(change.card(), 'It happened')).hears(says);
      expect(atCard.thread_ts).toBeUndefined();
    }
    expect(stateOf(scenario, change)).toBe('unknown');
    await chi.clicks(change.card(), 'It happened');
    await change.tells('✅ @Chi says it happened.');
    expect(locksOf(scenario, change)).toEqual([]);
    await change.tells(/stays locked for an hour\. Please check[^[]*$/);
    // The ops channel no longer has the buttons either.
    await scenario.slack.until(() => inOpsNow().every((one) => labelsOf(one).length === 0) || undefined, patienceMs);
    expect(scenario.writes('acme-shop/staging')).toHaveLength(before + 1);
  });

  test('timed access: its time begins when a person says that it happened', async () => {
    const [ben, dee] = [scenario.person('ben'), scenario.person('dee')];
    const id = scenario.hosting.world.environmentNamed('lumen-studio/staging')?.id;
    const path = `/sites/environments/${id}/ssh/set-allowed-ips`;
    scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path });
    const change = await ben.asks('/site allowlist add lumen-studio/staging 198.51.100.4 --for 5m', 'C0GENERAL');
    await dee.clicks(change.card(), 'Approve');
    const reply = await change.tells(/^⚠️ .*Outcome unknown\./);
    const timers = (): readonly unknown[] =>
      scenario.rows('select due_at from timers where change = ?', change.number).map((row) => row['due_at']);
    await change.tells(/^Read back: 198\.51\.100\.4 is not on the SSH allowlist .* So it probably didn't happen/);
    expect(timers()).toEqual([]);
    longAgo(change.number);
    const before = Date.now();
    await dee.clicks(reply, 'It happened');
    await change.tells('✅ @Dee says it happened.');
    expect(timers()).toHaveLength(1);
    expect(Number(timers()[0])).toBeGreaterThanOrEqual(before + 5 * 60_000);
    expect(scenario.writes('lumen-studio/staging')).toHaveLength(1);
  });

  test('its target is deleted in the meantime: it can still be closed, and asked for again', async () => {
    const [fay, dee] = [scenario.person('fay'), scenario.person('dee')];
    breakPush('acme-docs', false);
    const change = await fay.requests(onto('acme-docs'), 'C0OPS');
    await dee.clicks(change.card(), 'Approve');
    const reply = await change.tells(/^⚠️ .*Outcome unknown\./);
    await change.tells(/and there is no new one\. It may not have started, or not yet\./);
    const staging = scenario.hosting.world.environmentNamed('acme-docs/staging');
    const writes = scenario.writes('acme-docs/staging').length;
    if (staging) scenario.hosting.world.removeEnvironment(staging);
    await scenario.refreshListing();
    longAgo(change.number);
    await dee.clicks(reply, 'It did not happen');
    const closed = await change.tells('❌ @Dee says it did not happen.');
    expect(labelsOf(closed)).toEqual(['Ask again']);
    expect(locksOf(scenario, change)).toEqual([]);
    expect(writes).toBe(1);
  });
});
