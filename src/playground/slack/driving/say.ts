import { escaped } from '../escape.ts';
import { type Fields, isFields, textOf } from '../json.ts';
import { post } from '../messages.ts';
import { commandPayload, interactionPayload, viewPayload } from '../payloads.ts';
import { Impossible, Refused } from '../refused.ts';
import { respond } from '../response-urls.ts';
import { BOT_USER, TEAM } from '../seed.ts';
import { complain, directMessage } from '../workspace.ts';
import { type Outcome, type Stage, TROUBLE, actor, channelFor, send, tellEvent } from './stage.ts';

const FAILED: Readonly<Record<string, string>> = {
  timeout: 'operation_timeout',
  not_connected: 'dispatch_failed',
  unreachable: 'dispatch_failed',
};

/** Somebody sends a slash command: `typed` is the whole line, such as `/site cache clear acme-shop/live`. */
export async function command(stage: Stage, personId: string, channelId: string, typed: string): Promise<Outcome> {
  const { workspace, responseUrls } = stage;
  const person = actor(workspace, personId);
  const channel = channelFor(workspace, person, channelId);
  const [, name, rest = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(typed.trim()) ?? [];
  if (name === undefined) throw new Impossible('a slash command begins with a slash');
  if (channel.archived) throw new Impossible(`#${channel.name} is archived`);
  const payload = commandPayload(person, channel, {
    command: name,
    text: stage.escapes ? escaped(workspace, rest) : rest,
    triggerId: workspace.triggers.issue(person.id),
    responseUrl: responseUrls.issue({ channel: channel.id, person: person.id }),
  });
  const failed = (failure: string): string =>
    `${name} failed with the error "${FAILED[failure] ?? 'http_service_error'}"`;
  const outcome = await send(stage, person, { kind: 'slash_commands', payload, wantsAnswer: true }, failed);
  if (outcome.acked) showAck(stage, channel.id, person.id, outcome.ack);
  return outcome;
}

/** A command's ack may say something, privately or to all; plain text counts as private. */
function showAck({ workspace }: Stage, channel: string, person: string, ack: unknown): void {
  const answer: Fields = isFields(ack) ? ack : { text: textOf(ack) };
  if (Object.values(answer).every((value) => value === '')) return;
  try {
    respond(workspace, { channel, person }, answer);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(workspace, 'invalid_ack', `the ack of a command: ${error.message}`);
  }
}

/** Somebody writes a message; a mention of the bot or a direct message reaches the app as an event. */
export async function say(
  stage: Stage,
  personId: string,
  channelId: string,
  typed: string,
  threadTs?: string,
): Promise<Outcome & { readonly ts: string }> {
  const { workspace } = stage;
  const person = actor(workspace, personId);
  const channel = channelFor(workspace, person, channelId);
  if (channel.archived) throw new Impossible(`#${channel.name} is archived`);
  const text = escaped(workspace, typed);
  const message = post(workspace, { channel: channel.id, author: person.id, text, threadTs });
  const direct = channel.kind === 'im';
  const type = direct ? 'message' : 'app_mention';
  const event = {
    type,
    user: person.id,
    team: person.team_id,
    text,
    ts: message.ts,
    event_ts: message.ts,
    channel: channel.id,
    ...(direct ? { channel_type: 'im' } : {}),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    source_team: TEAM.id,
  };
  const heard = channel.members.includes(BOT_USER) && (direct || text.includes(`<@${BOT_USER}`));
  const outcome = await tellEvent(stage, person, heard ? type : 'nothing', event);
  return { ...outcome, ts: message.ts };
}

/** Somebody writes `@Sitehand …`. */
export const mention = (
  stage: Stage,
  personId: string,
  channelId: string,
  text: string,
  threadTs?: string,
): ReturnType<typeof say> => say(stage, personId, channelId, `<@${BOT_USER}> ${text}`, threadTs);

/** Somebody chooses a global shortcut of the app, from wherever they are. */
export async function shortcut(stage: Stage, personId: string, callbackId: string): Promise<Outcome> {
  const { workspace } = stage;
  const person = actor(workspace, personId);
  const payload = {
    ...interactionPayload('shortcut', person),
    action_ts: workspace.nextTs(),
    callback_id: callbackId,
    trigger_id: workspace.triggers.issue(person.id),
  };
  return send(stage, person, { kind: 'interactive', payload, wantsAnswer: false }, () => TROUBLE);
}

/** Somebody opens the app's Home tab. */
export async function home(stage: Stage, personId: string): Promise<Outcome> {
  const { workspace } = stage;
  const person = actor(workspace, personId);
  const view = workspace.homes.get(person.id);
  return tellEvent(stage, person, 'app_home_opened', {
    type: 'app_home_opened',
    user: person.id,
    channel: directMessage(workspace, person.id).id,
    tab: 'home',
    event_ts: workspace.nextTs(),
    ...(view === undefined ? {} : { view: viewPayload(view) }),
  });
}
