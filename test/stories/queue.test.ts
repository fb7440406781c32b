import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ChangeThread, labelsOf } from './people.ts';
import { Client } from 'pg';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { inScenario, openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';

/** What waits for a lock: who is told what, in which order it goes on, and how a place ends. */

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN, U05FAY]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine, 'allowlist add'], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
  - { allow: [lock, unlock, pause, resume], to: [leads] }
channels:
  ops: G0BAKERY
`;
const hosting = {
  durations: { 'environments:push': 0, 'cache:clear': 0, 'images:set': 0 },
} as const;
const otherPolicy = policy.replace("allow: [routine, 'allowlist add']", "allow: ['allowlist add']");

const places = (scenario: Scenario): readonly unknown[] =>
  scenario.rows("select id from waiting where kind = 'queue' and ended_at is null order by id").map(({ id }) => id);
const steps = (scenario: Scenario): readonly unknown[] =>
  scenario
    .rows("select event from audit where event like 'queue\\_%' escape '\\' order by seq")
    .map(({ event }) => event);
const paths = (scenario: Scenario): readonly string[] =>
  scenario.writes().map(({ path }) => path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…'));

/** A push onto this live environment that holds its locks until it is let go. */
async function heldPush(scenario: Scenario, site: string): Promise<ChangeThread> {
  const push = await scenario.person('ana').requests(`/site push ${site}/staging ${site}/live --files`);
  await scenario.person('chi').clicks(push.card(), 'Approve');
  await scenario.holdBeforeSend(push.number);
  return push;
}

describe('a queue', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting });
  });
  afterAll(() => scenario.close());

  test('routine changes of the source go on; the overwritten target is busy, and its queue keeps the order', async () => {
    const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
    const push = await heldPush(scenario, 'acme-shop');
    await (await ben.asks('/site cache clear acme-shop/staging')).tells('reports it finished');
    const refused = await ben.says('/site cache clear acme-shop/live');
    const busy = await refused.hears(
      /^acme-shop\/live is busy: @Ana's push \(#1\) is waiting to be sent\. It has held the lock for [^.]+\. Nothing was sent\. With --queue I keep a place for you, for 1 h at most/,
    );
    expect(labelsOf(busy)).toEqual(['Queue behind #1']);
    const joined = await (
      await ben.clicks(busy, 'Queue behind #1')
    ).hears("You're number 1 in the queue. acme-shop/live is busy: @Ana's push");
    expect(joined.text).toContain("When it's your turn, I'll check everything again and send it.");
    expect(labelsOf(joined)).toEqual(['Leave the queue']);
    await (await ben.clicks(busy, 'Queue behind #1')).hears("You're already in the queue with that. Nothing was sent.");
    const second = await fay.says('/site images acme-shop/live lossless --queue');
    await second.hears("You're number 2 in the queue. acme-shop/live is busy: @Ana's push");
    const listed = await (
      await ben.says('/site queue acme-shop/live')
    ).hears('The queue for acme-shop/live · 2 requests');
    expect(labelsOf(listed)).toEqual([`Leave the queue: place ${String(places(scenario)[0])}`]);
    expect(listed.text).toMatch(/cache clear on acme-shop\/live[^]*waits behind #1[^]*images on acme-shop\/live/);
    expect(scenario.writes('acme-shop/live')).toEqual([]);

    scenario.makeDue(push.number);
    // The message follows its change.
    await ben.reads(
      /It was your turn for acme-shop\/live\. cache clear on acme-shop\/live is #3 now\.\s+✅ Done after /,
    );
    await fay.reads(/It was your turn for acme-shop\/live\. images on acme-shop\/live is #4 now/);
    for (const number of [3, 4]) await scenario.becomes(number, 'done');
    expect(scenario.writes('acme-shop/live')).toHaveLength(3);
    expect(places(scenario)).toEqual([]);
    expect(scenario.rows('select requester from changes where number in (3, 4) order by number')).toEqual([
      { requester: ben.id },
      { requester: fay.id },
    ]);
    expect(steps(scenario)).toEqual(['queue_join', 'queue_join', 'queue_used', 'queue_used']);
  });

  test('a request that is not routine is reviewed at its turn, and the next one waits until then', async () => {
    const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
    const push = await heldPush(scenario, 'acme-blog');
    const add = '/site allowlist add acme-blog/live 198.51.100.4';
    await ben.says(add);
    await ben.form(/acme-blog\/live is busy: @Ana's push [^]*While that lasts, I won't send this\.[^]*List before/);
    const busy = await (await ben.submits()).hears('acme-blog/live is busy');
    await (
      await ben.clicks(busy, `Queue behind #${push.number}`)
    ).hears("When it's your turn, I'll tell you, and you review it.");
    await (await fay.says('/site cache clear acme-blog/live --queue')).hears('number 2');
    scenario.makeDue(push.number);
    const turn = await ben.reads('Your turn: review allowlist add on acme-blog/live. acme-blog/live is free.');
    expect(labelsOf(turn)).toEqual(['Review', 'Leave the queue']);
    await (await fay.says('/site queue acme-blog/live')).hears('their turn: waits for their review');
    expect(scenario.writes('acme-blog/live')).toHaveLength(1);
    await ben.clicks(turn, 'Review');
    expect((await ben.form('List before')).text).not.toContain("I won't send this");
    await ben.submits();
    await fay.reads('It was your turn for acme-blog/live.');
    await vi.waitFor(() => expect(scenario.writes('acme-blog/live')).toHaveLength(3), { timeout: patienceMs });
    expect(places(scenario)).toEqual([]);
    expect(steps(scenario).slice(-3)).toEqual(['queue_turn', 'queue_used', 'queue_used']);
  });

  test('a request that is too long for the button of its review gets no place', async () => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    await (await chi.says('/site lock acme-docs/live maintenance')).hears('acme-docs/live is locked');
    const many = Array.from({ length: 50 }, (_, at) => `2001:1db8:1234:5678:9abc:def0:1234:${at + 1_000}`).join(' ');
    const said = await ben.says(`/site allowlist add acme-docs/live ${many} --queue`);
    await said.hears('This is too long to wait in a queue. Nothing was sent.');
    await (await chi.says('/site unlock acme-docs/live')).hears('acme-docs/live is unlocked');
  });

  test('a place ends by a click or after an hour; both people are told, and the next one moves up', async () => {
    const [ben, fay, ana, chi] = [
      scenario.person('ben'),
      scenario.person('fay'),
      scenario.person('ana'),
      scenario.person('chi'),
    ];
    const status = await (await ben.says('/site status acme-docs/live')).hears('acme-docs/live ·');
    await (await chi.says('/site lock acme-docs/live a release')).hears('is locked by you');
    const before = scenario.writes().length;
    await ben.clicks(status, 'Clear the cache…');
    await ben.form(/⚠️ acme-docs\/live is locked by @Chi \(“a release”\), and has been for [^]*I won't send this\./);
    await scenario.slack.closeModal(ben.id, true);
    const own = await (await chi.says('/site status acme-docs/live')).hears('locked by @Chi');
    await chi.clicks(own, 'Unlock…');
    await chi.form(
      /acme-docs\/live is locked by @Chi \(“a release”\), [^]*Removes the lock of a change of unknown outcome/,
    );
    await scenario.slack.closeModal(chi.id, true);
    const refused = await ben.says('/site cache clear acme-docs/live');
    const busy = await refused.hears(/^acme-docs\/live is locked by @Chi \(“a release”\), and has been for /);
    const joined = await (await ben.clicks(busy, 'Queue behind this lock')).hears('number 1');
    await (await fay.says('/site cache clear acme-docs/live --queue')).hears('number 2');
    await (await chi.says('/site status acme-docs/live')).hears('No change is open, but /site queue has 2 requests.');
    await (await ana.says('/site allowlist add acme-docs/live 198.51.100.4 --queue')).hears('number 3');
    await (await ben.clicks(joined, 'Leave the queue')).hears("You've left the queue for acme-docs/live");
    await (await ben.clicks(joined, 'Leave the queue')).hears(/^You have no place \d+ in a queue\. Nothing was done\./);
    await (await ben.says(`/site queue leave ${String(places(scenario)[0])}`)).hears('You have no place');
    scenario.runSql('update waiting set expires_at = 1, due_at = 1 where requester = ? and ended_at is null', fay.id);
    const over = await fay.reads(
      'Your place in the queue for acme-docs/live has expired. cache clear on acme-docs/live was not sent.',
    );
    expect(labelsOf(over)).toEqual(['Queue again']);
    await (await chi.says('/site unlock acme-docs/live')).hears('is unlocked');
    await ana.reads('Your turn: review allowlist add on acme-docs/live.');
    scenario.runSql('update waiting set expires_at = 1, due_at = 1 where requester = ? and ended_at is null', ana.id);
    await ana.reads('Your turn for acme-docs/live is over, because your place in the queue has expired.');
    expect(scenario.writes()).toHaveLength(before);
    expect(places(scenario)).toEqual([]);
  });

  test('an unknown outcome of the change in front empties it; people are told, and nobody can queue behind it', async () => {
    const [ben, fay] = [scenario.person('ben'), scenario.person('fay')];
    const push = await heldPush(scenario, 'north-bakery');
    await (await ben.says('/site cache clear north-bakery/live --queue')).hears('number 1');
    await (await fay.says('/site allowlist add north-bakery/live 198.51.100.4 --queue')).hears('number 2');
    const { siteId } = scenario.hosting.world.environmentNamed('north-bakery/live') ?? {};
    scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'PUT', path: `/sites/${siteId}/environments` });
    scenario.makeDue(push.number);
    await push.tells('Outcome unknown.');
    for (const [who, what] of [
      [ben, 'cache clear'],
      [fay, 'allowlist add'],
    ] as const)
      await who.reads(
        `I emptied the queue for north-bakery/live, because the outcome of @Ana's push (#${push.number}) is unknown. ${what} on north-bakery/live was not sent.`,
      );
    const again = await ben.says('/site cache clear north-bakery/live --queue');
    const refused = await again.hears(
      /the outcome of @Ana's push \(#\d+\) has been unknown for .*There is no queue behind that/,
    );
    expect(labelsOf(refused)).toEqual([]);
    expect(places(scenario)).toEqual([]);
    expect(scenario.writes('north-bakery/live')).toHaveLength(1);
  });

  test('a pause holds it; afterwards the rights of that moment count', async () => {
    const [ben, fay, chi] = [scenario.person('ben'), scenario.person('fay'), scenario.person('chi')];
    await (await chi.says('/site lock lumen-studio/live a release')).hears('is locked by you');
    await (await ben.says('/site cache clear lumen-studio/live --queue')).hears('number 1');
    await (await fay.says('/site allowlist add lumen-studio/live 198.51.100.4 --queue')).hears('number 2');
    await (await chi.says('/site pause')).hears('Sending is paused');
    await (await chi.says('/site unlock lumen-studio/live')).hears('is unlocked');
    await vi.waitFor(() =>
      expect(
        scenario.rows("select due_at from waiting where kind = 'queue' and ended_at is null order by id limit 1")[0]?.[
          'due_at'
        ],
      ).toBeLessThanOrEqual(Date.now()),
    );
    await (await ben.says('/site queue')).hears('waits behind a lock');
    await scenario.slack.home(ben.id);
    const home = (): string => scenario.slack.views(ben.id).home?.text ?? '';
    await scenario.slack.until(
      () => home().includes('cache clear on lumen-studio/live waits until') || undefined,
      patienceMs,
    );
    expect(places(scenario)).toHaveLength(2);
    await reloadPolicy(scenario, otherPolicy);
    await (await chi.says('/site resume')).hears('Sending is on again');
    const told = await ben.reads(
      "It was your turn for lumen-studio/live, but I couldn't send cache clear on lumen-studio/live.",
    );
    expect(told.text).toMatch(/You may not run cache clear[^]*Nothing was sent\. You're no longer in the queue\./);
    await fay.reads('Your turn: review allowlist add on lumen-studio/live.');
    expect(scenario.writes('lumen-studio/live')).toEqual([]);
  });
});

