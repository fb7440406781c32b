import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEED } from '../../src/playground/slack/seed.ts';
import type { SeenMessage } from '../../src/playground/slack/reads.ts';
import { expectSoon } from './people.ts';
import { inHouse, openHouse, type House } from './house.ts';

/** Ben, Dee and Rob are named by id; Ana and Fay are one person, and only Fay is barred. */
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

/** Slack does not tell who is in this group any more. */
const shut = (house: House, usergroup: string, error: string): void => {
  const fault = { method: 'usergroups.users.list', usergroup } as const;
  if (error === 'subteam_disabled') house.slack.disableGroup(usergroup);
  else if (error === 'ratelimited') house.slack.faults.add({ ...fault, kind: 'rate_limited', retryAfter: '1' });
  else house.slack.faults.add({ ...fault, kind: 'error', error });
};
/** It tells again, and that something has changed. */
const open = async (house: House, usergroup: string, users: readonly string[]): Promise<void> => {
  house.slack.faults.remove();
  house.slack.disableGroup(usergroup, false);
  await house.slack.changeGroup(usergroup, users);
};
const inOps = (house: House, words: string): Promise<SeenMessage> =>
  expectSoon(
    house.slack,
    `a word to ops with ${words}`,
    () => house.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).find(({ text }) => text.includes(words)),
    () => house.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).map(({ text }) => text),
  );

describe.each(['missing_scope', 'ratelimited', 'subteam_disabled'])(
  'a user group that cannot be read (%s)',
  (error) => {
    let house: House;
    beforeAll(async () => {
      house = await openHouse({ policy, slack, start: false });
      shut(house, 'S0BARRED', error);
      shut(house, 'S0LEADS', error);
      await house.start();
    });
    afterAll(() => house.close());

    test.concurrent('denies hold: whoever may be in it is refused, by the name of the group', async () => {
      const told = await (await house.person('ben').says(clear('live'))).hears('S0BARRED');
      expect(told.text).toMatch(/I can't tell .*cache clear.*acme-shop\/live.*Nothing was sent/s);
      expect(house.writes('acme-shop/live')).toEqual([]);
    });

    test.concurrent('rules that do not depend on it are not touched', async () => {
      const change = await house.person('ben').asks(clear('staging'));
      await change.tells('the host reports it finished');
      expect(house.writes('acme-shop/staging')).toHaveLength(1);
    });

    test('pause works for everybody, resume for nobody', async () => {
      const [rob, chi] = [house.person('rob'), house.person('chi')];
      await (await rob.says('/site pause the shop is down')).hears('Sending is paused: I send nothing from now on');
      await (await chi.says('/site resume')).hears('S0LEADS');
      expect(house.rows("select key from kv where key = 'pause'")).toHaveLength(1);
    });

    test('help shows, marked, what only the unknown withholds', async () => {
      const help = await (await house.person('chi').says('/site help')).hears('What you can run');
      expect(help.text).toMatch(/resume \| .*S0LEADS/);
      expect(help.text).not.toMatch(/\nuse \| /);
    });

    test('doctor names it, and says why', async () => {
      const health = await (await house.person('rob').says('/site doctor')).hears('Slack user groups');
      expect(health.text).toContain(`S0BARRED (${error})`);
    });

    test('ops are told once, and once more when it is well again; of what passes, nothing', async () => {
      const spoken = (): readonly SeenMessage[] =>
        house.slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).filter(({ text }) => text.includes('S0BARRED'));
      if (error === 'ratelimited') return expect(spoken()).toEqual([]);
      expect((await inOps(house, 'S0BARRED')).text).toContain(error);
      await open(house, 'S0BARRED', []);
      const again = await house.person('ben').says(clear('live'));
      await inOps(house, 'I can see again who is in');
      expect(again.outcome.acked).toBe(true);
      return expect(spoken()).toHaveLength(2);
    });
  },
);

