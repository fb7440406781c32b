import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '@slack/bolt';
import { fieldsOf, listOf } from '../../../src/playground/slack/json-fields.ts';
import { startSlack } from '../../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../../src/playground/slack/stand-in.ts';
import { containing } from './containing.ts';
import { type TinyApp, httpApp, socketApp } from './tiny-app.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function workspace(
  start: (slack: SlackStandIn) => Promise<TinyApp>,
): Promise<{ slack: SlackStandIn; tiny: TinyApp }> {
  const slack = await startSlack();
  open.push(slack);
  const tiny = await start(slack);
  open.push({ close: () => tiny.stop() });
  return { slack, tiny };
}

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const form = {
  type: 'modal' as const,
  callback_id: 'clear',
  title: plain('Clear a cache'),
  submit: plain('Clear cache'),
  notify_on_close: true,
  blocks: [
    {
      type: 'input' as const,
      block_id: 'env',
      label: plain('Environment'),
      element: { type: 'external_select' as const, action_id: 'env', min_query_length: 2 },
    },
    {
      type: 'input' as const,
      block_id: 'why',
      optional: true,
      label: plain('Why'),
      element: { type: 'plain_text_input' as const, action_id: 'why', max_length: 20 },
    },
  ],
};

function play(app: App): void {
  app.command('/site', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: { ...form, private_metadata: body.channel_id } });
  });
  app.options('env', async ({ ack, payload }) => {
    const options = ['acme-shop/live', 'acme-shop/staging'].filter((name) => name.includes(payload.value));
    await ack({ options: options.map((name) => ({ text: plain(name), value: name })) });
  });
  app.view('clear', async ({ ack, view, body, client }) => {
    const environment = view.state.values['env']?.['env']?.selected_option?.value ?? '';
    if (environment.endsWith('live')) return ack({ response_action: 'errors', errors: { env: 'Not live.' } });
    await ack();
    await client.apiCall('chat.postMessage', {
      channel: view.private_metadata,
      text: `Clear ${environment}`,
      blocks: [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `*Clear* \`${environment}\` for <@${body.user.id}> &amp; all` },
        },
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'approve', text: plain('Approve'), value: environment }],
        },
      ],
    });
    return undefined;
  });
  app.action('approve', async ({ ack, body, client, respond }) => {
    await ack();
    if (body.type !== 'block_actions' || body.channel === undefined || body.message === undefined) return;
    const { id } = body.channel;
    await client.chat.update({ channel: id, ts: body.message.ts, text: 'Cleared', blocks: [] });
    await client.apiCall('chat.postMessage', {
      channel: id,
      thread_ts: body.message.ts,
      text: `Approved by <@${body.user.id}>`,
    });
    await respond({ text: 'Thank you', replace_original: false });
  });
  app.event('app_mention', async ({ event, client }) => {
    await client.apiCall('chat.postMessage', {
      channel: event.channel,
      thread_ts: event.thread_ts ?? event.ts,
      text: `heard ${event.text}`,
    });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: [{ type: 'header', text: plain('Sitehand') }] },
    });
  });
}

