import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../src/playground/slack/json-fields.ts';
import { startSlack } from '../../../src/playground/slack/server.ts';
import type { SlackOptions } from '../../../src/playground/slack/options.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { call, postJson } from './caller.ts';

const open: SlackStandIn[] = [];
async function start(options: SlackOptions = {}): Promise<SlackStandIn> {
  const slack = await startSlack({ ackTimeoutMs: 100, ...options });
  open.push(slack);
  return slack;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((slack) => slack.close()));
});

const plain = (text: string) => ({ type: 'plain_text', text });
const modal = (apart: object = {}) => ({ type: 'modal', title: plain('T'), blocks: [], ...apart });

describe('refusals', () => {
  let slack: SlackStandIn;
  beforeAll(async () => {
    slack = await startSlack();
  });
  afterAll(() => slack.close());

  it.each([
    ['chat.postMessage', { channel: 'C0RANDOM', text: 'x' }, 'not_in_channel'],
    ['chat.postMessage', { channel: 'G0SECRET', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'D0ANABEN', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'C0NOWHERE', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'C0OLD', text: 'x' }, 'is_archived'],
    ['chat.postMessage', { channel: 'C0OPS' }, 'no_text'],
    ['chat.postMessage', { text: 'x' }, 'invalid_arguments'],
    ['chat.postMessage', { channel: '#nowhere', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: '#secret', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: 'C0OPS', text: 'x', markdown_text: 'x' }, 'markdown_text_conflict'],
    ['chat.postMessage', { channel: 'C0OPS', blocks: [], markdown_text: 'x' }, 'markdown_text_conflict'],
    ['chat.postMessage', { channel: 'C0OPS', markdown_text: 'x'.repeat(12_001) }, 'msg_too_long'],
    ['chat.postMessage', { channel: 'C0OPS', text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['chat.postMessage', { channel: 'C0OPS', blocks: 'nonsense' }, 'invalid_blocks_format'],
    ['chat.postMessage', { channel: 'C0OPS', blocks: [{ type: 'x' }] }, 'invalid_blocks'],
    [
      'chat.postMessage',
      { channel: 'C0OPS', text: 'x', attachments: [{ blocks: [{ type: 'x' }] }] },
      'invalid_attachments',
    ],
    ['chat.postMessage', { channel: 'C0OPS', text: 'x', metadata: { event_type: '' } }, 'invalid_metadata_schema'],
    ['chat.postMessage', { channel: 'C0OPS', text: 'x', thread_ts: '1.000001' }, 'thread_not_found'],
    ['chat.postEphemeral', { channel: 'G0BAKERY', user: 'U02BEN', text: 'x' }, 'user_not_in_channel'],
    ['chat.postEphemeral', { channel: 'C0OPS', user: 'U0NOBODY', text: 'x' }, 'user_not_found'],
    ['chat.update', { channel: 'C0OPS', ts: '1.000001', text: 'x' }, 'message_not_found'],
    ['chat.delete', { channel: 'C0OPS', ts: '1.000001' }, 'message_not_found'],
    ['users.info', { user: 'U0NOBODY' }, 'user_not_found'],
    ['usergroups.users.list', { usergroup: 'S0NONE' }, 'no_such_subteam'],
    ['conversations.info', { channel: 'G0SECRET' }, 'channel_not_found'],
    ['conversations.open', { users: 'U09MAX' }, 'user_disabled'],
    ['views.open', { trigger_id: '1.2.x', view: modal() }, 'invalid_trigger_id'],
    ['views.update', { view_id: 'V0', view: modal() }, 'not_found'],
    ['views.publish', { user_id: 'U01ANA', view: modal() }, 'invalid_arguments'],
    ['files.completeUploadExternal', { files: [{ id: 'F0' }] }, 'file_not_found'],
    ['no.suchMethod', {}, 'unknown_method'],
    ['constructor', {}, 'unknown_method'],
  ])('%s %o: %s', async (method, args, error) => {
    expect((await call(slack, method, args)).body).toMatchObject({ ok: false, error });
  });

  it('lists members of a disabled user group only on request, and can fail for a single group', async () => {
    const slack = await start();
    slack.disableGroup('S0DEVS');
    const ask = async (method: string, args: Record<string, unknown>) => (await call(slack, method, args)).body;
    expect(await ask('usergroups.users.list', { usergroup: 'S0DEVS' })).toMatchObject({ error: 'subteam_disabled' });
    const all = { usergroup: 'S0DEVS', include_disabled: true };
    expect(await ask('usergroups.users.list', all)).toMatchObject({ users: ['U01ANA', 'U02BEN'] });
    expect(await ask('usergroups.list', {})).toMatchObject({ usergroups: [{ id: 'S0LEADS', date_delete: 0 }] });
    slack.disableGroup('S0DEVS', false);
    expect(await ask('usergroups.users.list', { usergroup: 'S0DEVS' })).toMatchObject({ ok: true });
    slack.faults.add({ method: 'usergroups.users.list', usergroup: 'S0LEADS', kind: 'error', error: 'missing_scope' });
    expect(await ask('usergroups.users.list', { usergroup: 'S0DEVS' })).toMatchObject({ ok: true });
    expect(await ask('usergroups.users.list', { usergroup: 'S0LEADS' })).toMatchObject({ error: 'missing_scope' });
  });

  it('takes a channel’s name, and markdown instead of text and blocks', async () => {
    const sent = await call(slack, 'chat.postMessage', { channel: '#ops', markdown_text: '**bold**' });
    expect(sent.body).toMatchObject({ ok: true, channel: 'C0OPS' });
    const shown = slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).at(-1);
    expect(shown?.text).toContain('**bold**');
  });

  it('name the block and the rule', async () => {
    const blocks = [{ type: 'header', text: plain('x'.repeat(151)) }];
    const where = 'must be less than 151 characters [json-pointer:/blocks/0/text/text]';
    expect((await call(slack, 'chat.postMessage', { channel: 'C0OPS', text: 'x', blocks })).body).toMatchObject({
      errors: [where],
      response_metadata: { messages: [`[ERROR] ${where}`] },
    });
  });

  it('begin at more than 13,200 characters of blocks', async () => {
    const blocks = (size: number) => {
      const shell = JSON.stringify([
        { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '' }] }] },
      ]);
      return shell.replace('"text":""', `"text":"${'x'.repeat(size - shell.length)}"`);
    };
    const post = (size: number) =>
      call(slack, 'chat.postMessage', { channel: 'C0OPS', text: 'x', blocks: blocks(size) });
    expect((await post(13_200)).body['ok']).toBe(true);
    expect((await post(13_201)).body['error']).toBe('msg_blocks_too_long');
  });

  it('check the token', async () => {
    const error = async (method: string, token: string | null) => (await call(slack, method, {}, token)).body['error'];
    expect(await error('auth.test', null)).toBe('not_authed');
    expect(await error('auth.test', 'xoxb-other')).toBe('invalid_auth');
    expect(await error('auth.test', slack.tokens.app)).toBe('not_allowed_token_type');
    expect(await error('apps.connections.open', slack.tokens.bot)).toBe('not_allowed_token_type');
  });

  it('keep the bot from editing other people’s messages, or ephemeral ones', async () => {
    const { ts } = await slack.say('U01ANA', 'C0OPS', 'mine');
    const { body } = await call(slack, 'chat.postEphemeral', { channel: 'C0OPS', user: 'U01ANA', text: 'psst' });
    const update = async (which: unknown) =>
      (await call(slack, 'chat.update', { channel: 'C0OPS', ts: which, text: 'x' })).body['error'];
    expect(await update(ts)).toBe('cant_update_message');
    expect(await update(body['message_ts'])).toBe('message_not_found');
  });
});

