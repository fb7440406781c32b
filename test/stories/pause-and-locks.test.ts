import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, type Scenario, stateOf, locksOf } from './scenario.ts';
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
  - { allow: ['cache clear'], to: [developers] }
  - { allow: [pause, resume, lock, unlock], to: [leads] }
channels:
  ops: G0BAKERY
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
});
afterAll(() => scenario.close());

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --database`;

test('promise 4: a pause holds what is approved; after it, changes that have drifted or expired are not sent, the others are', async () => {
  const [ana, ben, fay, chi, dee] = [
    scenario.person('ana'),
    scenario.person('ben'),
    scenario.person('fay'),
    scenario.person('chi'),
    scenario.person('dee'),
  ];
  const [goes, drifts, expires] = await Promise.all([
    ana.requests(onto('acme-shop')),
    ben.asks('/site allowlist add harbor-events/staging 198.51.100.6', 'C0GENERAL'),
    fay.requests(onto('acme-blog'), 'C0OPS'),
  ]);
  const written = scenario.writes().length;
  await (
    await chi.says('/site pause the host is odd', 'G0BAKERY')
  ).hears('Sending is paused: I send nothing from now on');
  for (const change of [drifts, expires, goes]) {
    await dee.clicks(change.card(), 'Approve');
    await change.tells(/^Approved by @Dee\.[^]* All sending is paused\./);
  }
  await goes.shows('Not sent yet. All sending is paused.');
  scenario.hosting.world.environmentNamed('harbor-events/staging')?.allowlist.push('192.0.2.9');
  scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', expires.number);
  const lost = await expires.tells('⛔ Nothing was sent. It was not sent in time.');
  expect(labelsOf(lost)).toEqual(['Ask again']);
  expect(locksOf(scenario, expires)).toEqual([]);
  expect(scenario.writes()).toHaveLength(written);
  const named = [`• #${goes.number} Push acme-shop/live → acme-shop/staging`, `• #${drifts.number} `];
  const again = await (await chi.says('/site pause', 'G0BAKERY')).hears('Sending is already paused');
  for (const line of named) expect(again.text).toContain(line);
  const resumed = await dee.says('/site resume', 'G0BAKERY');
  const answer = await resumed.hears(
    '2 approved changes are sent now, or at their time, after I check rights and targets again.',
  );
  for (const line of named) expect(answer.text).toContain(line);
  const reply = await drifts.tells(/^⛔ Nothing was sent\. Somebody changed harbor-events\/staging in the meantime/);
  expect(reply.text).toContain('192.0.2.9');
  await goes.tells(/^✅ Done after /);
  expect(scenario.writes()).toHaveLength(written + 1);
});

test('a waiting request blocks nobody, but while its target or source is locked, its last vote is refused', async () => {
  const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
  const forgotten = await scenario.person('fay').requests(onto('north-bakery'), 'C0OPS');
  const push = await ana.requests('/site push north-bakery/staging north-bakery/live --files', 'C0GENERAL');
  await chi.clicks(push.card(), 'Approve');
  const stop = await push.tells('Sending in 10 s.');
  await scenario.holdBeforeSend(push.number);
  const change = await ben.asks('/site allowlist add north-bakery/staging 198.51.100.5');
  await change.tells(`north-bakery/staging is locked by #${push.number}. It can be approved when that lock is gone.`);
  const refused = await chi.clicks(change.card(), 'Approve');
  await refused.hears(
    new RegExp(
      `^north-bakery/staging is busy: @Ana's push \\(#${push.number}\\) is waiting to be sent\\. It has held the lock for [^.]+\\. Nothing was sent\\. Your approval was not counted\\.`,
    ),
  );
  expect(stateOf(scenario, change)).toBe('waiting');
  expect(scenario.rows('select * from votes where change = ?', change.number)).toEqual([]);
  await ben.clicks(stop, 'Stop');
  await push.tells('⛔ Stopped by @Ben. Nothing was sent.');
  await chi.clicks(change.card(), 'Approve');
  await change.tells(/^✅ 198\.51\.100\.5 is on the SSH allowlist of north-bakery\/staging/);
  expect(scenario.writes('north-bakery/staging').map(({ section }) => section)).toEqual(['4.16']);
  expect(stateOf(scenario, forgotten)).toBe('waiting');
});

test('a change from a pause waits for a lock that somebody took in the meantime, and says so once', async () => {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  await (await chi.says('/site pause')).hears('Sending is paused');
  const change = await ana.asks('/site cache clear acme-docs/live', 'C0GENERAL');
  await (await chi.says('/site lock acme-docs/live “a look around”')).hears('is locked by you');
  await (await chi.says('/site resume')).hears('1 approved change is sent now');
  await change.shows(
    /Not sent yet\. acme-docs\/live is locked by @Chi[^.]*\(“a look around”\)\.(?!.*Nothing was sent)/s,
  );
  expect(scenario.writes('acme-docs/live')).toEqual([]);
  await (await chi.says('/site unlock acme-docs/live')).hears('unlocked');
  await change.tells(/^✅ Done/);
  expect(scenario.writes('acme-docs/live')).toHaveLength(1);
});
