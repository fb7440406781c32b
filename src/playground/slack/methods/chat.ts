import { LIMITS } from '../block-kit/limits.ts';
import { checkedContent } from '../message-content.ts';
import { addFiles } from '../files.ts';
import { type Fields, listOf, textOf, nonEmptyTextOf } from '../json-fields.ts';
import { edit, findMessage, post } from '../messages.ts';
import { messagePayload } from '../payloads.ts';
import { Refused } from '../refused.ts';
import { BOT_USER, TEAM } from '../seed.ts';
import type { Channel, Message } from '../shapes.ts';
import type { Workspace } from '../workspace.ts';
import { type Context, type Methods, knownPerson, page, required, visibleChannel, writableChannel } from './method.ts';

/** chat.update accepts shorter texts than chat.postMessage. */
const UPDATED_TEXT = 4000;

/**
 * The thread of any message in it. A deleted root with replies remains a thread. A reply to one without goes into the
 * channel itself, or is refused in a channel with `strictThreads`.
 */
function threadOf(workspace: Workspace, channel: Channel, args: Fields): string | undefined {
  const ts = nonEmptyTextOf(args['thread_ts']);
  if (ts === undefined) return undefined;
  const messages = workspace.messages.get(channel.id) ?? [];
  const parent = messages.find((message) => message.ts === ts);
  const thread = parent && (parent.threadTs ?? parent.ts);
  const isLost = parent?.deleted === true && !messages.some(({ threadTs, deleted }) => threadTs === thread && !deleted);
  if (thread === undefined || (isLost && channel.strictThreads === true)) throw new Refused('thread_not_found');
  return isLost ? undefined : thread;
}

/** The id of a channel given by id or as `#name`. */
function channelIn({ channels }: Workspace, args: Fields): string {
  const idOrName = required(args, 'channel');
  return [...channels.values()].find(({ name }) => idOrName === `#${name}`)?.id ?? idOrName;
}

/** Markdown replaces text and blocks. Refuses `markdown_text_conflict` if both are given, and `msg_too_long`. */
function withMarkdown(args: Fields): Fields {
  const { markdown_text: markdown, ...others } = args;
  if (markdown === undefined) return args;
  if (others['text'] !== undefined || others['blocks'] !== undefined) throw new Refused('markdown_text_conflict');
  if (textOf(markdown).length > LIMITS.markdown) throw new Refused('msg_too_long');
  return { ...others, text: markdown, blocks: [{ type: 'markdown', text: markdown }] };
}

function postMessage(context: Context, args: Fields): Fields {
  const { workspace } = context;
  const channel = writableChannel(context, channelIn(workspace, args));
  const content = checkedContent(withMarkdown(args));
  const threadTs = threadOf(workspace, channel, args);
  obeyPosting(channel, threadTs !== undefined);
  const message = post(workspace, { ...content, channel: channel.id, author: BOT_USER, threadTs });
  return { channel: channel.id, ts: message.ts, message: messagePayload(message) };
}

/** Enforces a channel's posting rules; the app is never among the exceptions. */
function obeyPosting({ posting }: Channel, isReply: boolean): void {
  const isRefused = posting === 'read_only' || (isReply ? posting === 'non_threadable' : posting === 'thread_only');
  if (isRefused) throw new Refused(`restricted_action_${posting}_channel`);
}

/** The bot's own message. Refuses `message_not_found`, or `refusal` if it is somebody else's. */
function ownMessage(workspace: Workspace, args: Fields, refusal: string): Message {
  const channel = visibleChannel(workspace, required(args, 'channel'));
  const message = findMessage(workspace, channel.id, required(args, 'ts'));
  if (message === undefined || message.onlyFor !== undefined) throw new Refused('message_not_found');
  if (message.author !== BOT_USER) throw new Refused(refusal);
  if (channel.archived) throw new Refused('is_archived');
  return message;
}