describe('messages', () => {
  it('are edited, threaded, linked and deleted', async () => {
    const slack = await start();
    const root = (
      await call(slack, 'chat.postMessage', { channel: 'C0OPS', text: 'one', blocks: [{ type: 'divider' }] })
    ).body;
    const thread = { channel: 'C0OPS', thread_ts: root['ts'] };
    const reply = (await call(slack, 'chat.postMessage', { ...thread, text: 'two' })).body;
    await call(slack, 'chat.postMessage', { channel: 'C0OPS', thread_ts: reply['ts'], text: 'three' });
    await call(slack, 'chat.update', { channel: 'C0OPS', ts: root['ts'], text: '*one* more' });
    expect(slack.messages({ channel: 'C0OPS', as: 'U01ANA' })).toMatchObject([
      { text: '---', notification: '*one* more', edited: true, replies: 2 },
    ]);
    await call(slack, 'chat.update', { channel: 'C0OPS', ts: root['ts'], text: '*one* more', blocks: [] });
    expect(slack.messages({ channel: 'C0OPS', as: 'U01ANA' })[0]?.text).toBe('one more');
    const link = await call(slack, 'chat.getPermalink', { channel: 'C0OPS', message_ts: reply['ts'] });
    expect(link.body['permalink']).toContain('/archives/C0OPS/p');
    await call(slack, 'chat.delete', { channel: 'C0OPS', ts: root['ts'] });
    expect(slack.messages({ channel: 'C0OPS', as: 'U01ANA' })).toEqual([]);
    expect((await call(slack, 'chat.update', { channel: 'C0OPS', ts: root['ts'], text: 'x' })).body['error']).toBe(
      'message_not_found',
    );
    expect((await call(slack, 'chat.postMessage', { ...thread, text: 'still' })).body['message']).toMatchObject({
      thread_ts: root['ts'],
    });
  });

  it('that reply to a deleted message without replies are loose in the channel, or refused if it is told to', async () => {
    const slack = await start();
    const { ts } = (await call(slack, 'chat.postMessage', { channel: 'C0OPS', text: 'one' })).body;
    await call(slack, 'chat.delete', { channel: 'C0OPS', ts });
    const reply = async () =>
      (await call(slack, 'chat.postMessage', { channel: 'C0OPS', thread_ts: ts, text: 'two' })).body;
    const loose = await reply();
    expect(loose).toMatchObject({ ok: true, message: { text: 'two' } });
    expect(loose['message']).not.toHaveProperty('thread_ts');
    expect(slack.messages({ channel: 'C0OPS', as: 'U01ANA' })).toMatchObject([{ text: 'two' }]);
    const told = {
      method: 'POST',
      path: '/channels/C0OPS',
      query: new URLSearchParams(),
      body: { strictThreads: true },
    };
    expect(await slack.control(told)).toMatchObject({ status: 200 });
    expect(await reply()).toMatchObject({ ok: false, error: 'thread_not_found' });
  });

  it('reach only people who can see them', async () => {
    const slack = await start();
    await call(slack, 'chat.postEphemeral', { channel: 'C0ACME', user: 'U01ANA', text: 'psst' });
    await call(slack, 'chat.postMessage', { channel: 'U02BEN', text: 'for you' });
    const { body } = await call(slack, 'conversations.open', { users: 'U02BEN' });
    expect(body).toMatchObject({ channel: { id: 'D0U02BEN' }, already_open: true });
    expect(slack.messages({ channel: 'C0ACME', as: 'U01ANA' })).toMatchObject([{ ephemeral: true }]);
    expect(slack.messages({ channel: 'C0ACME', as: 'U02BEN' })).toEqual([]);
    expect(slack.messages({ channel: 'D0U02BEN', as: 'U02BEN' })).toMatchObject([{ text: 'for you' }]);
    expect(() => slack.messages({ channel: 'D0U02BEN', as: 'U01ANA' })).toThrow('cannot see');
    expect(() => slack.messages({ channel: 'C0OPS', as: 'U07GUS' })).toThrow('cannot see');
  });
});

