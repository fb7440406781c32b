import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHouse, patienceMs, type House } from './house.ts';

const clear = '/site cache clear acme-shop/staging';

let house: House;
afterAll(() => house.close());

describe('a Slack, or a server like it, that tells nothing of groups and channels and takes no files', () => {
  beforeAll(async () => {
    house = await openHouse({ start: false });
    house.slack.faults.add({ method: 'usergroups.users.list', kind: 'off' });
    house.slack.faults.add({ method: 'conversations.info', kind: 'error', error: 'missing_scope' });
    house.slack.faults.add({ method: 'files.getUploadURLExternal', kind: 'off' });
    await house.start();
  });

  test('people who are named in the rules go on, and their cards stand in direct messages', async () => {
    const ana = house.person('ana');
    const said = await ana.says(clear);
    await said.hears('Its card is in our direct messages');
    const change = await house.change(1);
    expect(change.channel).toBe(ana.direct);
    await change.tells('the host reports it finished');
  });

  test('a log is shown as far as it fits, and its reader hears why there is no more', async () => {
    const said = await house.person('ana').says('/site logs acme-shop/live --full');
    await said.hears('acme-shop/live · error log');
    await said.hears("I couldn't send you the rest as a file");
  });

  test('a server without response URLs gets ephemeral messages, one without either direct messages', async () => {
    const ana = house.person('ana');
    house.slack.faults.add({ method: 'response_url', kind: 'status', status: 404 });
    const first = await (await ana.says('/site whoami')).hears('U01ANA');
    expect(first).toMatchObject({ ephemeral: true, channel: 'C0ACME' });
    house.slack.faults.add({ method: 'chat.postEphemeral', kind: 'error', error: 'user_not_in_channel' });
    const second = await (await ana.says('/site whoami', 'C0GENERAL')).hears('U01ANA');
    expect(second.channel).toBe(ana.direct);
  });

  test('a server without forms says so, a slow one gets a button, and nothing is done', async () => {
    const add = '/site allowlist add acme-shop/live 198.51.100.4';
    house.slack.faults.add({ method: 'views.open', kind: 'off', times: 1 });
    await (await house.person('ben').says(add)).hears('this server has no forms. Nothing was done.');
    house.slack.faults.add({ method: 'views.open', kind: 'delay', delayMs: 4_000, times: 1 });
    await (await house.person('ben').says(add)).hears('This needs a form. Nothing was done yet.');
    expect(house.writes('acme-shop/live')).toEqual([]);
  });
});

describe('a channel without the bot', () => {
  beforeAll(async () => {
    await house.close();
    house = await openHouse();
  });

  test.concurrent.each([
    ['public', 'C0RANDOM'],
    ['private', 'G0SECRET'],
  ])('(%s): the card stands in direct messages, with the way to invite it', async (_, channel) => {
    const ana = house.person('ana');
    const said = await ana.says(clear, channel);
    const invited = (): unknown =>
      [...said.interaction(), ...house.slack.messages({ channel: ana.direct, as: ana.id })]
        .flatMap(({ ts, channel }) => [...house.slack.messages({ channel, thread: ts, as: ana.id })])
        .find(({ text }) => text.includes('/invite'));
    await house.slack.until(invited, patienceMs);
    expect(house.slack.messages({ channel, as: ana.id }).filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  test('a server that does not know people by their id in place of a channel: the conversation is opened', async () => {
    const ben = house.person('ben');
    const byId = { method: 'chat.postMessage', channel: ben.id, kind: 'error', error: 'channel_not_found' } as const;
    house.slack.faults.add({ ...byId, times: 10 });
    await ben.says(clear, 'C0RANDOM');
    const told = (): unknown =>
      house.slack.messages({ channel: ben.direct, as: ben.id }).find(({ text }) => text.includes('✅'));
    await house.slack.until(told, patienceMs);
  });

  test('and all were done', async () => {
    for (const [index, as] of (['ana', 'ana', 'ben'] as const).entries()) {
      const change = await house.change(index + 1, as);
      await change.tells('the host reports it finished');
    }
  });
});
