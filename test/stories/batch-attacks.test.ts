import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { setBackKey } from '../../src/storage/timeline.ts';
import { address, submitBatch, carePlan, eventually, manySites, namesOfMany, policy, writeCounts } from './batch.ts';
import { inScenario, patienceMs } from './scenario.ts';

/** What people who attacked batches found: each of these went wrong once. */

const twelve = {
  policy: policy.replace('"acme-*/live"', '"many-*/live"'),
  hosting: { plan: manySites(12), durations: { 'cache:clear': 0 } },
} as const;
const all = namesOfMany(12);
const clear = '/site cache clear many-*/live';
const none = all.map(() => 0);

/** Who approves one site may not see the other; of the third, nobody's approval is needed. */
const apart = `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA], shop: [U03CHI], blog: [U04DEE] }
rules:
  - { allow: [read], to: [developers, shop, blog] }
  - { allow: ["cache clear"], to: [developers], where: ["acme-shop/*"], approval: { by: [shop], count: 1, expires: 1h } }
  - { allow: ["cache clear"], to: [developers], where: ["acme-blog/*"], approval: { by: [blog], count: 1, expires: 1h } }
  - { allow: ["cache clear"], to: [developers], where: ["acme-docs/*"] }
channels: { ops: C0OPS }
`;

describe.concurrent('a batch', () => {
  test(
    'sends nothing after Stop, not even what the host had answered with 429 and would be sent again',
    inScenario(twelve, async (scenario) => {
      const [ana, rob] = [scenario.person('ana'), scenario.person('rob')];
      const busy = { kind: 'status', status: 429, headers: { 'retry-after': '1' }, method: 'POST' } as const;
      scenario.hosting.faults.add({ ...busy, times: 'always' });
      const card = await submitBatch(ana, clear);
      await scenario.hosting.until(() => scenario.writes()[3], patienceMs);
      await card.shows('[Stop]');
      await rob.clicks(card.card(), 'Stop');
      await card.tells('Stopped by @Rob.');
      // The answer to what is on its way is 429 too.
      const onTheirWay = "select number from changes where batch = ? and state = 'sending'";
      await eventually(scenario, 'none on its way', () => scenario.rows(onTheirWay, card.number).length === 0);
      scenario.hosting.faults.remove();
      // A change that was on its way when it stopped comes back, and is taken back too.
      await eventually(scenario, 'all taken back', () =>
        scenario
          .rows("select state from changes where batch = ? and state not in ('cancelled', 'expired')", card.number)
          .every(({ state }) => state === 'done'),
      );
      expect(scenario.writes().filter(({ status }) => status !== 429)).toEqual([]);
      await card.shows('[Go on]');
      await ana.clicks(card.card(), 'Go on');
      await scenario.becomes(card.number, 'done');
      const taken = scenario.writes().filter(({ status }) => status !== 429);
      expect(taken).toHaveLength(12);
    }),
  );

  test(
    'needs only the approvals of what is left, and is shown again if those are not the ones that were shown',
    inScenario({ policy: apart }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      await ana.opens('/site cache clear acme-*/live', 'Leave out');
      await ana.submits({ 'Leave out': ['acme-blog/live'] });
      const again = await ana.form('This changed while you were reading it');
      expect(again.text).toContain('Clear the cache of 2 environments');
      const card = await ana.confirms();
      expect(card.card().text).not.toContain('@Dee');
      await chi.clicks(card.card(), 'Approve');
      await scenario.becomes(card.number, 'done');
      expect(writeCounts(scenario, ['acme-blog/live', 'acme-docs/live', 'acme-shop/live'])).toEqual([0, 1, 1]);
    }),
  );

  test(
    'that promised an approval is not sent without one, because what needed it was left out',
    inScenario({ policy: apart }, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.opens('/site cache clear acme-*/live', 'Nothing is sent until it is approved');
      await ana.submits({ 'Leave out': ['acme-blog/live', 'acme-shop/live'] });
      const again = await ana.form('This changed while you were reading it');
      expect(again.text).not.toContain('Nothing is sent until it is approved');
      expect(scenario.writes()).toEqual([]);
      const card = await ana.confirms();
      await scenario.becomes(card.number, 'done');
      expect(writeCounts(scenario, ['acme-docs/live'])).toEqual([1]);
    }),
  );

  test(
    'stays open while an outcome is unknown, also after its time, and cannot be ended before that is closed',
    inScenario({ policy }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', times: 1 });
      const card = await submitBatch(ana, `/site allowlist add set:care-plan ${address}`);
      await chi.clicks(card.card(), 'Approve');
      await card.shows('1 unknown');
      scenario.runSql('update changes set expires_at = 1, due_at = 1 where number = ?', card.number);
      await eventually(scenario, 'without buttons to go on', () => !card.card().text.includes('[Go on'));
      expect(scenario.rows('select state from changes where number = ?', card.number)).toEqual([{ state: 'stopped' }]);
      await card.shows('[It happened: acme-blog/live]');
      expect(card.card().text).not.toContain('[End it]');
      expect(writeCounts(scenario, carePlan).every((count) => count <= 1)).toBe(true);
    }),
  );

  test.each([
    ['waiting for approval', 'waiting', 1],
    ['about to begin', 'approved', 2],
  ] as const)(
    'that the database calls %s, and of which this process sent some, is never begun again',
    async (_, state, version) =>
      inScenario(
        {
          ...twelve,
          policy: twelve.policy.replace(
            '{ allow: ["cache clear"], to: [developers] }',
            '{ allow: ["cache clear"], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }',
          ),
        },
        async (scenario) => {
          const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
          scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST', skip: 7 });
          const card = await submitBatch(ana, clear);
          await chi.clicks(card.card(), 'Approve');
          await scenario.becomes(card.number, 'stopped');
          await card.shows('[Go on]');
          const sent = writeCounts(scenario, all);
          expect(sent).not.toEqual(none);
          setBack(scenario.databaseUrl, card.number, { state, version, items: all.length });
          await card.tells("I've ended this batch.");
          await (await chi.says('/site resume')).hears('Sending is on again');
          await scenario.becomes(card.number, 'superseded');
          expect(writeCounts(scenario, all)).toEqual(sent);
        },
      )(),
  );
});

/** The database as it was before the batch began, as after a restore beside a process that is alive. */
function setBack(
  url: string,
  number: number,
  { state, version, items }: { readonly state: string; readonly version: number; readonly items: number },
): void {
  const database = new DatabaseSync(url.replace('sqlite:', ''), { timeout: patienceMs });
  const at = Date.now();
  database.exec('begin immediate; pragma defer_foreign_keys = on; delete from locks');
  database.prepare('delete from messages where change in (select number from changes where batch = ?)').run(number);
  database.prepare('delete from changes where batch = ?').run(number);
  if (state === 'waiting') database.exec('delete from votes');
  const progress = JSON.stringify({ items: Array.from({ length: items }, () => ({})), passedOver: [] });
  database
    .prepare(
      `update changes set state = ?, version = ?, progress = ?, settled_at = null, due_at = ?, owner = null,
       lease_until = null, expires_at = ? where number = ?`,
    )
    .run(state, version, progress, at, at + 3_600_000, number);
  const timeline = JSON.stringify({ kind: 'restored', from: at - 60_000, at });
  database.prepare('insert into kv (key, value, at) values (?, ?, 1)').run(setBackKey, timeline);
  database.exec('commit');
  database.close();
}