describe.each([
  ['Socket Mode', socketApp],
  ['signed HTTP', httpApp],
] as const)('a Bolt app over %s', (_, start) => {
  it('goes from command to form to message to button to thread', async () => {
    const { slack, tiny } = await workspace(start);
    play(tiny.app);
    const sent = await slack.command('U01ANA', 'C0ACME', '/site cache clear');
    expect(sent).toMatchObject({ acked: true, payload: { command: '/site', text: 'cache clear' } });
    await slack.until(() => slack.views('U01ANA').modals[0]);
    expect(slack.views('U02BEN').modals).toEqual([]);

    expect(await slack.submit('U01ANA')).toMatchObject({
      delivered: false,
      errors: { env: containing('required') },
    });
    expect(await slack.submit('U01ANA', { Environment: 'acme-shop/live' })).toMatchObject({
      errors: { env: 'Not live.' },
    });
    expect(slack.views('U01ANA').modals[0]?.controls[0]?.error).toBe('Not live.');
    await slack.submit('U01ANA', { Environment: 'acme-shop/staging' });
    expect(slack.views('U01ANA').modals).toEqual([]);

    const card = await slack.until(() => slack.messages({ channel: 'C0ACME', as: 'U03CHI' })[0]);
    expect(card.text).toBe('Clear acme-shop/staging for @Ana & all\n[Approve]');
    await slack.click('U03CHI', card, { label: 'Approve' });
    const thread = await slack.until(() => {
      const all = slack.messages({ channel: 'C0ACME', thread: card.ts, as: 'U03CHI' });
      return all.length > 1 ? all : undefined;
    });
    expect(thread.map((message) => message.text)).toEqual(['Cleared', 'Approved by @Chi']);
    const ephemeral = await slack.until(() => slack.messages({ channel: 'C0ACME', as: 'U03CHI' })[1]);
    expect(ephemeral).toMatchObject({ text: 'Thank you', ephemeral: true });
    expect(slack.messages({ channel: 'C0ACME', as: 'U01ANA' })).toHaveLength(1);
    expect(tiny.errors).toEqual([]);
    expect(slack.problems()).toEqual([]);
  });

  it('receives mentions in threads and opened Homes', async () => {
    const { slack, tiny } = await workspace(start);
    play(tiny.app);
    const root = await slack.say('U01ANA', 'C0OPS', 'look');
    expect(root.delivered).toBe(false);
    await slack.mention('U02BEN', 'C0OPS', 'logs --since 10m', root.ts);
    const reply = await slack.until(() => slack.messages({ channel: 'C0OPS', thread: root.ts, as: 'U01ANA' })[2]);
    expect(reply.text).toBe('heard @Sitehand logs --since 10m');
    await slack.home('U05FAY');
    expect((await slack.until(() => slack.views('U05FAY').home)).text).toBe('Sitehand');
  });

  it('gets a redelivery with the same ids', async () => {
    const { slack, tiny } = await workspace(start);
    const received: string[] = [];
    tiny.app.command('/site', async ({ ack, body }) => {
      received.push(body.trigger_id);
      await ack('ok');
    });
    slack.delivery.duplicates = 3;
    const { envelope, ack } = await slack.command('U01ANA', 'C0ACME', '/site help');
    await slack.until(() => (received.length === 3 ? true : undefined));
    slack.delivery.duplicates = 1;
    expect(await slack.redeliver(envelope ?? '')).toMatchObject({ acked: true });
    expect(new Set(received).size).toBe(1);
    expect(received).toHaveLength(4);
    expect(ack).toBeDefined();
    expect(slack.messages({ channel: 'C0ACME', as: 'U01ANA' }).map((each) => each.text)).toEqual(['ok']);
  });

  it('receives the event of a group’s new members', async () => {
    const { slack, tiny } = await workspace(start);
    const events: unknown[] = [];
    tiny.app.event('subteam_members_changed', async ({ event }) => {
      events.push(event);
    });
    await slack.changeGroup('S0LEADS', ['U03CHI', 'U06ROB']);
    expect(events).toMatchObject([
      { subteam_id: 'S0LEADS', added_users: ['U06ROB'], removed_users: ['U04DEE', 'U05FAY'] },
    ]);
    const { users } = await tiny.app.client.usergroups.users.list({ usergroup: 'S0LEADS' });
    expect(users).toEqual(['U03CHI', 'U06ROB']);
  });
});

