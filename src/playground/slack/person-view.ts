import { elementsOf } from './block-kit/check.ts';
import { isInput } from './inputs.ts';
import { type Fields, fieldsOf, nonEmptyTextOf, objectsOf, optionsOf, textOf } from './json-fields.ts';
import { blocksIn } from './messages.ts';
import { Impossible } from './refused.ts';
import { type Names, blocksText, mrkdwnText, namesIn, textObject } from './render-text.ts';
import type {
  Message,
  Values,
  View,
  VisibleControl,
  VisibleFile,
  VisibleMessage,
  VisibleView,
  VisibleViews,
} from './shapes.ts';
import { blocksOf, stackOf, titleOf } from './views.ts';
import { type Workspace, canSee, directMessageId } from './workspace.ts';

/** What a person reads in a message, and its controls before they fill anything in. */
type Rendered = Pick<VisibleMessage, 'text' | 'controls'>;

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
): readonly VisibleControl[] {
  return blocks.flatMap((block) =>
    elementsOf(block).map((element): VisibleControl => {
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
export type MessageQuery = {
  readonly channel: string;
  readonly thread?: string;
  readonly as: string;
  readonly limit?: number;
};

/** Reads what a person sees in a channel or thread, oldest first. Throws `Impossible` if they cannot see it. */
export function createReader(workspace: Workspace): (query: MessageQuery) => readonly VisibleMessage[] {
  const names = namesIn(workspace);
  const rendered = createRenderCache(workspace, (message) => ({
    text: readable(message, names),
    controls: controlsOf(blocksIn(message), new Map(), names),
  }));
  return (query) => {
    const channel = workspace.channels.get(query.channel);
    if (channel === undefined && query.channel === directMessageId(query.as)) return [];
    if (channel === undefined || !canSee(workspace, query.as, channel))
      throw new Impossible(`${query.as} cannot see a channel ${query.channel}`);
    const all = (workspace.messages.get(channel.id) ?? []).filter(
      (message) => !message.deleted && (message.onlyFor === undefined || message.onlyFor === query.as),
    );
    const wanted = all.filter((message) =>
      query.thread === undefined
        ? message.threadTs === undefined
        : message.ts === query.thread || message.threadTs === query.thread,
    );
    const replies = Map.groupBy(all, ({ threadTs }) => threadTs);
    return wanted.slice(-(query.limit ?? wanted.length)).map((message) => {
      const filledIn = message.values.get(query.as);
      return {
        ...described(workspace, message, replies.get(message.ts)?.length ?? 0),
        ...rendered(message),
        ...(filledIn && { controls: controlsOf(blocksIn(message), filledIn, names) }),
      };
    });
  };
}

/** Renders each version of a message once. An edit makes another `Message`. */
function createRenderCache<Rendered>(
  workspace: Workspace,
  draw: (message: Message) => Rendered,
): (message: Message) => Rendered {
  let cache = new WeakMap<Message, Rendered>();
  workspace.events.subscribe(({ kind }) => {
    // Messages show their names instead of ids.
    if (kind === 'person' || kind === 'group' || kind === 'channel') cache = new WeakMap();
  });
  return (message) => {
    const rendered = cache.get(message) ?? draw(message);
    cache.set(message, rendered);
    return rendered;
  };
}

/** A message without what is rendered from its blocks. */
function described(workspace: Workspace, message: Message, replies: number): Omit<VisibleMessage, keyof Rendered> {
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
  const own = message.blocks.length > 0 ? blocksText(message.blocks, names) : mrkdwnText(message.text, names);
  const attached = message.attachments.map((attachment) =>
    attachment['blocks'] === undefined
      ? mrkdwnText(textOf(attachment['text']) || textOf(attachment['fallback']), names)
      : blocksText(objectsOf(attachment['blocks']), names),
  );
  return [own, ...attached].filter((part) => part !== '').join('\n');
}

/** A view as its person sees it. */
function visibleView(workspace: Workspace, view: View): VisibleView {
  const names = namesIn(workspace);
  return {
    id: view.id,
    type: textOf(view.content['type']),
    title: titleOf(view),
    submit: nonEmptyTextOf(textObject(view.content['submit'], names)),
    callback_id: textOf(view.content['callback_id']),
    private_metadata: textOf(view.content['private_metadata']),
    text: blocksText(blocksOf(view), names),
    controls: controlsOf(blocksOf(view), view.values, names, view.errors),
    blocks: blocksOf(view),
  };
}

/** A person's open modals, topmost last, and their App Home. */
export function readViews(workspace: Workspace, person: string): VisibleViews {
  const home = workspace.homes.get(person);
  return {
    modals: stackOf(workspace, person).map((view) => visibleView(workspace, view)),
    home: home && visibleView(workspace, home),
  };
}

/** The files shared where a person can see them. */
export function readFiles(workspace: Workspace, person: string): readonly VisibleFile[] {
  return [...workspace.files.values()].flatMap(({ id, name, title, content, complete, channels }) => {
    const visible = channels.some((channelId) => {
      const channel = workspace.channels.get(channelId);
      return channel !== undefined && canSee(workspace, person, channel);
    });
    if (!complete || !visible || content === undefined) return [];
    return [{ id, name, title, size: content.length, text: content.toString(), channels }];
  });
}
