import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSlack } from '../../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { containing } from './containing.ts';
import { type TinyApp, socketApp } from './tiny-app.ts';

let slack: SlackStandIn;
let tiny: TinyApp;
beforeAll(async () => {
  slack = await startSlack();
  tiny = await socketApp(slack);
  tiny.app.command('/site', async ({ ack }) => {
    await ack({
      text: 'choose',
      blocks: [
        {
          type: 'section',
          block_id: 'b',
          text: { type: 'mrkdwn', text: 'Which?' },
          accessory: {
            type: 'static_select',
            action_id: 'which',
            options: ['live', 'staging'].map((name) => ({ text: { type: 'plain_text', text: name }, value: name })),
          },
        },
      ],
    });
  });
  tiny.app.action('which', ({ ack }) => ack());
});
afterAll(async () => {
  await tiny.stop();
  await slack.close();
});

const ask = (method: string, path: string, body?: unknown) => {
  const { pathname, searchParams } = new URL(path, 'http://control');
  return slack.control({ method, path: pathname, query: searchParams, body });
};

describe('the control API', () => {
  it('acts and reads', async () => {
    const sent = await ask('POST', '/command', { person: 'U01ANA', channel: 'C0ACME', text: '/site help' });
    expect(sent).toMatchObject({ status: 200, body: { acked: true } });
    const read = await ask('GET', '/messages?channel=C0ACME&as=U01ANA');
    expect(read).toMatchObject({ status: 200, body: [{ text: 'Which?', ephemeral: true }] });
    const [card] = slack.messages({ channel: 'C0ACME', as: 'U01ANA' });
    const picked = await ask('POST', '/pick', {
      person: 'U01ANA',
      channel: 'C0ACME',
      ts: card?.ts,
      label: 'Which?',
      said: 'live',
    });
    expect(picked).toMatchObject({
      body: { payload: { actions: [{ selected_option: { value: 'live' } }], state: { values: { b: {} } } } },
    });
    expect(await ask('GET', '/people')).toMatchObject({ body: { groups: [{ id: 'S0DEVS' }, { id: 'S0LEADS' }] } });
    expect(await ask('GET', '/calls')).toMatchObject({
      body: [{ method: 'apps.connections.open', token: 'app', result: 'ok' }],
    });
  });

  it('reads only the newest if a limit is given', async () => {
    for (const text of ['one', 'two', 'three']) await slack.say('U01ANA', 'C0RANDOM', text);
    const read = (limit: string) => ask('GET', `/messages?channel=C0RANDOM&as=U01ANA&limit=${limit}`);
    expect(await read('2')).toMatchObject({ status: 200, body: [{ text: 'two' }, { text: 'three' }] });
    expect(await read('9')).toMatchObject({ body: [{}, {}, {}] });
    for (const wrong of ['0', '-1', '1.5', 'all']) expect(await read(wrong)).toMatchObject({ status: 400 });
  });

  it('plays faults and changes people', async () => {
    expect(
      await ask('POST', '/faults', { method: 'auth.test', kind: 'rate_limited', retryAfter: 1, times: 2 }),
    ).toMatchObject({ status: 200 });
    expect(await ask('GET', '/faults')).toMatchObject({ body: [{ method: 'auth.test', retryAfter: '1', times: 2 }] });
    await ask('POST', '/faults', { method: 'chat.update', kind: 'html' });
    expect(await ask('DELETE', '/faults?id=1')).toMatchObject({ body: [{ id: 2, method: 'chat.update' }] });
    for (const id of ['1', 'first'])
      expect(await ask('DELETE', `/faults?id=${id}`)).toMatchObject({
        status: 400,
        body: { error: `there is no fault ${id}` },
      });
    expect(await ask('DELETE', '/faults')).toMatchObject({ body: [] });
    expect(await ask('POST', '/people/U06ROB', { is_restricted: true })).toMatchObject({
      body: { is_restricted: true },
    });
    expect(await ask('POST', '/groups/S0DEVS', { users: ['U01ANA'] })).toMatchObject({ body: { users: ['U01ANA'] } });
    expect(await ask('POST', '/channels/C0RANDOM', { bot: true })).toMatchObject({
      body: { members: containing('U0SITEHAND') },
    });
  });

  it.each([
    ['/command', { channel: 'C0ACME', text: '/site' }, '"person" is missing'],
    ['/command', { person: 'U09MAX', channel: 'C0ACME', text: '/site' }, 'deactivated'],
    ['/command', { person: 'U01ANA', channel: 'C0NONE', text: '/site' }, 'cannot see'],
    ['/command', { person: 'U01ANA', channel: 'C0ACME', text: 'site' }, 'begins with a slash'],
    ['/click', { person: 'U01ANA', label: 'x' }, 'no such view'],
    ['/click', { person: 'U01ANA', channel: 'C0ACME', ts: '1.1', label: 'x' }, 'sees no message'],
    ['/submit', { person: 'U01ANA' }, 'no form open'],
    ['/faults', { method: 'x', kind: 'fire' }, 'kind is one of'],
    ['/faults', { method: 'x', kind: 'status', status: 'high' }, 'whole number'],
    ['/people/U0', { deleted: true }, 'no person'],
    ['/people/U01ANA', { deleted: 'yes' }, 'wrong type'],
    ['/groups/S0DEVS', { users: 'all' }, 'list of strings'],
    ['/delivery', { signature: 'none' }, 'right, wrong, stale, ahead'],
    ['/redeliver', { envelope: 'e' }, 'no envelope'],
    ['/command', [], 'JSON object'],
  ])('refuses POST %s %o: %s', async (path, body, says) => {
    expect(await ask('POST', path, body)).toMatchObject({
      status: 400,
      body: { error: containing(says) },
    });
  });

  it('knows no other path', async () => {
    for (const path of ['/', '/nothing', '/command/x', '/people/a/b', '/constructor'])
      expect(await ask('POST', path, {})).toBeUndefined();
  });

  it('streams every change in order', async () => {
    const numbers: number[] = [];
    const kinds = new Set<string>();
    const stop = slack.subscribe((change) => {
      numbers.push(change.number);
      kinds.add(change.kind);
    });
    await slack.command('U01ANA', 'C0ACME', '/site');
    stop();
    const seen = numbers.length;
    await slack.command('U01ANA', 'C0ACME', '/site');
    expect(numbers).toHaveLength(seen);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    expect([...kinds].sort()).toEqual(['delivery', 'message']);
  });

  it('names in its timeout what it waited for', async () => {
    await expect(slack.until(() => undefined, 5)).rejects.toThrow('nothing fitting happened in 5 ms');
    await expect(
      slack.until(() => {
        throw new Error('broken probe');
      }),
    ).rejects.toThrow('broken probe');
  });
});