function update({ workspace }: Context, args: Fields): Fields {
  const message = ownMessage(workspace, args, 'cant_update_message');
  // Absent fields stay as they are; an empty list removes them.
  const next = { text: message.text, blocks: message.blocks, attachments: message.attachments, ...args };
  const content = checkedContent(next, UPDATED_TEXT);
  const metadata = content.metadata ?? message.metadata;
  const files = addFiles(workspace, message, listOf(args['file_ids']).map(textOf));
  const edited = edit(workspace, message, { ...content, metadata, files, edited: workspace.nextTs() });
  return { channel: edited.channel, ts: edited.ts, text: edited.text, message: messagePayload(edited) };
}

function remove({ workspace }: Context, args: Fields): Fields {
  const message = ownMessage(workspace, args, 'cant_delete_message');
  edit(workspace, message, { deleted: true });
  return { channel: message.channel, ts: message.ts };
}

function postEphemeral(context: Context, args: Fields): Fields {
  const { workspace } = context;
  const channel = writableChannel(context, required(args, 'channel'));
  const person = knownPerson(workspace, required(args, 'user'));
  if (!channel.members.includes(person.id)) throw new Refused('user_not_in_channel');
  const draft = { ...checkedContent(args), channel: channel.id, author: BOT_USER, onlyFor: person.id };
  const message = post(workspace, { ...draft, threadTs: threadOf(workspace, channel, args) });
  return { message_ts: message.ts };
}

function getPermalink({ workspace }: Context, args: Fields): Fields {
  const channel = visibleChannel(workspace, required(args, 'channel'));
  const message = findMessage(workspace, channel.id, required(args, 'message_ts'));
  if (message === undefined || message.onlyFor !== undefined) throw new Refused('message_not_found');
  const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`;
  const at = `p${message.ts.replace('.', '')}${thread}`;
  return { channel: channel.id, permalink: `https://${TEAM.domain}.slack.com/archives/${channel.id}/${at}` };
}

/** A channel's public messages between `oldest` and `latest`, oldest first. */
function history({ workspace }: Context, args: Fields): readonly Message[] {
  const channel = visibleChannel(workspace, required(args, 'channel'));
  if (!channel.members.includes(BOT_USER)) throw new Refused('not_in_channel');
  const latest = nonEmptyTextOf(args['latest']) ?? '~';
  return (workspace.messages.get(channel.id) ?? []).filter(
    ({ ts, deleted, onlyFor }) => !deleted && onlyFor === undefined && ts >= textOf(args['oldest']) && ts <= latest,
  );
}

function firstPage(messages: readonly Message[], args: Fields): Fields {
  const { items, next } = page(messages, args);
  return { messages: items.map(messagePayload), has_more: items.length < messages.length, ...next };
}

function replies(context: Context, args: Fields): Fields {
  const root = required(args, 'ts');
  const thread = history(context, args).filter((message) => message.ts === root || message.threadTs === root);
  if (thread.length === 0) throw new Refused('thread_not_found');
  return firstPage(thread, args);
}

const channelHistory = (context: Context, args: Fields): Fields =>
  firstPage(
    history(context, args)
      .filter((message) => message.threadTs === undefined)
      .toReversed(),
    args,
  );

const write = { token: 'bot', scope: 'chat:write' } as const;

/** Messages: posting, editing, deleting, reading back. https://docs.slack.dev/reference/methods/chat.postMessage */
export const CHAT: Methods = {
  'chat.postMessage': { ...write, run: postMessage },
  'chat.update': { ...write, run: update },
  'chat.delete': { ...write, run: remove },
  'chat.postEphemeral': { ...write, run: postEphemeral },
  'chat.getPermalink': { token: 'bot', run: getPermalink },
  'conversations.replies': { token: 'bot', scope: 'channels:history', run: replies },
  'conversations.history': { token: 'bot', scope: 'channels:history', run: channelHistory },
};