describe('modals', () => {
  let time = 1_700_000_000_000;
  let slack: SlackStandIn;
  beforeEach(async () => {
    slack = await start({ now: () => time });
  });
  const trigger = async (): Promise<string> => {
    const { payload } = await slack.command('U01ANA', 'C0ACME', '/site');
    return String(payload?.['trigger_id']);
  };
  const opened = async (view: object, method = 'views.open', id?: string) =>
    (await call(slack, method, { trigger_id: id ?? (await trigger()), view })).body;

  it('open within three seconds and once', async () => {
    const first = await trigger();
    time += 3000;
    expect((await opened(modal(), 'views.open', first))['ok']).toBe(true);
    expect((await opened(modal(), 'views.open', first))['error']).toBe('exchanged_trigger_id');
    const late = await trigger();
    time += 3001;
    expect((await opened(modal(), 'views.open', late))['error']).toBe('expired_trigger_id');
  });

  it('stack three high', async () => {
    await opened(modal());
    expect((await opened(modal(), 'views.push'))['ok']).toBe(true);
    expect((await opened(modal(), 'views.push'))['ok']).toBe(true);
    expect((await opened(modal(), 'views.push'))['error']).toBe('push_limit_reached');
    await slack.closeModal('U01ANA');
    expect(slack.views('U01ANA').modals).toHaveLength(2);
    await slack.closeModal('U01ANA', true);
    expect(slack.views('U01ANA').modals).toEqual([]);
  });

  it('are updated by id or external id, guarded by a hash, and keep typed text', async () => {
    const ask = {
      type: 'input',
      block_id: 'b',
      label: plain('Name'),
      optional: true,
      element: { type: 'plain_text_input', action_id: 'a' },
    };
    const view = modal({ submit: plain('S'), external_id: 'mine', blocks: [ask] });
    const { hash, id } = fieldsOf((await opened(view))['view']);
    await slack.pick('U01ANA', 'modal', { label: 'Name' }, 'Ana');
    expect((await call(slack, 'views.update', { view_id: id, hash: 'old', view })).body['error']).toBe('hash_conflict');
    expect((await call(slack, 'views.update', { view_id: id, hash, view })).body['ok']).toBe(true);
    expect((await call(slack, 'views.update', { external_id: 'mine', hash, view })).body['error']).toBe(
      'hash_conflict',
    );
    expect(slack.views('U01ANA').modals[0]?.controls[0]?.value).toBe('Ana');
    expect((await opened(view))['error']).toBe('duplicate_external_id');
  });

  it('are checked by the client before they are sent', async () => {
    const email = {
      type: 'input',
      block_id: 'mail',
      label: plain('Mail'),
      element: { type: 'email_text_input', action_id: 'a' },
    };
    const count = {
      type: 'input',
      block_id: 'n',
      label: plain('Count'),
      element: { type: 'number_input', is_decimal_allowed: false, action_id: 'a', max_value: '9' },
    };
    await opened(modal({ submit: plain('S'), blocks: [email, count] }));
    const { errors, delivered } = await slack.submit('U01ANA', { Mail: 'nobody', 'n/a': '10' });
    expect([delivered, Object.keys(errors)]).toEqual([false, ['mail', 'n']]);
    expect((await slack.submit('U01ANA', { mail: 'a@b.test', Count: '9' })).delivered).toBe(true);
  });
});

