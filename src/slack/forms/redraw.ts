import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { catalogue } from '../../commands/index.ts';
import { Refusal } from '../../errors.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { resolve } from '../../pipeline/language/resolve.ts';
import { joined } from '../../text.ts';
import { memoOf, noticeView, typedOptions } from './views.ts';
import { identifyViewer } from '../../pipeline/conversation/speaker.ts';
import { readInputs } from './inputs.ts';
import { drawForm } from './modals.ts';
import { type SlackContext } from '../context/context.ts';
import { isFormGone } from '../client/api-errors.ts';
import { platformError } from '../client/messenger.ts';
import { listsIn } from './form-fields.ts';
import { senderFields, senderIn } from '../context/payload-shapes.ts';
import { BoundedMap } from '../../bounded-map.ts';

/** Redraws a form after a change of a field that other fields depend on. */

/** The change of an input that reports its changes. */
export const fieldChangeShape = z.object({
  ...senderFields,
  view: z.object({
    id: z.string(),
    hash: z.string(),
    callback_id: z.literal('form'),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown() }),
  }),
  /** When the field was changed: an earlier change can arrive later or twice. */
  actions: z.tuple([z.object({ action_ts: z.string() })]),
});
type FieldChange = z.infer<typeof fieldChangeShape>;

/** What this process knows about one open form. */
type FormUpdates = {
  /** The time of the newest change. */
  newest: number;
  /** The running update. */
  updating: Promise<void>;
  /** For each replaced version of the view, the hash of its successor. */
  readonly became: Map<string, string>;
};

const maxForms = 500;
const updateReply = z.object({ view: z.object({ hash: z.string() }) });

/** Redraws forms. Of several changes only the last is drawn: an old drawing never replaces a newer one. */
export function createRedraw(context: SlackContext): (event: FieldChange) => Promise<void> {
  const turns = new BoundedMap<string, FormUpdates>(maxForms);
  return async (event) => {
    const { id } = event.view;
    const turn = turns.get(id) ?? { newest: 0, updating: Promise.resolve(), became: new Map() };
    turns.set(id, turn);
    const changedAt = Number(event.actions[0].action_ts);
    if (changedAt <= turn.newest) return;
    turn.newest = changedAt;
    const view = await redrawn(context, event);
    if (view === undefined) return;
    const update = turn.updating.then(async () => {
      if (turn.newest === changedAt) await updateView(context, turn, event.view, view);
    });
    turn.updating = update.catch(() => undefined);
    await update;
  };
}

async function updateView(
  { views }: SlackContext,
  { became }: FormUpdates,
  { id, hash }: FieldChange['view'],
  view: ModalView,
): Promise<void> {
  let current = hash;
  for (let next = became.get(current); next !== undefined; next = became.get(current)) current = next;
  try {
    const answer = updateReply.safeParse(await views.views.update({ view_id: id, hash: current, view }));
    if (answer.data && answer.data.view.hash !== current) became.set(current, answer.data.view.hash);
  } catch (error) {
    // The form was submitted or closed in the meantime, or another process redrew it.
    if (!isFormGone(platformError(error) ?? '')) throw error;
  }
}

async function redrawn(context: SlackContext, event: FieldChange): Promise<ModalView | undefined> {
  const { view } = event;
  const memo = memoOf(view.private_metadata);
  const command = catalogue.get(memo?.path ?? '');
  if (memo === undefined || command === undefined) return undefined;
  const person = await identifyViewer(context.pipeline, senderIn(context, event));
  const lists = await listsIn(context, person, memo).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (lists instanceof Refusal) return noticeView(command.button, joined([lists.says, lists.hint]));
  const filled = readInputs(view.state.values, lists);
  const parsed: ParsedCommand = { path: memo.path ?? '', command, ...typedOptions(memo), ...filled };
  const withLock = resolve(parsed, context.pipeline.names(person));
  return drawForm(context, memo.origin, parsed, person, { choices: memo.choices, withLock });
}
