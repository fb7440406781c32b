import { elementsOf } from '../block-kit/check.ts';
import { withValue } from '../inputs.ts';
import { type Fields, textOf } from '../json-fields.ts';
import { blocksIn, edit, findMessage } from '../messages.ts';
import { channelReference, messagePayload, viewPayload } from '../payloads.ts';
import { Impossible } from '../refused.ts';
import { namesIn } from '../render-text.ts';
import { labelOf } from '../person-view.ts';
import type { Message, Person, Values } from '../shapes.ts';
import type { Workspace } from '../workspace.ts';
import { blocksOf, replaceView, stackOf } from '../views.ts';
import { type ActionContext, channelFor } from './context.ts';

/** Where to act: a message, the topmost modal, the App Home, or an open view by its id. */
export type SurfaceReference =
  | { readonly channel: string; readonly ts: string }
  | { readonly view: string }
  | 'modal'
  | 'home';

/** Selects an element; all given fields must match. `label` is the text that a person reads on it or above it. */
export type ElementSelector = {
  readonly action_id?: string;
  readonly block_id?: string;
  readonly label?: string;
  readonly value?: string;
};

/** A place with elements to act on, as one person sees it. */
export type Surface = {
  readonly blocks: readonly Fields[];
  readonly values: Values;
  /** For the trigger of an action here. */
  readonly viewId: string | undefined;
  /** The payload fields that name the place. */
  readonly place: Fields;
  /** The same, plus a response URL for messages. */
  readonly answerable: () => Fields;
  readonly put: (blockId: string, actionId: string, value: Fields) => void;
};

/** An element of a surface, with its block. */
export type Target = {
  readonly block: Fields;
  readonly element: Fields;
  readonly blockId: string;
  readonly actionId: string;
};

/** The surface at a place. Throws `Impossible` if the person cannot see it. */
export function surfaceOf(context: ActionContext, person: Person, where: SurfaceReference): Surface {
  return typeof where === 'object' && 'channel' in where
    ? messageSurface(context, person, where)
    : viewSurface(context, person, where);
}

function messageSurface(
  { workspace, responseUrls }: ActionContext,
  person: Person,
  where: { readonly channel: string; readonly ts: string },
): Surface {
  const channel = channelFor(workspace, person, where.channel);
  const current = (): ReturnType<typeof findMessage> => findMessage(workspace, channel.id, where.ts);
  const message = current();
  if (message === undefined || (message.onlyFor !== undefined && message.onlyFor !== person.id))
    throw new Impossible(`${person.real_name} sees no message ${where.ts} in ${channel.id}`);
  const values = message.values.get(person.id) ?? new Map();
  const place = placeOf(workspace, channel, message);
  const responseUrl = (): string =>
    responseUrls.issue({ channel: channel.id, person: person.id, messageTs: message.ts });
  return {
    blocks: blocksIn(message),
    values,
    viewId: undefined,
    place,
    answerable: () => ({ ...place, response_url: responseUrl() }),
    put(blockId, actionId, value) {
      const now = current();
      const mine = withValue(now?.values.get(person.id) ?? new Map(), blockId, actionId, value);
      if (now !== undefined) edit(workspace, now, { values: new Map(now.values).set(person.id, mine) });
    },
  };
}

/** The payload fields that name a message. */
function placeOf(workspace: Workspace, channel: ReturnType<typeof channelFor>, message: Message): Fields {
  const ephemeral = message.onlyFor !== undefined;
  // A thread's root names itself as its thread.
  const isParent = workspace.messages.get(channel.id)?.some(({ threadTs }) => threadTs === message.ts);
  const threadTs = message.threadTs ?? (isParent ? message.ts : undefined);
  const inThread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const container = {
    type: 'message',
    message_ts: message.ts,
    channel_id: channel.id,
    is_ephemeral: ephemeral,
    ...inThread,
  };
  return {
    container,
    channel: channelReference(channel),
    ...(ephemeral ? {} : { message: { ...messagePayload(message), ...inThread } }),
  };
}

function viewSurface(
  { workspace }: ActionContext,
  person: Person,
  where: { readonly view: string } | 'modal' | 'home',
): Surface {
  const home = workspace.homes.get(person.id);
  const stack = stackOf(workspace, person.id);
  const top = stack.at(-1);
  const view = where === 'home' ? home : where === 'modal' ? top : [top, home].find((each) => each?.id === where.view);
  if (view === undefined) throw new Impossible(`${person.real_name} has no such view in front of them`);
  const current = (): typeof view =>
    [...stackOf(workspace, person.id), workspace.homes.get(person.id)].find((each) => each?.id === view.id) ?? view;
  const place = (): Fields => ({ container: { type: 'view', view_id: view.id }, view: viewPayload(current()) });
  return {
    blocks: blocksOf(view),
    values: view.values,
    viewId: view.content['type'] === 'modal' ? view.id : undefined,
    place: place(),
    answerable: place,
    put: (blockId, actionId, value) => {
      const now = current();
      replaceView(workspace, { ...now, values: withValue(now.values, blockId, actionId, value) });
    },
  };
}

/** The one matching element. Throws `Impossible`, naming the choices, if none or several match. */
export function findTarget(context: ActionContext, surface: Surface, which: ElementSelector): Target {
  const names = namesIn(context.workspace);
  const all = surface.blocks.flatMap((block) =>
    elementsOf(block).map((element) => ({
      block,
      element,
      blockId: textOf(block['block_id']),
      actionId: textOf(element['action_id']),
      label: labelOf(block, element, names),
    })),
  );
  const fitting = all.filter(
    ({ element, blockId, actionId, label }) =>
      (which.action_id === undefined || which.action_id === actionId) &&
      (which.block_id === undefined || which.block_id === blockId) &&
      (which.label === undefined || which.label === label) &&
      (which.value === undefined || which.value === element['value']),
  );
  const [only, another] = fitting;
  if (only === undefined || another !== undefined) {
    const there = all.map(({ label, actionId }) => `${JSON.stringify(label)} (${actionId})`).join(', ');
    throw new Impossible(`${fitting.length} things here fit ${JSON.stringify(which)}; there is ${there || 'nothing'}`);
  }
  return only;
}
