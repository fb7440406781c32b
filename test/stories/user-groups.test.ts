import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SEED } from '../../src/playground/slack/seed.ts';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { expectSoon } from './people.ts';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';

/** Ben, Dee and Rob are named by id; Ana and Fay are one person, and a rule denies only Fay. */
const policy = `
version: 1
live: ['*/live']
groups:
  devs: [S0DEVS]
  named: [U02BEN, U04DEE]
  leads: [S0LEADS]
  barred: [S0BARRED]
people:
  ana: [U01ANA, U05FAY]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [devs, named] }
  - { allow: [push], to: [named], approval: { by: [leads], expires: 1h } }
  - { deny: ['cache clear'], to: [barred], where: ['acme-shop/live'] }
  - { allow: [pause, resume], to: [leads] }
channels:
  ops: C0OPS
`;
const barred = { id: 'S0BARRED', handle: 'barred', name: 'Barred', users: ['U05FAY'], updated: 1_700_000_000 };
const slack = { seed: { ...SEED, groups: [...SEED.groups, barred] } };
const clear = (where: string): string => `/site cache clear acme-shop/${where}`;
const push = '/site push acme-shop/live acme-shop/staging --files';

/** From now on Slack does not say who is in this group. */
const shut = (scenario: Scenario, usergroup: string, error: string): void => {
  const fault = { method: 'usergroups.users.list', usergroup } as const;
  if (error === 'subteam_disabled') scenario.slack.disableGroup(usergroup);
  else if (error === 'ratelimited') scenario.slack.faults.add({ ...fault, kind: 'rate_limited', retryAfter: '1' });
  else scenario.slack.faults.add({ ...fault, kind: 'error', error });
};
/** Slack says it again, and reports a change of the group. */
const open = async (scenario: Scenario, usergroup: string, users: readonly string[]): Promise<void> => {
  scenario.slack.faults.remove();
  scenario.slack.disableGroup(usergroup, false);
  await scenario.slack.changeGroup(usergroup, users);
};
const inOps = (scenario: Scenario, words: string): Promise<VisibleMessage> =>
  expectSoon(
    scenario.slack,
    `a word to ops with ${words}`,
    () => scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).find(({ text }) => text.includes(words)),
    () => scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).map(({ text }) => text),
  );

describe.each(['missing_scope', 'ratelimited', 'subteam_disabled'])(
  'a user group that cannot be read (%s)',
  (error) => {
    let scenario: Scenario;
    beforeAll(async () => {
      scenario = await openScenario({ policy, slack, start: false });
      shut(scenario, 'S0BARRED', error);
      shut(scenario, 'S0LEADS', error);
      await scenario.start();
    });
    afterAll(() => scenario.close());

    test.concurrent('denies hold: somebody who may be in it is refused, and the refusal names the group', async () => {
      const refusal = await (await scenario.person('ben').says(clear('live'))).hears('S0BARRED');
      expect(refusal.text).toMatch(/I can't tell .*cache clear.*acme-shop\/live.*Nothing was sent/s);
      expect(scenario.writes('acme-shop/live')).toEqual([]);
    });

    test.concurrent('rules that do not depend on it are not affected', async () => {
      const change = await scenario.person('ben').asks(clear('staging'));
      await change.tells('the host reports it finished');
      expect(scenario.writes('acme-shop/staging')).toHaveLength(1);
    });

    test('pause works for everybody, resume for nobody', async () => {
      const [rob, chi] = [scenario.person('rob'), scenario.person('chi')];
      await (await rob.says('/site pause the shop is down')).hears('Sending is paused: I send nothing from now on');
      await (await chi.says('/site resume')).hears('S0LEADS');
      expect(scenario.rows("select key from kv where key = 'pause'")).toHaveLength(1);
    });

    test('help marks commands that only the unknown group withholds', async () => {
      const help = await (await scenario.person('chi').says('/site help all')).hears('Everything you can run');
      expect(help.text).toMatch(/resume {2}.*S0LEADS/);
      expect(help.text).not.toMatch(/site use {2}/);
    });

    test('doctor names it, and says why', async () => {
      const health = await (await scenario.person('rob').says('/site doctor')).hears('Slack user groups');
      expect(health.text).toContain(`S0BARRED (${error})`);
    });

    test('ops are told once, and once more when it can be read again; a short failure is not reported', async () => {
      const spoken = (): readonly VisibleMessage[] =>
        scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).filter(({ text }) => text.includes('S0BARRED'));
      if (error === 'ratelimited') return expect(spoken()).toEqual([]);
      expect((await inOps(scenario, 'S0BARRED')).text).toContain(error);
      await open(scenario, 'S0BARRED', []);
      const again = await scenario.person('ben').says(clear('live'));
      await inOps(scenario, 'I can see again who is in');
      expect(again.outcome.acked).toBe(true);
      return expect(spoken()).toHaveLength(2);
    });
  },
);

