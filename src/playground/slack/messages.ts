import { withIds } from './block-kit/ids.ts';
import { type Fields, objectsOf } from './json-fields.ts';
import type { Message } from './shapes.ts';
import type { Workspace } from './workspace.ts';

/** What a message's author sets; `post` fills in the rest. */
export type Draft = Pick<Message, 'channel' | 'author' | 'text'> &
  Partial<Pick<Message, 'blocks' | 'attachments' | 'metadata' | 'files' | 'threadTs' | 'onlyFor'>>;

const KEPT = 10_000;

/** Adds a message to its channel; the newest 10,000 of a channel are kept. */
export function post(workspace: Workspace, draft: Draft): Message {
  const message: Message = {
    metadata: undefined,
    files: [],
    threadTs: undefined,
    onlyFor: undefined,
    ...draft,
    ...withBlockIds(workspace, draft),
    ts: workspace.nextTs(),
    edited: undefined,
    deleted: false,
    values: new Map(),
  };
  const all = workspace.messages.get(message.channel) ?? [];
  all.push(message);
  if (all.length > KEPT) all.shift();
  workspace.messages.set(message.channel, all);
  emitMessage(workspace, message, true);
  return message;
}

/** The message with this time stamp, if it exists and is not deleted. */
export function findMessage(workspace: Workspace, channel: string, ts: string): Message | undefined {
  return workspace.messages.get(channel)?.find((message) => message.ts === ts && !message.deleted);
}

/** Replaces the given fields of a message. */
export function edit(workspace: Workspace, message: Message, change: Partial<Message>): Message {
  const all = workspace.messages.get(message.channel) ?? [];
  const edited = { ...message, ...change, ...withBlockIds(workspace, { ...message, ...change }) };
  const index = all.findIndex((each) => each.ts === message.ts);
  if (index >= 0) all[index] = edited;
  emitMessage(workspace, edited, false);
  return edited;
}

/** Every interactive block of a message, including those in attachments. */
export const blocksIn = (message: Pick<Message, 'blocks' | 'attachments'>): readonly Fields[] => [
  ...message.blocks,
  ...message.attachments.flatMap((attachment) => objectsOf(attachment['blocks'])),
];

function withBlockIds(workspace: Workspace, draft: Partial<Message>): Pick<Message, 'blocks' | 'attachments'> {
  const nextId = (): string => workspace.nextId('b');
  return {
    blocks: withIds(draft.blocks, nextId),
    attachments: objectsOf(draft.attachments).map((attachment) =>
      attachment['blocks'] === undefined
        ? attachment
        : { ...attachment, blocks: withIds(attachment['blocks'], nextId) },
    ),
  };
}

const emitMessage = (workspace: Workspace, message: Message, isNew: boolean): void =>
  workspace.events.emit('message', {
    channel: message.channel,
    ts: message.ts,
    thread: message.threadTs,
    only_for: message.onlyFor,
    is_new: isNew,
  });