describe('response URLs', () => {
  const url = async (slack: SlackStandIn): Promise<string> => {
    const { payload } = await slack.command('U01ANA', 'G0SECRET', '/site');
    return String(payload?.['response_url']);
  };

  it('work five times, also where the bot is no member', async () => {
    const slack = await start();
    const address = await url(slack);
    expect((await postJson(address, { text: 'to you' })).status).toBe(200);
    expect((await postJson(address, { text: 'to all', response_type: 'in_channel' })).status).toBe(200);
    expect((await postJson(address, {})).status).toBe(400);
    for (let use = 3; use < 5; use += 1) await postJson(address, { text: 'more' });
    expect(await postJson(address, { text: 'too much' })).toMatchObject({ status: 404, body: { error: 'used_url' } });
    expect(slack.messages({ channel: 'G0SECRET', as: 'U03CHI' }).map((each) => each.text)).toEqual(['to all']);
  });

  it('expire after thirty minutes', async () => {
    let time = 1_700_000_000_000;
    const slack = await start({ now: () => time });
    const address = await url(slack);
    time += 30 * 60_000;
    expect((await postJson(address, { text: 'x' })).status).toBe(200);
    time += 1;
    expect(await postJson(address, { text: 'x' })).toMatchObject({ status: 404, body: { error: 'expired_url' } });
  });

  it('replace and delete the message they came from', async () => {
    const slack = await start();
    const blocks = [{ type: 'actions', elements: [{ type: 'button', text: plain('Go') }] }];
    await call(slack, 'chat.postEphemeral', { channel: 'C0OPS', user: 'U01ANA', text: 'x', blocks });
    const read = () => slack.messages({ channel: 'C0OPS', as: 'U01ANA' });
    const [card] = read();
    if (card === undefined) throw new Error('there is no card');
    const { payload } = await slack.click('U01ANA', card, { label: 'Go' });
    expect(payload).toMatchObject({ container: { is_ephemeral: true } });
    expect(payload).not.toHaveProperty('message');
    const address = String(payload?.['response_url']);
    await postJson(address, { replace_original: true, text: 'Gone' });
    expect(read()).toMatchObject([{ text: 'Gone', ephemeral: true, ts: card.ts }]);
    await postJson(address, { delete_original: true });
    expect(read()).toEqual([]);
  });
});

