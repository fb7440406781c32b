import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, type Scenario } from './scenario.ts';

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

test.concurrent('a developer clears the cache of live: a card, a thread, and exactly one write as documented', async () => {
  const change = await scenario.person('ana').asks('/site cache clear acme-shop/live --reason "release 42"', 'C0ACME');
  const last = await change.tells(/^✅ Done after .*: the host reports it finished\./);
  const card = await change.shows('✅ Cleared the cache of acme-shop/live');
  expect(card.text).toMatch(/Done after .*: the host reports it finished\./);
  expect(`${card.text}${last.text}`).not.toContain('cache:clear-');
  const story = await scenario.person('ana').says(`/site change ${change.number}`, 'C0ACME');
  await story.hears(/Operation: cache:clear-[\da-f-]{36}/);
  const events = scenario.rows('select event from audit where change = ? order by seq', change.number);
  expect(events.map(({ event }) => event)).toEqual(['asked', 'no_approval_needed', 'send', 'accept', 'finish']);
  expect(change.replies()).toHaveLength(1);
  expect(card.text).toContain('release 42');
  expect(card.notification).toMatch(/^✅ Cleared the cache of acme-shop\/live · #\d+$/);

  const [write, ...more] = scenario.writes('acme-shop/live');
  expect(more).toEqual([]);
  expect(write).toMatchObject({
    method: 'POST',
    path: '/sites/tools/clear-cache',
    query: {},
    authorization: 'right',
    body: { environment_id: scenario.hosting.world.environmentNamed('acme-shop/live')?.id },
    status: 202,
  });
  expect(JSON.stringify(write?.body)).toMatch(/^\{"environment_id":"[^"]+"\}$/);
  expect(write?.headers['content-type']).toBe('application/json');
});

test.concurrent('a developer allows an address over SSH, reviews it first, and undoes it by a button', async () => {
  const ana = scenario.person('ana');
  const live = scenario.hosting.world.environmentNamed('acme-blog/live');
  const before = [...(live?.allowlist ?? [])];
  await ana.says('/site allowlist add acme-blog/live 198.51.100.4', 'C0GENERAL');
  const review = await ana.form('List before');
  expect(review.title).toBe('Add to allowlist');
  expect(scenario.writes('acme-blog/live')).toEqual([]);

  const added = await ana.confirms({ Reason: 'Ben is at home' }, 'C0GENERAL');
  const proof = await added.tells(/✅ 198\.51\.100\.4 is on the SSH allowlist of acme-blog\/live: confirmed/);
  expect(scenario.writes('acme-blog/live').map(({ body }) => body)).toEqual([
    { ip_allowlist: [...before, '198.51.100.4'] },
  ]);

  const again = await ana.says('/site allowlist add acme-blog/live 198.51.100.4', 'C0GENERAL');
  await ana.form('already on the SSH allowlist of acme-blog/live');
  expect(again.answers()).toEqual([]);

  await ana.clicks(proof, 'Undo');
  await ana.form(/Take 198\.51\.100\.4 off/);
  const removed = await ana.confirms({}, 'C0GENERAL');
  await removed.tells(/✅ 198\.51\.100\.4 is not on the SSH allowlist of acme-blog\/live any more/);
  expect(live?.allowlist).toEqual(before);
  expect(scenario.writes('acme-blog/live')).toHaveLength(2);
});

test('an address that nobody has on the internet is reviewed on an environment that is not live, too', async () => {
  const ana = scenario.person('ana');
  await ana.says('/site allowlist add acme-docs/staging 10.0.0.5', 'C0GENERAL');
  const review = await ana.form('10.0.0.5 is private.');
  expect(review.text).toContain('Nobody connects from such an address over the internet.');
  expect(scenario.writes('acme-docs/staging')).toEqual([]);
  const added = await ana.confirms({ Reason: 'a VPN of the host' }, 'C0GENERAL');
  await added.tells(/✅ 10\.0\.0\.5 is on the SSH allowlist of acme-docs\/staging/);
  const shown = await (await ana.says('/site allowlist show acme-docs/staging')).hears('SSH allowlist');
  expect(shown.text).toContain('10.0.0.5 is private.');
});
