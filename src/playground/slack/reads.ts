import { elementsOf } from './block-kit/check.ts';
import { isInput, optionsOf } from './inputs.ts';
import { type Fields, fieldsOf, objectsOf, textOf, wordOf } from './json.ts';
import { createLooks } from './looks.ts';
import { blocksIn } from './messages.ts';
import { Impossible } from './refused.ts';
import { type Names, blocksText, mrkdwnText, namesIn, textObject } from './render-text.ts';
import type { Message, Values, View } from './shapes.ts';
import { blocksOf, stackOf, titleOf } from './views.ts';
import { type Workspace, canSee, directMessageId } from './workspace.ts';

/** An element to press or fill in. `value` is a button's value or an input's content. */
type SeenControl = {
  readonly type: string;
  readonly label: string;
  readonly block_id: string;
  readonly action_id: string;
  readonly value: unknown;
  readonly options?: readonly string[];
  readonly url?: string;
  readonly style?: string;
  readonly confirm?: string;
  readonly error?: string;
};

/** A message as one person sees it; `text` is what they read, without markup. */
export type SeenMessage = {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts: string | undefined;
  readonly author: string;
  readonly text: string;
  /** The notification: the message's own text, as the app sent it. */
  readonly notification: string;
  readonly ephemeral: boolean;
  readonly edited: boolean;
  readonly replies: number;
  readonly controls: readonly SeenControl[];
  readonly files: readonly string[];
  readonly blocks: readonly Fields[];
  readonly attachments: readonly Fields[];
};

/** What a person reads in a message, and its controls before they fill anything in. */
type Look = Pick<SeenMessage, 'text' | 'controls'>;

/** A modal or App Home as its person sees it. */
export type SeenView = {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly submit: string | undefined;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly text: string;
  readonly controls: readonly SeenControl[];
  readonly blocks: readonly Fields[];
};

/** A file a person can see. */
export type SeenFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly text: string;
  readonly channels: readonly string[];
};

/** An element's label for people: its own text, or the label or text of its block. */
export function labelOf(block: Fields, element: Fields, names: Names): string {
  return (
    textObject(element['text'], names) ||
    textObject(block['label'], names) ||
    textObject(element['placeholder'], names) ||
    textObject(block['text'], names)
  );
}

/** The elements to press or fill in, in these blocks. */
function controlsOf(
  blocks: readonly Fields[],
  values: Values,
  names: Names,
  errors: Fields = {},
): readonly SeenControl[] {
  return blocks.flatMap((block) =>
    elementsOf(block).map((element): SeenControl => {
      const blockId = textOf(block['block_id']);
      const actionId = textOf(element['action_id']);
      const held = fieldsOf(values.get(blockId)?.get(actionId));
      const options = optionsOf(element).map((option) => textObject(option['text'], names));
      const optional = {
        ...(options.length > 0 ? { options } : {}),
        ...(typeof element['url'] === 'string' ? { url: element['url'] } : {}),
        ...(typeof element['style'] === 'string' ? { style: element['style'] } : {}),
        ...(element['confirm'] === undefined
          ? {}
          : { confirm: textObject(fieldsOf(element['confirm'])['text'], names) }),
        ...(typeof errors[blockId] === 'string' ? { error: errors[blockId] } : {}),
      };
      const value = isInput(element) ? Object.entries(held).find(([key]) => key !== 'type')?.[1] : element['value'];
      return {
        type: textOf(element['type']),
        label: labelOf(block, element, names),
        block_id: blockId,
        action_id: actionId,
        value,
        ...optional,
      };
    }),
  );
}

/** Which messages to read: of a channel or one of its threads; the newest `limit`, or all. */
export type AskedMessages = {
  readonly channel: string;
  readonly thread?: string;
  readonly as: string;
  readonly limit?: number;
};

