import { escapeTypedText } from '../escape-typed-text.ts';
import { type Fields, isFields, textOf } from '../json-fields.ts';
import { edit as change, findMessage, post } from '../messages.ts';
import { commandPayload, interactionPayload, messagePayload, viewPayload } from '../payloads.ts';
import { Impossible, Refused } from '../refused.ts';
import { respond } from '../response-urls.ts';
import { BOT_USER, TEAM } from '../seed.ts';
import type { Channel, Message, Person } from '../shapes.ts';
import { complain, directMessage } from '../workspace.ts';
import {
  type Outcome,
  type ActionContext,
  CONNECTION_TROUBLE,
  actor,
  channelFor,
  notSent,
  send,
  sendEvent,
} from './context.ts';

const FAILED: Readonly<Record<string, string>> = {
  timeout: 'operation_timeout',
  not_connected: 'dispatch_failed',
  unreachable: 'dispatch_failed',
};

/** A person sends a slash command; `typed` is the whole line, such as `/site cache clear acme-shop/live`. */
export async function command(
  context: ActionContext,
  personId: string,
  channelId: string,
  typed: string,
): Promise<Outcome> {
  const { workspace, responseUrls } = context;
  const person = actor(workspace, personId);
  const channel = channelFor(workspace, person, channelId);
  const [, name, rest = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  if (name === undefined) throw new Impossible('a slash command begins with a slash');
  if (channel.archived) throw new Impossible(`#${channel.name} is archived`);
  const payload = commandPayload(person, channel, {
    command: name,
    text: context.escapes ? escapeTypedText(workspace, rest) : rest,
    triggerId: workspace.triggers.issue(person.id),
    responseUrl: responseUrls.issue({ channel: channel.id, person: person.id }),
  });
  const failed = (failure: string): string =>
    `${name} failed with the error "${FAILED[failure] ?? 'http_service_error'}"`;
  const outcome = await send(context, person, { kind: 'slash_commands', payload, wantsAnswer: true }, failed);
  if (outcome.acked) showAck(context, channel.id, person.id, outcome.ack);
  return outcome;
}

/** A command's ack may contain a message, private or public; plain text is private. */
function showAck({ workspace }: ActionContext, channel: string, person: string, ack: unknown): void {
  const answer: Fields = isFields(ack) ? ack : { text: textOf(ack) };
  if (Object.values(answer).every((value) => value === '')) return;
  try {
    respond(workspace, { channel, person }, answer);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(workspace, 'invalid_ack', `the ack of a command: ${error.message}`);
  }
}

/** A person posts a message. A mention of the bot or a direct message reaches the app as an event. */
export async function say(
  context: ActionContext,
  personId: string,
  channelId: string,
  typed: string,
  threadTs?: string,
): Promise<Outcome & { readonly ts: string }> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  const channel = channelFor(workspace, person, channelId);
  if (channel.archived) throw new Impossible(`#${channel.name} is archived`);
  const text = escapeTypedText(workspace, typed);
  const message = post(workspace, { channel: channel.id, author: person.id, text, threadTs });
  const outcome = await sendMessageEvent(context, channel, person, message);
  return { ...outcome, ts: message.ts };
}

/**
 * A person edits their own message. If it now mentions the bot, the app gets the mention again: with a new event id,
 * the same time stamp, and who edited it when. Apps that read the channel's messages also get the change.
 */
export async function edit(
  context: ActionContext,
  personId: string,
  channelId: string,
  ts: string,
  typed: string,
): Promise<Outcome> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  const channel = channelFor(workspace, person, channelId);
  if (channel.archived) throw new Impossible(`#${channel.name} is archived`);
  const before = findMessage(workspace, channel.id, ts);
  if (before?.author !== person.id) throw new Impossible(`${person.real_name} has no message ${ts} there to edit`);
  const edited = change(workspace, before, { text: escapeTypedText(workspace, typed), edited: workspace.nextTs() });
  await sendMessageChanged(context, channel, person, before, edited);
  return channel.kind === 'im' ? notSent() : sendMessageEvent(context, channel, person, edited);
}

/** A new or edited message, as an app sees it that does not read the channel. */
function sendMessageEvent(
  context: ActionContext,
  channel: Channel,
  person: Person,
  message: Message,
): Promise<Outcome> {
  const direct = channel.kind === 'im';
  const type = direct ? 'message' : 'app_mention';
  const { text, ts, threadTs, edited } = message;
  const event = {
    type,
    user: person.id,
    team: person.team_id,
    text,
    ts,
    event_ts: edited ?? ts,
    channel: channel.id,
    ...(direct ? { channel_type: 'im' } : {}),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    ...(edited === undefined ? {} : { edited: { user: person.id, ts: edited } }),
    source_team: TEAM.id,
  };
  const interaction = channel.members.includes(BOT_USER) && (direct || text.includes(`<@${BOT_USER}`));
  return sendEvent(context, person, interaction ? type : 'nothing', event);
}

const READ_AS = { public: 'channel', private: 'group', im: 'im' } as const;
const SUBSCRIBED_AS = { public: 'message.channels', private: 'message.groups', im: 'message.im' } as const;

async function sendMessageChanged(
  context: ActionContext,
  channel: Channel,
  person: Person,
  before: Message,
  edited: Message,
): Promise<void> {
  if (!channel.members.includes(BOT_USER)) return;
  await sendEvent(context, person, SUBSCRIBED_AS[channel.kind], {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel: channel.id,
    channel_type: READ_AS[channel.kind],
    ts: edited.edited,
    event_ts: edited.edited,
    message: messagePayload(edited),
    previous_message: messagePayload(before),
  });
}

/** A person writes `@Sitehand …`. */
export const mention = (
  context: ActionContext,
  personId: string,
  channelId: string,
  text: string,
  threadTs?: string,
): ReturnType<typeof say> => say(context, personId, channelId, `<@${BOT_USER}> ${text}`, threadTs);

/** A person picks a global shortcut of the app. */
export async function shortcut(context: ActionContext, personId: string, callbackId: string): Promise<Outcome> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  const payload = {
    ...interactionPayload('shortcut', person),
    action_ts: workspace.nextTs(),
    callback_id: callbackId,
    trigger_id: workspace.triggers.issue(person.id),
  };
  return send(context, person, { kind: 'interactive', payload, wantsAnswer: false }, () => CONNECTION_TROUBLE);
}

/** A person opens the app's Home tab. */
export async function home(context: ActionContext, personId: string): Promise<Outcome> {
  const { workspace } = context;
  const person = actor(workspace, personId);
  const view = workspace.homes.get(person.id);
  return sendEvent(context, person, 'app_home_opened', {
    type: 'app_home_opened',
    user: person.id,
    channel: directMessage(workspace, person.id).id,
    tab: 'home',
    event_ts: workspace.nextTs(),
    ...(view === undefined ? {} : { view: viewPayload(view) }),
  });
}
