import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/person-view.ts';
import type { TestUser, Words } from './people.ts';
import { expectSoon, has } from './people.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

/** How turns in a queue end, what takes them, and what does not. */

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN, U05FAY]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, 'allowlist add', 'allowlist remove', push], to: [developers], approval: none }
  - { allow: [lock, unlock], to: [leads] }
`;
let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } } });
});
afterAll(() => scenario.close());

const told = ({ id, direct }: TestUser, words: Words): readonly VisibleMessage[] =>
  scenario.slack.messages({ channel: direct, as: id }).filter(({ text }) => has(text, words));
const isTold = (who: TestUser, words: Words, times = 1): Promise<VisibleMessage> =>
  expectSoon(
    scenario.slack,
    `${times} messages to ${who.id} with ${words}`,
    () => told(who, words)[times - 1],
    () => told(who, /./).map(({ text }) => text),
  );
const places = (): readonly unknown[] => scenario.rows('select id from queued_requests');
const lock = async (env: string): Promise<unknown> =>
  (await scenario.person('chi').says(`/site lock ${env} a release`)).hears('is locked by you');
const unlock = async (env: string): Promise<unknown> =>
  (await scenario.person('chi').says(`/site unlock ${env}`)).hears('is unlocked');
/** As if eleven minutes had passed since the turn began. */
const waitsInVain = ({ id }: TestUser): void =>
  scenario.rewrite(`update queued_requests set turn_at = turn_at - 660000, due_at = 1 where requester = ?`, id);

test('a turn lasts ten minutes; then the next one has theirs, and the first one is told', async () => {
  const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
  await lock('acme-shop/live');
  await (await ben.says('/site allowlist add acme-shop/live 198.51.100.4 --queue')).hears('number 1');
  await (await fay.says('/site cache clear acme-shop/live --queue')).hears('number 2');
  await unlock('acme-shop/live');
  await isTold(ben, 'Your turn: review allowlist add on acme-shop/live.');
  const [turn] = scenario.rows('select turn_at, due_at from queued_requests where requester = ?', ben.id);
  expect(Number(turn?.['due_at']) - Number(turn?.['turn_at'])).toBe(600_000);
  waitsInVain(ben);
  const over = await isTold(ben, 'Your turn for acme-shop/live is over: you had ten minutes.');
  expect(over.text).toContain('allowlist add on acme-shop/live was not sent.');
  expect(over.controls.map(({ label }) => label)).toEqual(['Queue again']);
  await isTold(fay, 'It was your turn for acme-shop/live.');
  expect(places()).toEqual([]);
});

test('a turn that a lock took comes again: after its time, or when its person queues again', async () => {
  const ben = scenario.person('ben');
  const add = '/site allowlist add acme-blog/live 198.51.100.4 --queue';
  await lock('acme-blog/live');
  await (await ben.says(add)).hears('number 1');
  await (await ben.says(`${add} --reason again`)).hears("You're already in the queue with that. Nothing was sent.");
  for (const [times, again] of [
    [1, () => waitsInVain(ben)],
    [2, async () => (await ben.says(add)).hears("You're number 1 in the queue for acme-blog/live.")],
  ] as const) {
    await unlock('acme-blog/live');
    await isTold(ben, 'Your turn: review allowlist add on acme-blog/live.', times);
    await lock('acme-blog/live');
    await again();
    await vi.waitFor(() => expect(scenario.rows('select turn_at from queued_requests')).toEqual([{ turn_at: null }]), {
      timeout: patienceMs,
    });
  }
  await unlock('acme-blog/live');
  await isTold(ben, 'Your turn: review allowlist add on acme-blog/live.', 3);
  expect(told(ben, /acme-blog\/live is over/)).toEqual([]);
  scenario.rewrite('delete from queued_requests');
});

test("the timer of a grant does not take a person's turn", async () => {
  const ben = scenario.person('ben');
  const grant = await ben.asks('/site allowlist add acme-docs/staging 198.51.100.4 --for 5m');
  await grant.tells(/^✅ /);
  await lock('acme-docs/staging');
  await (await ben.says('/site allowlist remove acme-docs/staging 203.0.113.7 --queue')).hears('number 1');
  await unlock('acme-docs/staging');
  await isTold(ben, 'Your turn: review allowlist remove on acme-docs/staging.');
  scenario.rewrite('update timers set due_at = 1 where change = ?', grant.number);
  await vi.waitFor(
    () => expect(scenario.rows('select created_change from timers where created_change is not null')).toHaveLength(1),
    { timeout: patienceMs },
  );
  expect(places()).toHaveLength(1);
  scenario.rewrite('delete from queued_requests');
});

test('an unknown outcome on the other environment ends the place of a request that needs both, and of nobody else', async () => {
  const [ana, ben, fay] = [scenario.person('ana'), scenario.person('ben'), scenario.person('fay')];
  await lock('north-bakery/live');
  const { id } = scenario.hosting.world.environmentNamed('north-bakery/staging') ?? {};
  await (await ben.says('/site push north-bakery/staging north-bakery/live --files --queue')).hears('number 1');
  await (await fay.says('/site cache clear north-bakery/live --queue')).hears('number 2');
  const path = `/sites/environments/${id}/ssh/set-allowed-ips`;
  scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path, times: 'always' });
  const lost = await ana.asks('/site allowlist add north-bakery/staging 198.51.100.9');
  await lost.tells('Outcome unknown.');
  await unlock('north-bakery/live');
  await isTold(
    ben,
    `You're no longer in the queue for north-bakery/live, because the outcome of @Ana's allowlist add (#${lost.number}) is unknown. push on north-bakery/live was not sent.`,
  );
  await isTold(fay, 'It was your turn for north-bakery/live.');
  expect(places()).toEqual([]);
});

test('what could not be asked takes nobody’s place: Slack does not tell who is in a user group, four times in a row', async () => {
  const own = await openScenario({
    policy: policy.replace('[U01ANA, U02BEN, U05FAY]', '[S0DEVS]'),
    hosting: { durations: { 'cache:clear': 0 } },
  });
  try {
    const [ana, chi] = [own.person('ana'), own.person('chi')];
    await (await chi.says('/site lock acme-docs/live a release')).hears('is locked by you');
    await (await ana.says('/site cache clear acme-docs/live --queue')).hears('number 1');
    own.slack.disableGroup('S0DEVS');
    // What Slack said before is no longer good enough.
    own.passes(120_000);
    await (await chi.says('/site unlock acme-docs/live')).hears('is unlocked');
    for (let times = 0; times < 4; times += 1) {
      own.rewrite('update queued_requests set due_at = 1 where owner is null');
      await vi.waitFor(
        () =>
          expect(own.rows('select attempts from queued_requests where owner is null and due_at > 1')).toEqual([
            { attempts: 0 },
          ]),
        { timeout: patienceMs },
      );
    }
    expect(own.slack.messages({ channel: ana.direct, as: ana.id })).toEqual([]);
    own.slack.disableGroup('S0DEVS', false);
    await own.slack.changeGroup('S0DEVS', [ana.id]);
    own.passes(120_000);
    own.rewrite('update queued_requests set due_at = 1');
    await expectSoon(
      own.slack,
      'its turn',
      () =>
        own.slack.messages({ channel: ana.direct, as: ana.id }).find(({ text }) => text.includes('It was your turn')),
      () => own.slack.messages({ channel: ana.direct, as: ana.id }),
    );
    expect(own.writes('acme-docs/live')).toHaveLength(1);
  } finally {
    await own.close();
  }
});