test(
  'a turn survives a crash: it is taken once, by the next process',
  inScenario({ policy, hosting, ownProcess: 'all' }, async (scenario) => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    await (await chi.says('/site lock acme-shop/live a release --for 2h')).hears('is locked by you');
    await (
      await ben.says('/site cache clear acme-shop/live --queue')
    ).hears(/number 1[^]* The lock lasts longer, so nothing will be sent unless somebody unlocks it first\./);
    await scenario.kill();
    scenario.runSql('delete from locks');
    // As if the process had died while it worked on the turn.
    scenario.runSql("update waiting set owner = 'dead', lease_until = 9000000000000, due_at = 1");
    await scenario.start();
    await ben.reads('It was your turn for acme-shop/live.');
    await scenario.becomes(1, 'done');
    expect(paths(scenario)).toHaveLength(1);
    expect(places(scenario)).toEqual([]);
    expect(scenario.rows('select number from changes')).toHaveLength(1);
  }),
);

describe.skipIf(!postgresRuns)(`two replicas on one PostgreSQL${noPostgres}`, () => {
  test('each turn is taken once, in order, and what was left goes to the next', async () => {
    const url = await freshPostgres();
    const sql = new Client({ connectionString: url });
    await sql.connect();
    try {
      const options = { policy, hosting, environment: { DATABASE_URL: url }, start: false } as const;
      await inScenario(options, async (scenario) => {
        await Promise.all([scenario.start(), scenario.start()]);
        const [ana, ben, fay, chi] = (['ana', 'ben', 'fay', 'chi'] as const).map((name) => scenario.person(name));
        if (!ana || !ben || !fay || !chi) throw new Error('they are all there');
        await (await chi.says('/site lock acme-shop/live a release')).hears('is locked by you');
        await (await ben.says('/site cache clear acme-shop/live --queue')).hears('number 1');
        await (await fay.says('/site images acme-shop/live lossless --queue')).hears('number 2');
        await (await ana.says('/site allowlist add acme-shop/live 198.51.100.4 --queue')).hears('number 3');
        await (await ben.says('/site images acme-shop/live off --queue')).hears('number 4');
        await (await chi.says('/site unlock acme-shop/live')).hears('is unlocked');
        await ben.reads('cache clear on acme-shop/live is #1 now');
        await fay.reads('images on acme-shop/live is #2 now');
        const turn = await ana.reads('Your turn: review allowlist add on acme-shop/live.');
        expect((await sql.query('select 1 from changes')).rowCount).toBe(2);
        await (await ana.clicks(turn, 'Leave the queue')).hears("You've left the queue");
        await ben.reads('images on acme-shop/live is #3 now');
        const told = [ana, ben, fay].flatMap(({ id, direct }) =>
          scenario.slack.messages({ channel: direct, as: id }).filter(({ text }) => /turn/i.test(text)),
        );
        expect(told).toHaveLength(4);
        await vi.waitFor(() => expect(scenario.writes('acme-shop/live')).toHaveLength(3), { timeout: patienceMs });
        expect((await sql.query('select 1 from waiting where ended_at is null')).rowCount).toBe(0);
      })();
    } finally {
      await sql.end();
    }
  });
});