describe('the SDK', () => {
  it('uploads a file, pages through people and finds itself', async () => {
    const { slack, tiny } = await workspace(socketApp);
    const { client } = tiny.app;
    const sent = { channel_id: 'C0ACME', filename: 'log.txt', content: 'one line', initial_comment: 'The log' };
    expect((await client.filesUploadV2(sent)).ok).toBe(true);
    expect(slack.files('U01ANA')).toMatchObject([{ name: 'log.txt', text: 'one line' }]);
    const names: unknown[] = [];
    for await (const page of client.paginate('users.list', { limit: 3 }))
      names.push(...listOf(fieldsOf({ ...page })['members']));
    expect(names).toHaveLength(10);
    expect(await client.auth.test()).toMatchObject({ user_id: 'U0SITEHAND', bot_id: 'B0SITEHAND' });
    expect(slack.calls().at(-1)).toMatchObject({ method: 'auth.test', token: 'bot', result: 'ok', args: {} });
  });

  it('learns how long to wait', async () => {
    const { slack, tiny } = await workspace(socketApp);
    slack.faults.add({ method: 'chat.postMessage', kind: 'rate_limited', retryAfter: '7', times: 1 });
    const post = tiny.app.client.apiCall('chat.postMessage', { channel: 'C0OPS', text: 'x' });
    await expect(post).rejects.toMatchObject({ retryAfter: 7 });
  });
});

describe('Socket Mode', () => {
  it('reconnects after a refresh and after a cut connection', async () => {
    const { slack, tiny } = await workspace(socketApp);
    tiny.app.command('/site', ({ ack }) => ack());
    for (const abruptly of [false, true]) {
      slack.disconnectSockets(abruptly);
      expect(await slack.command('U01ANA', 'C0ACME', '/site a')).toMatchObject({ acked: false });
      await slack.connected();
      expect(await slack.command('U01ANA', 'C0ACME', '/site a')).toMatchObject({ acked: true });
    }
  });

  it('shows dispatch_failed while no socket is connected', async () => {
    const slack = await startSlack();
    open.push(slack);
    const outcome = await slack.command('U01ANA', 'C0ACME', '/site help');
    expect(outcome.shown).toBe('/site failed with the error "dispatch_failed"');
    expect(slack.notices()).toMatchObject([{ person: 'U01ANA', text: outcome.shown }]);
    expect(slack.problems()).toMatchObject([{ kind: 'no_ack' }]);
  });

  it('shows operation_timeout without an ack', async () => {
    const slack = await startSlack({ ackTimeoutMs: 60 });
    open.push(slack);
    const tiny = await socketApp(slack);
    open.push({ close: () => tiny.stop() });
    tiny.app.command('/site', async () => {});
    expect((await slack.command('U01ANA', 'C0ACME', '/site')).shown).toContain('operation_timeout');
  });

  it('gives each envelope to one of several connections', async () => {
    const { slack, tiny } = await workspace(socketApp);
    const second = await socketApp(slack);
    open.push({ close: () => second.stop() });
    const received = { first: 0, second: 0 };
    tiny.app.command('/site', async ({ ack }) => {
      received.first += 1;
      await ack();
    });
    second.app.command('/site', async ({ ack }) => {
      received.second += 1;
      await ack();
    });
    for (let index = 0; index < 4; index += 1) await slack.command('U01ANA', 'C0ACME', '/site');
    expect(received).toEqual({ first: 2, second: 2 });
  });
});

describe('signed HTTP', () => {
  it.each(['wrong', 'stale'] as const)('is refused by Bolt when the signature is %s', async (signature) => {
    const { slack, tiny } = await workspace(httpApp);
    let received = 0;
    tiny.app.command('/site', async ({ ack }) => {
      received += 1;
      await ack();
    });
    slack.delivery.signature = signature;
    const outcome = await slack.command('U01ANA', 'C0ACME', '/site');
    expect(outcome).toMatchObject({ acked: false, shown: containing('http_service_error') });
    expect(received).toBe(0);
    slack.delivery.signature = 'right';
    expect(await slack.command('U01ANA', 'C0ACME', '/site')).toMatchObject({ acked: true });
  });
});
