import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import { labelsOf } from './people.ts';

const clear = '/site cache clear acme-shop/staging';

let scenario: Scenario;
afterAll(() => scenario.close());

describe('a Slack, or a similar server, that tells nothing about groups and channels and takes no files', () => {
  beforeAll(async () => {
    scenario = await openScenario({ start: false });
    scenario.slack.faults.add({ method: 'usergroups.users.list', kind: 'off' });
    scenario.slack.faults.add({ method: 'conversations.info', kind: 'error', error: 'missing_scope' });
    scenario.slack.faults.add({ method: 'files.getUploadURLExternal', kind: 'off' });
    await scenario.start();
  });

  test('people who are named in the rules can work, and their cards are posted in direct messages', async () => {
    const ana = scenario.person('ana');
    const said = await ana.says(clear);
    await said.hears("Its card is in our direct messages. Slack doesn't let me see whether I'm in this channel.");
    const change = await scenario.change(1);
    expect(change.channel).toBe(ana.direct);
    await change.tells('the host reports it finished');
  });

  test('a log is shown as far as it fits, and its reader is told why the rest is missing', async () => {
    const said = await scenario.person('ana').says('/site logs acme-shop/live --full');
    await said.hears('acme-shop/live · error log');
    await said.hears("I couldn't send you the rest as a file");
  });

  test('a server without response URLs gets ephemeral messages, one without either direct messages', async () => {
    const ana = scenario.person('ana');
    scenario.slack.faults.add({ method: 'response_url', kind: 'status', status: 404 });
    const first = await (await ana.says('/site whoami')).hears('U01ANA');
    expect(first).toMatchObject({ ephemeral: true, channel: 'C0ACME' });
    scenario.slack.faults.add({ method: 'chat.postEphemeral', kind: 'error', error: 'user_not_in_channel' });
    const second = await (await ana.says('/site whoami', 'C0GENERAL')).hears('U01ANA');
    expect(second.channel).toBe(ana.direct);
  });

  test('a server without forms says so, a slow or broken one gets a button, and nothing is done', async () => {
    const add = '/site allowlist add acme-shop/live 198.51.100.4';
    scenario.slack.faults.add({ method: 'views.open', kind: 'off', times: 1 });
    await (await scenario.person('ben').says(add)).hears('this server has no forms. Nothing was done.');
    for (const trouble of [
      { kind: 'delay', delayMs: 4_000 },
      { kind: 'status', status: 500 },
      { kind: 'error', error: 'internal_error' },
    ] as const) {
      scenario.slack.faults.add({ method: 'views.open', times: 1, ...trouble });
      const said = await scenario.person('ben').says(add);
      expect(labelsOf(await said.hears('This needs a form. Nothing was done yet.'))).toEqual(['Open the form']);
    }
    expect(scenario.writes('acme-shop/live')).toEqual([]);
  });

  describe('Slack opens a form, and does not let it be filled in', () => {
    const update = { method: 'views.update', times: 1 } as const;
    const add = '/site allowlist add acme-docs/live 198.51.100.4';

    test.each([
      { kind: 'status', status: 503 },
      { kind: 'reset' },
      { kind: 'lost' },
      { kind: 'error', error: 'internal_error' },
      { kind: 'rate_limited', retryAfter: '1' },
    ] as const)('once (%o): it is drawn as soon as Slack takes it, and nothing else is said', async (trouble) => {
      const ana = scenario.person('ana');
      scenario.slack.faults.add({ ...update, ...trouble });
      const said = await ana.says(add);
      await ana.form('Let 198.51.100.4 in over SSH');
      await scenario.slack.closeModal(ana.id, true);
      expect(said.answers()).toEqual([]);
    });

    test.each([
      ['a review', add, 'Let 198.51.100.4 in over SSH', []],
      ['a form with a list of the host', '/site push acme-docs/live --files', 'Onto', []],
      ['a review that is there', add, 'Let 198.51.100.4 in over SSH', ['lost']],
    ] as const)('for longer: a button opens it again (%s)', async (_, line, form, before) => {
      const ana = scenario.person('ana');
      for (const kind of before) scenario.slack.faults.add({ ...update, kind });
      scenario.slack.faults.add({ ...update, kind: 'rate_limited', retryAfter: '30' });
      const said = await ana.says(line);
      const offer = await said.hears(
        "Slack didn't confirm that it filled in the form. If it still says “Looking at the host…”, close it and open it again here. This needs a form. Nothing was done yet.",
      );
      expect(said.answers()).toHaveLength(1);
      await scenario.slack.closeModal(ana.id, true);
      await ana.clicks(offer, 'Open the form');
      await ana.form(form);
      await scenario.slack.closeModal(ana.id, true);
    });

    test('for longer, after it was submitted: what came of it is told in private', async () => {
      const ana = scenario.person('ana');
      const said = await ana.says(add);
      await ana.form('List before');
      scenario.slack.faults.add({ ...update, kind: 'rate_limited', retryAfter: '30' });
      await ana.submits();
      await said.hears(/^#\d+ is /);
    });
  });
});

describe('a channel without the bot', () => {
  beforeAll(async () => {
    await scenario.close();
    scenario = await openScenario();
  });

  test.concurrent.each([
    ['public', 'C0RANDOM'],
    ['private', 'G0SECRET'],
  ])('(%s): the card is posted in direct messages, with how to invite the bot', async (_, channel) => {
    const ana = scenario.person('ana');
    const said = await ana.says(clear, channel);
    const invited = (): unknown =>
      [...said.answers(), ...scenario.slack.messages({ channel: ana.direct, as: ana.id })]
        .flatMap(({ ts, channel }) => [...scenario.slack.messages({ channel, thread: ts, as: ana.id })])
        .find(({ text }) => text.includes('/invite'));
    await scenario.slack.until(invited, patienceMs);
    expect(scenario.slack.messages({ channel, as: ana.id }).filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  test('a server that takes no user id in place of a channel: a conversation is opened', async () => {
    const ben = scenario.person('ben');
    const byId = { method: 'chat.postMessage', channel: ben.id, kind: 'error', error: 'channel_not_found' } as const;
    scenario.slack.faults.add({ ...byId, times: 10 });
    await ben.says(clear, 'C0RANDOM');
    const directMessage = (): unknown =>
      scenario.slack.messages({ channel: ben.direct, as: ben.id }).find(({ text }) => text.includes('✅'));
    await scenario.slack.until(directMessage, patienceMs);
  });

  test('and all changes are done', async () => {
    for (const [index, as] of (['ana', 'ana', 'ben'] as const).entries()) {
      const change = await scenario.change(index + 1, as);
      await change.tells('the host reports it finished');
    }
  });
});

test(
  'a Slack that answers nothing for a while is no reason for another place: the card and its reply come later',
  inScenario({}, async (slow) => {
    const ana = slow.person('ana');
    await (await ana.says('/site whoami', 'C0GENERAL')).hears('U01ANA');
    slow.slack.faults.add({ method: '*', kind: 'status', status: 503 });
    await ana.says(clear, 'C0ACME');
    await ana.says('/site status acme-shop/staging', 'C0ACME');
    const owed = (): unknown =>
      slow.rows("select key from messages where due_at is not null and (kind = 'card' or key like 'answer:%')");
    await vi.waitFor(() => expect(owed()).toHaveLength(2), { timeout: patienceMs });
    slow.slack.faults.remove();
    const change = await slow.change(1);
    await change.tells('the host reports it finished');
    expect(change.channel).toBe('C0ACME');
    await ana.reads(/^You asked for status acme-shop\/staging\. Slack didn't take my answer to this \(HTTP 503\)\./);
    const direct = slow.slack.messages({ channel: ana.direct, as: ana.id });
    expect(direct.map(({ text }) => text)).toHaveLength(1);
    const hidden = await ana.says(clear, 'G0SECRET');
    await hidden.hears(/in our direct messages\. I'm not in this channel\. Use \/invite if you want cards there\.$/);
  }),
);