describe.concurrent('user groups', () => {
  test(
    'a deny reaches a person’s every joined id, also through a user group',
    inHouse({ policy, slack }, async (house) => {
      const said = await house.person('ana').says(clear('live'));
      await said.hears('The rule in line 15 forbids it');
      expect(house.writes()).toEqual([]);
      const change = await house.person('ana').asks(clear('staging'));
      await change.tells('the host reports it finished');
    }),
  );

  test(
    'an approver whose user group cannot be read: nothing is decided, nothing is invalidated, and a later click counts',
    inHouse({ policy, slack }, async (house) => {
      shut(house, 'S0LEADS', 'missing_scope');
      await house.slack.changeGroup('S0LEADS', ['U03CHI', 'U04DEE']);
      const change = await house.person('ben').wants(push);
      expect((await change.tells('this is waiting for your approval')).text).toMatch(/^@leads/);
      const said = await house.person('chi').clicks(change.card(), 'Approve');
      const told = await said.hears('S0LEADS');
      expect(told.text).toMatch(/I couldn't check whether you may approve this\..*Nothing was changed by your click/s);
      expect(house.rows('select state from changes')).toEqual([{ state: 'waiting' }]);
      await open(house, 'S0LEADS', ['U03CHI']);
      await house.person('chi').clicks(change.card(), 'Approve');
      await change.tells('Approved by @Chi');
    }),
  );

  test(
    'an approver’s user group cannot be read just before the write: it waits, says why, and is sent when it can be',
    inHouse({ policy, slack, hosting: { durations: { 'environments:push': 0 } } }, async (house) => {
      const ask = '/site push acme-shop/staging acme-shop/live --files';
      const change = await house.person('ben').wants(ask);
      await house.person('chi').clicks(change.card(), 'Approve');
      await house.holds(change.number);
      shut(house, 'S0LEADS', 'paid_teams_only');
      // That it changed only makes what is known of it older.
      await house.slack.changeGroup('S0LEADS', ['U03CHI', 'U04DEE']);
      house.lets(change.number);
      await change.shows(/Not sent yet\..*S0LEADS/s);
      expect(house.writes()).toEqual([]);
      await open(house, 'S0LEADS', ['U03CHI']);
      await change.tells(/^✅ Done after /);
      expect(house.writes('acme-shop/live')).toHaveLength(1);
    }),
  );

  test(
    'what was known of it a moment before a click does not count: Slack is asked at the click',
    inHouse({ policy, slack }, async (house) => {
      const change = await house.person('ben').wants('/site push acme-shop/staging acme-shop/live --files');
      await (await house.person('chi').says('/site can push')).hears(/push/);
      house.slack.disableGroup('S0LEADS');
      const pressed = await house.person('chi').clicks(change.card(), 'Approve');
      await pressed.hears(/S0LEADS/);
      expect(house.rows('select state from changes where number = ?', change.number)).toEqual([{ state: 'waiting' }]);
      expect(house.writes()).toEqual([]);
    }),
  );

  test(
    'whoever is not in it any more just before the write does not count, whatever was known of it before',
    inHouse({ policy, slack }, async (house) => {
      const change = await house.person('ben').wants('/site push acme-shop/staging acme-shop/live --files');
      await house.person('chi').clicks(change.card(), 'Approve');
      await house.holds(change.number);
      await house.slack.changeGroup('S0LEADS', ['U04DEE']);
      house.lets(change.number);
      await change.tells(/⛔ Nothing was sent\. Somebody who approved it is no longer allowed to/);
      expect(house.writes()).toEqual([]);
    }),
  );

  test(
    'a user group is asked about once for all who wait',
    inHouse({ policy, slack, start: false }, async (house) => {
      house.slack.faults.add({ method: 'usergroups.users.list', kind: 'delay', delayMs: 300 });
      await house.start();
      const asked = (group: string): number =>
        house.slack
          .calls()
          .filter(({ method, args }) => method === 'usergroups.users.list' && args['usergroup'] === group).length;
      const changes = await Promise.all(
        (['ben', 'dee', 'ana'] as const).map((name) =>
          house
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
