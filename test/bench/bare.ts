import { App, HTTPReceiver, LogLevel, type BlockAction, type ButtonAction, type Logger } from '@slack/bolt';
import { Agent, request } from 'undici';

/**
 * The smallest useful bot on Bolt, as a peer for Sitehand: it verifies a signature, acks, makes one call to the hosting
 * API and posts one message. A click makes a write instead.
 */
const given = (name: string): string => process.env[name] ?? '';
const dispatcher = new Agent({ connections: 32 });
const silent = (): void => {};
const logger: Logger = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  setLevel: silent,
  getLevel: () => LogLevel.ERROR,
  setName: silent,
};
const app = new App({
  receiver: new HTTPReceiver({ signingSecret: given('SLACK_SIGNING_SECRET'), endpoints: '/slack/events', logger }),
  authorize: () => Promise.resolve({ botToken: given('SLACK_BOT_TOKEN'), botId: 'B1', botUserId: 'U1' }),
  clientOptions: { slackApiUrl: given('SLACK_API_URL') },
  logger,
});

async function call(method: 'GET' | 'PUT', path: string): Promise<void> {
  const headers = { authorization: `Bearer ${given('HOSTING_API_KEY')}` };
  const { body } = await request(`${given('HOSTING_API_URL')}${path}`, { method, headers, dispatcher });
  await body.json();
}

/** A button that makes this many calls to Slack and the host, one after the other, before the write. */
const button = (text: string) => ({
  type: 'actions' as const,
  elements: [
    { type: 'button' as const, action_id: 'press', text: { type: 'plain_text' as const, text: 'Press' }, value: text },
  ],
});

app.command(/.*/, async ({ ack, body: { text, channel_id: channel, trigger_id: id }, client }) => {
  await ack();
  if (text.startsWith('button')) {
    await client.chat.postMessage({ channel, text, blocks: [button(text)] });
    return;
  }
  await call('GET', text);
  await client.chat.postMessage({ channel, text: id });
});
app.action<BlockAction<ButtonAction>>(/.*/, async ({ ack, action, body, client }) => {
  await ack();
  const [, slack = '0', host = '0'] = (action.value ?? '').split(' ');
  for (let at = 0; at < Number(slack); at += 1) await client.users.info({ user: body.user.id });
  for (let at = 0; at < Number(host); at += 1) await call('GET', '/sites');
  await call('PUT', '/bare');
});
await app.start(Number(given('PORT')));
