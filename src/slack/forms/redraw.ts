import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { catalogue } from '../../commands/index.ts';
import { Refusal } from '../../base/errors.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { resolve } from '../../language/resolve.ts';
import { joined } from '../../words/text.ts';
import { memoOf, noticeView, typedOptions } from './views.ts';
import { identifyViewer } from '../../talk/speaker.ts';
import { readInputs } from './inputs.ts';
import { drawForm } from './modals.ts';
import type { DrawnView } from '../../slack-api/view-updates.ts';
import { type SlackContext } from '../context/context.ts';
import { listsIn } from './form-fields.ts';
import { senderFields, senderIn } from '../context/payload-shapes.ts';
import { BoundedMap } from '../../base/caches.ts';

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

const maxForms = 500;

/** Redraws forms. Of several changes only the last is drawn; what became of it is undefined for the others. */
export function createRedraw(context: SlackContext): (event: FieldChange) => Promise<DrawnView | undefined> {
  /** By form, the time of the newest change. */
  const newest = new BoundedMap<string, number>(maxForms);
  return async (event) => {
    const { id } = event.view;
    const changedAt = Number(event.actions[0].action_ts);
    if (changedAt <= (newest.get(id) ?? 0)) return undefined;
    newest.set(id, changedAt);
    const view = await redrawn(context, event);
    if (view === undefined || newest.get(id) !== changedAt) return undefined;
    return context.updateView(event.view, view);
  };
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
