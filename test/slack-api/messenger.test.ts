import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { TOKENS } from '../../src/playground/slack/options.ts';
import type { Note } from '../../src/change/card.ts';
import { Undeliverable, type Messenger } from '../../src/post/messenger.ts';
import { clientOptions } from '../../src/slack-api/calls.ts';
import { createChannelLook } from '../../src/slack-api/channel-access.ts';
import { createMessenger } from '../../src/slack-api/messenger.ts';
import { slackPace } from '../../src/slack-api/rate-limits.ts';
import { say } from '../../src/words/text.ts';

const note = (text: string): Note => ({
  text: say`${text}`,
  buttons: [{ label: 'Again', press: { kind: 'run', args: ['help'] } }],
});
let slack: SlackStandIn;
let messenger: Messenger;
const token: boolean[] = [];
beforeEach(async () => {
  slack = await startSlack();
  token.length = 0;
  const client = new WebClient(TOKENS.bot, clientOptions(slack.apiUrl));
  const onToken = (isTaken: boolean): void => void token.push(isTaken);
  const lookAt = createChannelLook({ client, freshMs: 0, onToken });
  const pace = { ...slackPace, postEveryMs: 0 };
  messenger = createMessenger({ client, now: Date.now, pace, replicas: () => 1, lookAt, onToken });
});
afterEach(() => slack.close());

const refusal = async (note: Promise<unknown>): Promise<unknown> => {
  const error = await note.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  return error instanceof Undeliverable ? [error.kind, error.message, ...(error.why ? [error.why] : [])] : error;
};
const posts = (): number => slack.calls().filter(({ method }) => method === 'chat.postMessage').length;

it('an edit with refused blocks becomes plain text, without the previous blocks and buttons', async () => {
  const place = await messenger.post({ channel: 'C0ACME' }, note('before'));
  slack.faults.add({ method: 'chat.update', kind: 'error', error: 'invalid_arguments', times: 1 });
  await messenger.edit(place, note('after'));
  const [seen] = slack.messages({ channel: 'C0ACME', as: 'U01ANA' });
  expect(seen).toMatchObject({ text: 'after', blocks: [], controls: [] });
});

it.each([
  ['reads', { shared: true }],
  ['is invited to', { invited: true }],
])('nothing is posted in a channel that another organisation %s', async (_, change) => {
  const place = await messenger.post({ channel: 'C0ACME' }, note('before'));
  slack.changeChannel('C0ACME', change);
  expect(await refusal(messenger.post({ channel: 'C0ACME' }, note('x')))).toEqual(['gone', 'is_ext_shared', 'shared']);
  expect(await refusal(messenger.edit(place, note('x')))).toEqual(['gone', 'is_ext_shared', 'shared']);
  expect(posts()).toBe(1);
  await messenger.post({ person: 'U01ANA' }, note('elsewhere'));
});

it('if Slack can’t say now who reads a channel, it is asked again; a server that never says is not', async () => {
  const info = { method: 'conversations.info', kind: 'error', times: 1 } as const;
  slack.faults.add({ ...info, error: 'internal_error' });
  expect(await refusal(messenger.post({ channel: 'C0ACME' }, note('x')))).toEqual(['later', 'internal_error']);
  slack.faults.add({ ...info, kind: 'reset' });
  expect(await refusal(messenger.post({ channel: 'C0ACME' }, note('x')))).toEqual(['later', expect.any(String)]);
  expect(posts()).toBe(0);
  slack.faults.add({ ...info, error: 'missing_scope' });
  await messenger.post({ channel: 'C0ACME' }, note('x'));
});

it.each([
  ['fatal_error', 'later'],
  ['msg_too_long', 'drawing'],
  ['account_inactive', 'token'],
  ['restricted_action_thread_locked', 'gone'],
])('%s of a post means %s', async (error, kind) => {
  slack.faults.add({ method: 'chat.postMessage', kind: 'error', error });
  expect(await refusal(messenger.post({ channel: 'C0ACME' }, note('x')))).toEqual([kind, error]);
});

it('a page of HTML is no answer of Slack, whatever its status', async () => {
  slack.faults.add({ method: 'chat.postMessage', kind: 'html', status: 200, times: 1 });
  expect(await refusal(messenger.post({ channel: 'C0ACME' }, note('x')))).toEqual([
    'later',
    expect.stringMatching(/html/i),
  ]);
});

it('every call reports whether the token was accepted', async () => {
  slack.faults.add({ method: 'chat.postMessage', kind: 'error', error: 'token_revoked', times: 1 });
  await refusal(messenger.post({ channel: 'C0ACME' }, note('x')));
  await messenger.post({ channel: 'C0ACME' }, note('x'));
  expect(token).toEqual([false, true]);
});
