import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelsOf } from './people.ts';
import { inScenario, openScenario, patienceMs, type Scenario, reloadPolicy } from './scenario.ts';

const clear = '/site cache clear acme-shop/live';

describe('a person without the right', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
    scenario.slack.changePerson('U05FAY', { deleted: false, is_stranger: true });
  });
  afterAll(() => scenario.close());

  test.concurrent.each([
    ['rob', 'who only reads', 'You may not run cache clear on acme-shop/live'],
    ['gus', 'a guest', 'Guests of this workspace may not use Sitehand'],
    ['fay', 'a stranger of a shared channel', 'Only members of this workspace may use Sitehand'],
  ] as const)('%s, %s, is refused privately', async (name, _, says) => {
    const said = await scenario.person(name).says(clear);
    const reply = await said.hears(says);
    expect(reply.text).toMatch(/Nothing was (done|sent)/);
  });

  test.concurrent('a guest, a mention and a button are refused as well', async () => {
    const said = await scenario.person('gus').mentions('cache clear acme-shop/live');
    await said.hears('Guests of this workspace may not use Sitehand');
  });

  test.concurrent('stop says how a change is stopped, and offers a pause only to those who may pause', async () => {
    const labels = async (name: 'rob' | 'chi'): Promise<readonly string[]> =>
      labelsOf(await (await scenario.person(name).says('/site stop')).hears('A change is stopped by Cancel or Stop'));
    expect([await labels('rob'), await labels('chi')]).toEqual([[], ['Pause', 'Lock…']]);
  });

  test('nothing reached the host, and no card was posted', () => {
    expect(scenario.writes()).toEqual([]);
    expect(scenario.rows('select * from changes')).toEqual([]);
    expect(scenario.slack.messages({ channel: 'C0ACME', as: 'U01ANA' }).filter(({ ephemeral }) => ephemeral)).toEqual(
      [],
    );
  });
});

describe.concurrent('promise 4: between the request and the write', () => {
  /** An approved change of Ana's that is not sent yet, because Slack is slow to answer who she is. */
  const whileDelayed = async (scenario: Scenario, meanwhile: () => Promise<unknown>): Promise<void> => {
    const ana = scenario.person('ana');
    await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
    await ana.form('List before');
    // The third request is the last one before sending, so what happens now happens after the rights were checked.
    scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: patienceMs, times: 1 });
    const asked = scenario.slack.until(() => scenario.slack.calls().length || undefined);
    await ana.submits();
    await asked;
    await scenario.slack.until(
      () => scenario.slack.messages({ channel: 'C0ACME', as: ana.id }).find(({ text }) => text.includes('#1')),
      patienceMs,
    );
    await meanwhile();
    scenario.slack.faults.release();
  };

  test(
    'a rule is taken away: the change is invalidated, and nothing is sent',
    inScenario({}, async (scenario) => {
      await whileDelayed(scenario, async () => {
        const rules = await readFile('src/playground/policy.yml', 'utf8');
        await reloadPolicy(scenario, rules.replace("'allowlist add', ", ''));
      });
      const change = await scenario.change(1);
      await change.tells(/⛔ Nothing was sent\. .*is no longer allowed to do this/);
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test.each([
    ['is deactivated', { deleted: true }],
    ['becomes a guest', { is_restricted: true }],
  ])('the requester %s: void, and nothing is sent', async (_, become) =>
    inScenario({}, async (scenario) => {
      await whileDelayed(scenario, async () => scenario.slack.changePerson('U01ANA', become));
      const change = await scenario.change(1, 'ben');
      await change.tells(/⛔ Nothing was sent\. .*is no longer allowed to do this/);
      expect(scenario.writes()).toEqual([]);
    })(),
  );

  test(
    'somebody else changes the list: superseded with the words to ask again, and nothing is sent',
    inScenario({}, async (scenario) => {
      const live = scenario.hosting.world.environmentNamed('acme-shop/live');
      await whileDelayed(scenario, async () => void live?.allowlist.push('192.0.2.9'));
      const change = await scenario.change(1);
      const reply = await change.tells(/⛔ Nothing was sent\. Somebody changed acme-shop\/live in the meantime/);
      expect(reply.controls.map(({ label }) => label)).toEqual(['Ask again']);
      await scenario.person('ana').clicks(reply, 'Ask again');
      const review = await scenario.person('ana').form('192.0.2.9');
      expect(review.submit).toBe('Add to allowlist');
      expect(scenario.writes()).toEqual([]);
    }),
  );

  test(
    'Slack does not say who the requester is: nothing is decided, and the change goes on when Slack answers',
    inScenario({}, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ana.form('List before');
      scenario.slack.faults.add({ method: 'users.info', kind: 'status', status: 503, times: 1 });
      const change = await ana.confirms();
      await change.shows('👍');
      expect(scenario.writes()).toEqual([]);
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'another change of the same target is open: the second is refused privately, and the first goes on',
    inScenario({}, async (scenario) => {
      await whileDelayed(scenario, async () => {
        const ben = scenario.person('ben');
        await ben.says('/site allowlist add acme-shop/live 198.51.100.77');
        await ben.form('List before');
        const sent = await ben.submits();
        await sent.hears(
          /acme-shop\/live is busy: @\w+'s allowlist add \(#1\) (has been running|is waiting to be sent\. It has held the lock) for \d+ s\. Nothing was sent\./,
        );
      });
      const change = await scenario.change(1);
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );
});

test(
  'when Slack rejects its token, the bot sends nothing and is not ready until Slack accepts it again',
  inScenario({}, async (scenario) => {
    const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).status;
    for (const method of ['users.info', 'usergroups.users.list', 'conversations.info', 'auth.test']) {
      scenario.slack.faults.add({ method, kind: 'error', error: 'invalid_auth', times: 10 });
    }
    const said = await scenario.person('ana').says(clear);
    await said.hears("Slack isn't telling me who you are right now. Nothing was done.");
    expect(await ready()).toBe(503);
    expect(scenario.writes()).toEqual([]);
    scenario.slack.faults.remove();
    const change = await scenario.person('ana').asks(clear);
    await change.tells('the host reports it finished');
    expect(await ready()).toBe(200);
  }),
);