describe.concurrent('user groups', () => {
  test(
    'a deny applies to all joined ids of a person, also through a user group',
    inScenario({ policy, slack }, async (scenario) => {
      const said = await scenario.person('ana').says(clear('live'));
      await said.hears('Line 15 of the policy forbids it');
      expect(scenario.writes()).toEqual([]);
      const change = await scenario.person('ana').asks(clear('staging'));
      await change.tells('the host reports it finished');
    }),
  );

  test(
    'an approver whose user group cannot be read: nothing is decided, nothing is invalidated, and a later click counts',
    inScenario({ policy, slack }, async (scenario) => {
      shut(scenario, 'S0LEADS', 'missing_scope');
      await scenario.slack.changeGroup('S0LEADS', ['U03CHI', 'U04DEE']);
      const change = await scenario.person('ben').requests(push);
      expect((await change.tells('this is waiting for your approval')).text).toMatch(/^@leads/);
      const said = await scenario.person('chi').clicks(change.card(), 'Approve');
      const refusal = await said.hears('S0LEADS');
      expect(refusal.text).toMatch(/I couldn't check whether you may approve this\..*Nothing was changed/s);
      expect(scenario.rows('select state from changes')).toEqual([{ state: 'waiting' }]);
      await open(scenario, 'S0LEADS', ['U03CHI']);
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await change.tells('Approved by @Chi');
    }),
  );

  test(
    'of whom nobody can approve: can, form, card, thread and ops say the same at once, until somebody can',
    inScenario({ policy, slack }, async (scenario) => {
      const nobody = 'Nobody can approve it right now.';
      const [ben, rob] = [scenario.person('ben'), scenario.person('rob')];
      await scenario.slack.changeGroup('S0LEADS', ['U03CHI', 'U04DEE']);
      scenario.slack.changePerson('U03CHI', { deleted: true });
      scenario.slack.changePerson('U04DEE', { is_restricted: true });
      await (await ben.says(push.replace('/site', '/site can'))).hears(nobody);
      await ben.opens(push, nobody);
      const change = await ben.confirms();
      expect(change.card().text).toContain(nobody);
      const said = await change.tells(`⚠️ ${nobody} It needs leads, and waits until `);
      expect(said.text).not.toContain('your approval');
      await inOps(scenario, nobody);

      // What is not known changes nothing that was said.
      shut(scenario, 'S0LEADS', 'missing_scope');
      await scenario.slack.changeGroup('S0LEADS', ['U03CHI']);
      const due = (): unknown => scenario.rows('select due_at from changes')[0]?.['due_at'];
      scenario.makeDue(change.number);
      await expect.poll(due).not.toBe(1);
      await open(scenario, 'S0LEADS', ['U03CHI', 'U06ROB']);
      scenario.makeDue(change.number);
      await change.tells('@Rob: this is waiting for your approval until ');
      await rob.reads(new RegExp(`Push .* · #${change.number}\n`));
      expect((await change.shows('Approve  @Rob, until ')).text).not.toContain(nobody);

      await scenario.slack.changeGroup('S0LEADS', ['U04DEE']);
      scenario.makeDue(change.number);
      await change.shows(nobody);
      const inThread = () => change.replies().filter(({ text }) => text.includes(nobody));
      await vi.waitFor(() => expect(inThread()).toHaveLength(2), { timeout: patienceMs });
      const ops = scenario.slack.messages({ channel: 'C0OPS', as: 'U01ANA' });
      expect(ops.filter(({ text }) => text.includes(nobody))).toHaveLength(1);
    }),
  );

  test(
    'an approver’s user group cannot be read just before the write: it waits, says why, and is sent when it can be',
    inScenario({ policy, slack, hosting: { durations: { 'environments:push': 0 } } }, async (scenario) => {
      const ask = '/site push acme-shop/staging acme-shop/live --files';
      const change = await scenario.person('ben').requests(ask);
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      shut(scenario, 'S0LEADS', 'paid_teams_only');
      // The event of a change only makes the cached members stale.
      await scenario.slack.changeGroup('S0LEADS', ['U03CHI', 'U04DEE']);
      scenario.makeDue(change.number);
      await change.shows(/Not sent yet\..*S0LEADS/s);
      expect(scenario.writes()).toEqual([]);
      await open(scenario, 'S0LEADS', ['U03CHI']);
      await change.tells(/^✅ Done after /);
      expect(scenario.writes('acme-shop/live')).toHaveLength(1);
    }),
  );

  test(
    'cached members do not count at a click: Slack is asked again',
    inScenario({ policy, slack }, async (scenario) => {
      const change = await scenario.person('ben').requests('/site push acme-shop/staging acme-shop/live --files');
      await (await scenario.person('chi').says('/site can push')).hears(/push/);
      scenario.slack.disableGroup('S0LEADS');
      const pressed = await scenario.person('chi').clicks(change.card(), 'Approve');
      await pressed.hears(/S0LEADS/);
      expect(scenario.rows('select state from changes where number = ?', change.number)).toEqual([
        { state: 'waiting' },
      ]);
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'an approver who has left it before the write does not count, whatever was cached',
    inScenario({ policy, slack }, async (scenario) => {
      const change = await scenario.person('ben').requests('/site push acme-shop/staging acme-shop/live --files');
      await scenario.person('chi').clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      await scenario.slack.changeGroup('S0LEADS', ['U04DEE']);
      scenario.makeDue(change.number);
      await change.tells(/⛔ Nothing was sent\. Somebody who approved it is no longer allowed to/);
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'a user group is requested once for all who wait',
    inScenario({ policy, slack, start: false }, async (scenario) => {
      scenario.slack.faults.add({ method: 'usergroups.users.list', kind: 'delay', delayMs: 300 });
      await scenario.start();
      const asked = (group: string): number =>
        scenario.slack
          .calls()
          .filter(({ method, args }) => method === 'usergroups.users.list' && args['usergroup'] === group).length;
      const changes = await Promise.all(
        (['ben', 'dee', 'ana'] as const).map((name) =>
          scenario
            .person(name)
            .asks(clear('staging'), 'C0GENERAL')
            .catch(() => undefined),
        ),
      );
      expect(changes.filter((change) => change !== undefined).length).toBeGreaterThan(0);
      expect([asked('S0DEVS'), asked('S0LEADS'), asked('S0BARRED')]).toEqual([1, 1, 1]);
    }),
  );
});
