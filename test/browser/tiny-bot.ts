import { App, type BlockAction, HTTPReceiver, SocketModeReceiver } from '@slack/bolt';

/** A bot that posts an example of everything that the page must draw. It knows only its environment variables. */

const given = (name: string): string => process.env[name] ?? '';
const slackApiUrl = given('SLACK_API_URL');
const appToken = given('SLACK_APP_TOKEN');
const receiver =
  appToken === ''
    ? new HTTPReceiver({
        signingSecret: given('SLACK_SIGNING_SECRET'),
        customRoutes: [{ path: '/readyz', method: 'GET', handler: (_request, response) => void response.end('ready') }],
      })
    : new SocketModeReceiver({ appToken, installerOptions: { clientOptions: { slackApiUrl } } });
const app = new App({
  receiver,
  token: given('SLACK_BOT_TOKEN'),
  botId: 'B0SITEHAND',
  botUserId: 'U0SITEHAND',
  clientOptions: { slackApiUrl },
});

const plain = (text: string): { type: 'plain_text'; text: string } => ({ type: 'plain_text', text });
const option = (value: string): { text: { type: 'plain_text'; text: string }; value: string } => ({
  text: plain(`The ${value}`),
  value,
});
const hostile = '<img src=x onerror=alert(1)> & <b>not bold</b>';

const card = (marked: string) => [
  { type: 'header' as const, text: plain(`Card ${hostile}`) },
  {
    type: 'rich_text' as const,
    elements: [
      {
        type: 'rich_text_section' as const,
        elements: [
          { type: 'text' as const, text: hostile },
          { type: 'text' as const, text: 'loud', style: { bold: true } },
          { type: 'user' as const, user_id: 'U03CHI' },
        ],
      },
    ],
  },
  {
    type: 'section' as const,
    text: { type: 'mrkdwn' as const, text: '*bold* `a<b` &lt;i&gt; <javascript:alert(1)|bad>' },
  },
  { type: 'context' as const, elements: [plain(marked)] },
  {
    type: 'actions' as const,
    elements: [
      {
        type: 'button' as const,
        action_id: 'press',
        text: plain('Press'),
        value: 'pressed',
        confirm: {
          title: plain('Sure?'),
          text: plain(`Really ${hostile}`),
          confirm: plain('Do it'),
          deny: plain('Go back'),
        },
      },
    ],
  },
];

const form = {
  type: 'modal' as const,
  callback_id: 'form',
  title: plain('A form'),
  submit: plain('Send it'),
  blocks: [
    {
      type: 'input' as const,
      block_id: 'name',
      label: plain('Name'),
      element: { type: 'plain_text_input' as const, action_id: 'name' },
    },
    {
      type: 'input' as const,
      block_id: 'size',
      label: plain('Size'),
      element: { type: 'static_select' as const, action_id: 'size', options: [option('small'), option('large')] },
    },
    {
      type: 'input' as const,
      block_id: 'site',
      label: plain('Site'),
      element: { type: 'external_select' as const, action_id: 'site', min_query_length: 1 },
    },
    {
      type: 'input' as const,
      block_id: 'extras',
      label: plain('Extras'),
      optional: true,
      element: { type: 'checkboxes' as const, action_id: 'extras', options: [option('salt'), option('pepper')] },
    },
    {
      type: 'input' as const,
      block_id: 'day',
      label: plain('Day'),
      optional: true,
      element: { type: 'datepicker' as const, action_id: 'day' },
    },
  ],
};

app.command('/site', async ({ ack, command, client }) => {
  await ack(
    command.text === 'private'
      ? `Only for you: ${hostile.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`
      : undefined,
  );
  if (command.text === 'crash') process.exit(7);
  if (command.text === 'environment') process.stdout.write(`ENVIRONMENT ${JSON.stringify(process.env)}\n`);
  if (command.text === 'form') await client.views.open({ trigger_id: command.trigger_id, view: form });
  if (command.text !== 'card') return;
  const posted = await client.chat.postMessage({ channel: command.channel_id, text: 'card', blocks: card('waiting') });
  if (posted.ts !== undefined)
    await client.chat.postMessage({ channel: command.channel_id, text: 'A reply below it', thread_ts: posted.ts });
});
app.action<BlockAction>('press', async ({ ack, body, client }) => {
  await ack();
  await fetch(`${given('HOSTING_API_URL')}/sites/tools/clear-cache`, {
    method: 'POST',
    headers: { authorization: `Bearer ${given('HOSTING_API_KEY')}` },
    body: JSON.stringify({ environment_id: hostile }),
  });
  const { channel, message } = body;
  if (channel === undefined) await client.chat.postMessage({ channel: body.user.id, text: 'pressed on the Home tab' });
  if (channel !== undefined && message !== undefined)
    await client.chat.update({
      channel: channel.id,
      ts: message.ts,
      text: 'card',
      blocks: card(`pressed by ${body.user.id}`),
    });
});
app.options<'block_suggestion'>({ action_id: 'site' }, async ({ ack, payload }) => {
  const fitting = ['acme', 'bakery'].filter((site) => site.startsWith(payload.value));
  await ack({ options: fitting.map(option) });
});
app.view('form', async ({ ack, view, client }) => {
  const { name, size, site, extras, day } = view.state.values;
  if (name?.['name']?.value === 'wrong') {
    await ack({ response_action: 'errors', errors: { name: 'That is the wrong name.' } });
    return;
  }
  await ack();
  const said = [
    name?.['name']?.value,
    size?.['size']?.selected_option?.value,
    site?.['site']?.selected_option?.value,
    extras?.['extras']?.selected_options?.map((each) => each.value).join('+'),
    day?.['day']?.selected_date,
  ];
  await client.chat.postMessage({ channel: 'C0ACME', text: `Form: ${said.join(', ')}` });
});
app.event('app_home_opened', async ({ event, client }) => {
  await client.views.publish({
    user_id: event.user,
    view: { type: 'home', blocks: card(`the home of ${event.user}`) },
  });
});
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void app.stop().then(() => process.exit(0)));
await app.start(Number(given('PORT')));