describe('files', () => {
  it.each([false, true])('are uploaded in three steps (multipart: %s)', async (multipart) => {
    const slack = await start();
    const content = 'a\r\nb';
    const { body } = await call(slack, 'files.getUploadURLExternal', { filename: 'log.txt', length: content.length });
    const form = new FormData();
    form.append('file', new Blob([content]), 'log.txt');
    await fetch(String(body['upload_url']), { method: 'POST', body: multipart ? form : content });
    const files = [{ id: body['file_id'], title: 'The log' }];
    const complete = (channel: string) => call(slack, 'files.completeUploadExternal', { files, channel_id: channel });
    expect((await complete('C0RANDOM')).body['error']).toBe('not_in_channel');
    expect((await complete('C0ACME')).body['ok']).toBe(true);
    expect((await complete('C0ACME')).body['error']).toBe('file_not_found');
    expect(slack.files('U07GUS')).toMatchObject([{ name: 'log.txt', title: 'The log', text: content }]);
    expect(slack.files('U08SAM')).toEqual([]);
    expect(slack.messages({ channel: 'C0ACME', as: 'U01ANA' })).toMatchObject([{ files: ['log.txt'] }]);
  });
});

describe('faults', () => {
  const post = (slack: SlackStandIn, channel = 'C0OPS') => call(slack, 'chat.postMessage', { channel, text: 'x' });
  const stored = (slack: SlackStandIn): number => slack.messages({ channel: 'C0OPS', as: 'U01ANA' }).length;

  it('occur as often and only where requested', async () => {
    const slack = await start();
    slack.faults.add({
      method: 'chat.postMessage',
      channel: 'C0OPS',
      kind: 'rate_limited',
      retryAfter: '30',
      times: 1,
    });
    expect((await post(slack, 'C0ACME')).status).toBe(200);
    expect(await post(slack)).toMatchObject({ status: 429, retryAfter: '30', body: { error: 'ratelimited' } });
    expect((await post(slack)).body['ok']).toBe(true);
    slack.faults.add({ method: '*', kind: 'rate_limited', times: 1 });
    expect(await post(slack)).toMatchObject({ status: 429, retryAfter: null });
    expect(slack.faults.list()).toEqual([]);
  });

  it('can take effect and lose the answer', async () => {
    const slack = await start();
    slack.faults.add({ method: 'chat.postMessage', kind: 'lost', times: 1 });
    await expect(post(slack)).rejects.toThrow('fetch failed');
    expect(stored(slack)).toBe(1);
    slack.faults.add({ method: 'chat.postMessage', kind: 'lost', status: 500, times: 1 });
    expect((await post(slack)).status).toBe(500);
    expect(stored(slack)).toBe(2);
    slack.faults.add({ method: 'chat.postMessage', kind: 'reset', times: 1 });
    await expect(post(slack)).rejects.toThrow('fetch failed');
    expect(stored(slack)).toBe(2);
    expect(slack.calls().map(({ result }) => result)).toEqual(['lost: ok', 'lost: ok', 'reset']);
  });

  it.each([
    [{ kind: 'error', error: 'token_revoked' }, 200, 'token_revoked'],
    [{ kind: 'status', status: 503 }, 503, 'internal_error'],
    [{ kind: 'off' }, 200, 'unknown_method'],
  ] as const)('%o', async (fault, status, error) => {
    const slack = await start();
    slack.faults.add({ method: 'chat.postMessage', ...fault });
    for (let time = 0; time < 2; time += 1) expect(await post(slack)).toMatchObject({ status, body: { error } });
    slack.faults.remove();
    expect((await post(slack)).body['ok']).toBe(true);
  });

  it('can answer with a page, and with a delay', async () => {
    const slack = await start();
    slack.faults.add({ method: 'chat.postMessage', kind: 'html', times: 1 });
    await expect(post(slack)).rejects.toThrow('JSON');
    slack.faults.add({ method: 'chat.postMessage', kind: 'delay', delayMs: 60_000, times: 1 });
    const late = post(slack);
    await Promise.all([expect(late).rejects.toThrow('fetch failed'), slack.close()]);
  });
});

