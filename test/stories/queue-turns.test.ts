import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { turnEnd } from '../../src/change/queue.ts';
import type { TestUser, Words } from './people.ts';
import { expectSoon, has } from './people.ts';
import { openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';

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
const places = (): readonly unknown[] => scenario.rows('select id from waiting where ended_at is null');
const lock = async (env: string): Promise<unknown> =>
  (await scenario.person('chi').says(`/site lock ${env} a release`)).hears('is locked by you');
const unlock = async (env: string): Promise<unknown> =>
  (await scenario.person('chi').says(`/site unlock ${env}`)).hears('is unlocked');
/** As if eleven minutes had passed since the turn began. */
const waitsInVain = ({ id }: TestUser): void => {
  scenario.runSql(
    `update messages set key = (select 'queue:' || id || ':queue_turn:' || (turn_at - 660000) from waiting
      where requester = ?1 and ended_at is null) where key = (select 'queue:' || id || ':queue_turn:' || turn_at from waiting
      where requester = ?1 and ended_at is null)`,
    id,
  );
  scenario.runSql(
    `update waiting set turn_at = turn_at - 660000, due_at = 1 where requester = ? and ended_at is null`,
    id,
  );
};
/** The message *Your turn* says how it ended, and has no buttons any more. */
const isWithdrawn = async (who: TestUser, { ts }: VisibleMessage, words: string): Promise<void> => {
  const now = (): VisibleMessage | undefined => told(who, /./).find((one) => one.ts === ts);
  await scenario.slack.until(() => now()?.text.includes(words) || undefined, patienceMs);
  expect(now()?.controls).toEqual([]);
};

test('a turn lasts ten minutes; then the next one has theirs, and the first one is told', async () => {
  const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
  await lock('acme-shop/live');
  await (await ben.says('/site allowlist add acme-shop/live 198.51.100.4 --queue')).hears('number 1');
  await (await fay.says('/site cache clear acme-shop/live --queue')).hears('number 2');
  await unlock('acme-shop/live');
  const message = await ben.reads('Your turn: review allowlist add on acme-shop/live.');
  expect(turnEnd({ turn_at: 1_000, expires_at: 3_600_000 })).toBe(601_000);
  waitsInVain(ben);
  const over = await ben.reads('Your turn for acme-shop/live is over: you had 10 min.');
  expect(over.text).toContain('allowlist add on acme-shop/live was not sent.');
  expect(over.controls.map(({ label }) => label)).toEqual(['Queue again']);
  await isWithdrawn(ben, message, 'It was your turn to review allowlist add on acme-shop/live. It is over.');
  await fay.reads('It was your turn for acme-shop/live.');
  expect(places()).toEqual([]);
});

test('a turn that a lock took comes again: after its time, or when its person queues again', async () => {
  const ben = scenario.person('ben');
  const add = '/site allowlist add acme-blog/live 198.51.100.4 --queue';
  await lock('acme-blog/live');
  await (await ben.says(add)).hears('number 1');
  await (await ben.says(`${add} --reason again`)).hears("You're already in the queue with that. Nothing was sent.");
  for (const again of [
    async () => waitsInVain(ben),
    async () => (await ben.says(add)).hears("You're number 1 in the queue. acme-blog/live is locked"),
  ]) {
    await unlock('acme-blog/live');
    const turn = await ben.reads('Your turn: review allowlist add on acme-blog/live.');
    await lock('acme-blog/live');
    await again();
    await isWithdrawn(ben, turn, "Somebody locked it first. You'll get another turn.");
    await vi.waitFor(
      () => expect(scenario.rows('select turn_at from waiting where ended_at is null')).toEqual([{ turn_at: null }]),
      {
        timeout: patienceMs,
      },
    );
  }
  await unlock('acme-blog/live');
  await ben.reads('Your turn: review allowlist add on acme-blog/live.');
  expect(told(ben, /acme-blog\/live is over/)).toEqual([]);
  scenario.runSql('delete from waiting');
});

test('of two places for one environment, the one whose request is sent ends, and the turn of the other stays', async () => {
  const ben = scenario.person('ben');
  const add = (address: string): string => `/site allowlist add acme-shop/live ${address}`;
  await lock('acme-shop/live');
  for (const [at, address] of ['203.0.113.1', '203.0.113.2', '203.0.113.3'].entries())
    await (await ben.says(`${add(address)} --queue`)).hears(`number ${at + 1}`);
  await unlock('acme-shop/live');
  const turn = await ben.reads('Your turn: review allowlist add on acme-shop/live.');
  const left = (): readonly unknown[] =>
    scenario
      .rows("select data ->> '$.args' ->> '$[#-1]' as last from waiting where ended_at is null order by id")
      .map(({ last }) => last);
  for (const address of ['203.0.113.2', '203.0.113.4']) {
    await ben.opens(add(address), 'List before');
    const change = await ben.confirms();
    await change.tells(/^✅ /);
    expect(left()).toEqual(['203.0.113.1', '203.0.113.3']);
    expect(
      told(ben, /./)
        .find(({ ts }) => ts === turn.ts)
        ?.controls.map(({ label }) => label),
    ).toEqual(['Review', 'Leave the queue']);
  }
  await ben.clicks(turn, 'Review');
  await ben.form('List before');
  await (await ben.confirms({}, ben.direct)).tells(/^✅ /);
  await isWithdrawn(ben, turn, 'You asked for it: it is #');
  expect(left()).toEqual(['203.0.113.3']);
  scenario.runSql('delete from waiting');
});

test('a turn in a freeze comes after it, or when the policy no longer has it', async () => {
  const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
  await lock('north-bakery/live');
  await (await ben.says('/site cache clear north-bakery/live --queue')).hears('number 1');
  await (await fay.says('/site allowlist add north-bakery/live 198.51.100.4 --queue')).hears('number 2');
  const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  await reloadPolicy(
    scenario,
    `${policy}freezes:\n  - { name: peak, from: ${from} 00:00, to: ${to} 23:00, zone: UTC }\n`,
  );
  await unlock('north-bakery/live');
  const later = 'select 1 from waiting where ended_at is null and owner is null and turn_at is null and due_at > ?';
  await vi.waitFor(() => expect(scenario.rows(later, Date.now() + 60_000)).toHaveLength(2), { timeout: patienceMs });
  await (await ben.says('/site queue')).hears(/cache clear on north-bakery\/live .* Freeze: peak, until/);
  await reloadPolicy(scenario, policy);
  scenario.runSql('update waiting set due_at = 1 where ended_at is null');
  await ben.reads('It was your turn for north-bakery/live. cache clear on north-bakery/live is #');
  await fay.reads('Your turn: review allowlist add on north-bakery/live.');
  const [newest] = scenario.rows('select max(number) as number from changes');
  await (await scenario.change(Number(newest?.['number']), 'ben')).tells(/^✅ /);
  scenario.runSql('delete from waiting');
});

test("the timer of a grant does not take a person's turn", async () => {
  const ben = scenario.person('ben');
  const grant = await ben.asks('/site allowlist add acme-docs/staging 198.51.100.4 --for 5m');
  await grant.tells(/^✅ /);
  await lock('acme-docs/staging');
  await (await ben.says('/site allowlist remove acme-docs/staging 203.0.113.7 --queue')).hears('number 1');
  await unlock('acme-docs/staging');
  await ben.reads('Your turn: review allowlist remove on acme-docs/staging.');
  scenario.runSql('update timers set due_at = 1 where change = ?', grant.number);
  await vi.waitFor(
    () => expect(scenario.rows('select created_change from timers where created_change is not null')).toHaveLength(1),
    { timeout: patienceMs },
  );
  expect(places()).toHaveLength(1);
  scenario.runSql('delete from waiting');
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
  await ben.reads(
    `You're no longer in the queue for north-bakery/live, because the outcome of @Ana's allowlist add (#${lost.number}) is unknown. push on north-bakery/live was not sent.`,
  );
  await fay.reads('It was your turn for north-bakery/live.');
  expect(places()).toEqual([]);
});

test('only people who may still run it get a turn: other places end, with the reason', async () => {
  const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
  await lock('lumen-studio/live');
  await (await ben.says('/site allowlist remove lumen-studio/live 198.51.100.4 --queue')).hears('number 1');
  await (await fay.says('/site allowlist add lumen-studio/live 198.51.100.4 --queue')).hears('number 2');
  await reloadPolicy(scenario, policy.replace("'allowlist remove', ", ''));
  await unlock('lumen-studio/live');
  await ben.reads(
    /It was your turn for lumen-studio\/live, but I couldn't send allowlist remove .* You may not run allowlist remove[^]*You're no longer in the queue\./,
  );
  const turn = await fay.reads('Your turn: review allowlist add on lumen-studio/live.');
  expect(told(ben, 'Your turn: review allowlist remove on lumen-studio/live.')).toEqual([]);
  await fay.clicks(turn, 'Review');
  await fay.form('List before');
  await fay.submits();
  await isWithdrawn(fay, turn, 'You asked for it: it is #');
  await reloadPolicy(scenario, policy);
});

test('a request that also needs another, busy environment lets those behind pass and keeps its place', async () => {
  const [ben, fay, ana] = [scenario.person('ben'), scenario.person('fay'), scenario.person('ana')];
  for (const env of ['harbor-events/live', 'harbor-events/staging']) await lock(env);
  await (await ben.says('/site push harbor-events/staging harbor-events/live --files --queue')).hears('number 1');
  await (await fay.says('/site allowlist add harbor-events/live 198.51.100.4 --queue')).hears('number 2');
  await (await ana.says('/site cache clear harbor-events/live --queue')).hears('number 3');
  await unlock('harbor-events/live');
  const theirs = await fay.reads('Your turn: review allowlist add on harbor-events/live.');
  await unlock('harbor-events/staging');
  scenario.runSql('update waiting set due_at = 1 where requester = ? and ended_at is null', ben.id);
  await vi.waitFor(() => expect(scenario.rows('select 1 from waiting where due_at = 1')).toEqual([]), {
    timeout: patienceMs,
  });
  expect(told(ben, 'Your turn: review push on harbor-events/live.')).toEqual([]);
  await (await fay.clicks(theirs, 'Leave the queue')).hears("You've left the queue");
  await isWithdrawn(fay, theirs, 'You left the queue.');
  const first = await ben.reads('Your turn: review push on harbor-events/live.');
  await lock('harbor-events/staging');
  scenario.runSql('update waiting set due_at = 1 where requester = ? and ended_at is null', ben.id);
  await isWithdrawn(ben, first, "Somebody locked it first. You'll get another turn.");
  await ana.reads('It was your turn for harbor-events/live.');
  expect(places()).toHaveLength(1);
  scenario.runSql('delete from waiting');
});

test('an environment that the host’s list lacks is later; it is gone once enough lists agree, and then the place ends', async () => {
  const ben = scenario.person('ben');
  await lock('acme-docs/live');
  await (await ben.says('/site cache clear acme-docs/live --queue')).hears('number 1');
  const tries = async (): Promise<void> => {
    scenario.advanceTime(5_000);
    scenario.runSql('update waiting set due_at = 1 where owner is null and ended_at is null');
    const rows = (): unknown =>
      scenario.rows("select data ->> '$.attempts' as attempts from waiting where owner is null and due_at > 1");
    await vi.waitFor(() => expect(rows()).toEqual([{ attempts: 0 }]), { timeout: patienceMs });
  };
  for (let lists = 0; lists < 50; lists += 1) scenario.omitSiteOnce('acme-docs');
  await scenario.refreshListing();
  scenario.runSql('delete from locks');
  for (let times = 0; times < 4; times += 1) await tries();
  expect(told(ben, /acme-docs\/live/)).toEqual([]);
  scenario.advanceTime(60_000);
  await ben.reads(
    /couldn't send cache clear on acme-docs\/live\. acme-docs\/live is gone: the host no longer lists it\./,
  );
  scenario.hosting.faults.remove();
  await scenario.refreshListing();
});

test('while Slack does not say, four times in a row, who is in a user group, nobody loses their place and nobody else waits', async () => {
  const own = await openScenario({
    policy: policy
      .replace('[U01ANA, U02BEN, U05FAY]', '[S0DEVS]')
      .replace('rules:', 'rules:\n  - { allow: [routine], to: [leads] }'),
    hosting: { durations: { 'cache:clear': 0 } },
  });
  try {
    const [ana, chi, dee] = [own.person('ana'), own.person('chi'), own.person('dee')];
    const tells = ({ id, direct }: TestUser): Promise<VisibleMessage> =>
      expectSoon(
        own.slack,
        'their turn',
        () => own.slack.messages({ channel: direct, as: id }).find(({ text }) => text.includes('It was your turn')),
        () => own.slack.messages({ channel: direct, as: id }),
      );
    await (await chi.says('/site lock acme-docs/live a release')).hears('is locked by you');
    await (await ana.says('/site cache clear acme-docs/live --queue')).hears('number 1');
    await (await dee.says('/site cache clear acme-docs/live --queue')).hears('number 2');
    own.slack.disableGroup('S0DEVS');
    // What Slack said before is no longer good enough.
    own.advanceTime(120_000);
    await (await chi.says('/site unlock acme-docs/live')).hears('is unlocked');
    await tells(dee);
    for (let times = 0; times < 4; times += 1) {
      own.runSql('update waiting set due_at = 1 where owner is null and ended_at is null');
      await vi.waitFor(
        () =>
          expect(
            own.rows("select data ->> '$.attempts' as attempts from waiting where owner is null and due_at > 1"),
          ).toEqual([{ attempts: 0 }]),
        { timeout: patienceMs },
      );
    }
    expect(own.slack.messages({ channel: ana.direct, as: ana.id })).toEqual([]);
    own.slack.disableGroup('S0DEVS', false);
    await own.slack.changeGroup('S0DEVS', [ana.id]);
    own.advanceTime(120_000);
    own.runSql('update waiting set due_at = 1 where ended_at is null');
    await tells(ana);
    await vi.waitFor(() => expect(own.writes('acme-docs/live')).toHaveLength(2), { timeout: patienceMs });
  } finally {
    await own.close();
  }
});