/** Reads what a person sees in a channel or thread, oldest first. Throws `Impossible` if they cannot see it. */
export function createReader(workspace: Workspace): (asked: AskedMessages) => readonly SeenMessage[] {
  const names = namesIn(workspace);
  const lookOf = createLooks(workspace, (message) => ({
    text: readable(message, names),
    controls: controlsOf(blocksIn(message), new Map(), names),
  }));
  return (asked) => {
    const channel = workspace.channels.get(asked.channel);
    if (channel === undefined && asked.channel === directMessageId(asked.as)) return [];
    if (channel === undefined || !canSee(workspace, asked.as, channel))
      throw new Impossible(`${asked.as} cannot see a channel ${asked.channel}`);
    const all = (workspace.messages.get(channel.id) ?? []).filter(
      (message) => !message.deleted && (message.onlyFor === undefined || message.onlyFor === asked.as),
    );
    const wanted = all.filter((message) =>
      asked.thread === undefined
        ? message.threadTs === undefined
        : message.ts === asked.thread || message.threadTs === asked.thread,
    );
    const replies = Map.groupBy(all, ({ threadTs }) => threadTs);
    return wanted.slice(-(asked.limit ?? wanted.length)).map((message) => {
      const filledIn = message.values.get(asked.as);
      return {
        ...described(workspace, message, replies.get(message.ts)?.length ?? 0),
        ...lookOf(message),
        ...(filledIn && { controls: controlsOf(blocksIn(message), filledIn, names) }),
      };
    });
  };
}

/** A message, but for its look. */
function described(workspace: Workspace, message: Message, replies: number): Omit<SeenMessage, keyof Look> {
  return {
    channel: message.channel,
    ts: message.ts,
    thread_ts: message.threadTs,
    author: message.author,
    notification: message.text,
    ephemeral: message.onlyFor !== undefined,
    edited: message.edited !== undefined,
    replies,
    files: message.files.map((id) => workspace.files.get(id)?.name ?? id),
    blocks: message.blocks,
    attachments: message.attachments,
  };
}

/** Blocks replace a message's text, but not its attachments. */
function readable(message: Message, names: Names): string {
  const said = message.blocks.length > 0 ? blocksText(message.blocks, names) : mrkdwnText(message.text, names);
  const attached = message.attachments.map((attachment) =>
    attachment['blocks'] === undefined
      ? mrkdwnText(textOf(attachment['text']) || textOf(attachment['fallback']), names)
      : blocksText(objectsOf(attachment['blocks']), names),
  );
  return [said, ...attached].filter((part) => part !== '').join('\n');
}

/** A view as its person sees it. */
function seenView(workspace: Workspace, view: View): SeenView {
  const names = namesIn(workspace);
  return {
    id: view.id,
    type: textOf(view.content['type']),
    title: titleOf(view),
    submit: wordOf(textObject(view.content['submit'], names)),
    callback_id: textOf(view.content['callback_id']),
    private_metadata: textOf(view.content['private_metadata']),
    text: blocksText(blocksOf(view), names),
    controls: controlsOf(blocksOf(view), view.values, names, view.errors),
    blocks: blocksOf(view),
  };
}

/** A person's open modals, topmost last, and their App Home. */
export function readViews(
  workspace: Workspace,
  person: string,
): { readonly modals: readonly SeenView[]; readonly home: SeenView | undefined } {
  const home = workspace.homes.get(person);
  return {
    modals: stackOf(workspace, person).map((view) => seenView(workspace, view)),
    home: home && seenView(workspace, home),
  };
}

/** The files shared where a person can see them. */
export function readFiles(workspace: Workspace, person: string): readonly SeenFile[] {
  return [...workspace.files.values()].flatMap(({ id, name, title, content, complete, channels }) => {
    const visible = channels.some((channelId) => {
      const channel = workspace.channels.get(channelId);
      return channel !== undefined && canSee(workspace, person, channel);
    });
    if (!complete || !visible || content === undefined) return [];
    return [{ id, name, title, size: content.length, text: content.toString(), channels }];
  });
}