describe('rate limits', () => {
  it('are Slack’s if enabled', async () => {
    let time = 1_700_000_000_000;
    const slack = await start({ rateLimits: true, now: () => time });
    const post = async (channel: string) => (await call(slack, 'chat.postMessage', { channel, text: 'x' })).retryAfter;
    expect(await post('C0OPS')).toBeNull();
    expect(await post('C0OPS')).toBe('1');
    expect(await post('C0ACME')).toBeNull();
    time += 1000;
    expect(await post('C0OPS')).toBeNull();
    const edit = async () => (await call(slack, 'chat.update', { channel: 'C0OPS', ts: '1.1', text: 'x' })).retryAfter;
    for (let count = 0; count < 50; count += 1) expect(await edit()).toBeNull();
    expect(await edit()).toBe('60');
  });
});

describe('people, groups and channels', () => {
  it('are listed in pages', async () => {
    const slack = await start();
    const ids: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await call(slack, 'users.list', { limit: '4', cursor });
      ids.push(...[body['members']].flat());
      cursor = String(fieldsOf(body['response_metadata'])['next_cursor']);
    } while (cursor !== '');
    expect(ids).toHaveLength(10);
  });

  it('change', async () => {
    const slack = await start();
    slack.changePerson('U03CHI', { deleted: true, is_restricted: true });
    expect((await call(slack, 'users.info', { user: 'U03CHI' })).body).toMatchObject({
      user: { deleted: true, is_restricted: true },
    });
    await expect(slack.command('U03CHI', 'C0OPS', '/site')).rejects.toThrow('deactivated');
    slack.changeChannel('C0RANDOM', { bot: true });
    expect((await call(slack, 'chat.postMessage', { channel: 'C0RANDOM', text: 'x' })).body['ok']).toBe(true);
    slack.changeChannel('C0RANDOM', { bot: false });
    expect((await call(slack, 'chat.postMessage', { channel: 'C0RANDOM', text: 'x' })).body['error']).toBe(
      'not_in_channel',
    );
    expect((await call(slack, 'conversations.info', { channel: 'C0SHARED' })).body).toMatchObject({
      channel: { is_ext_shared: true },
    });
  });

  it('need their scopes', async () => {
    const slack = await start({ scopes: ['chat:write', 'chat:write.public'] });
    expect((await call(slack, 'users.info', { user: 'U01ANA' })).body).toMatchObject({
      error: 'missing_scope',
      needed: 'users:read',
    });
    expect((await call(slack, 'chat.postMessage', { channel: 'C0RANDOM', text: 'x' })).body['ok']).toBe(true);
  });
});
