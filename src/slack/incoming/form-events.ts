import type { App, ViewSubmitAction } from '@slack/bolt';
import type { Option } from '@slack/types';
import { z } from 'zod';
import { notRecognised, Refusal } from '../../base/errors.ts';
import { catalogue } from '../../commands/index.ts';
import { namedBy } from '../../language/resolve.ts';
import { say } from '../../words/text.ts';
import { drawNote } from '../../block-kit/blocks.ts';
import { pressIn } from '../../block-kit/button-value.ts';
import { likelyWords, searchIn } from '../../language/name-search.ts';
import { requestId } from '../../storage/inbox.ts';
import { failpoint } from '../../base/failpoints.ts';
import { modalPressShape, turnPage } from '../answers/call-view.ts';
import { openDecision } from '../answers/decisions.ts';
import { memoOf } from '../forms/views.ts';
import { mayBeShown } from '../../access/sight.ts';
import { identifyViewer } from '../../talk/speaker.ts';
import { choiceAt, optionOf } from '../forms/inputs.ts';
import { laneOf } from '../context/deliveries.ts';
import { timeAck, type Track } from './receive.ts';
import { createRedraw, fieldChangeShape } from '../forms/redraw.ts';
import { runHandler } from '../context/handler.ts';
import { within } from '../../base/time-limit.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { submissionShape, submit, interactionOf, submissionKey } from './submissions.ts';
import { senderFields, senderIn } from '../context/payload-shapes.ts';
import { toldApart } from '../../words/similar-names.ts';

const suggestionsMs = 2_000;

/** Submitted and closed forms, presses inside them, and name suggestions while somebody types. */
export function listenToForms(app: App, context: SlackContext, track: Track): void {
  const redraw = createRedraw(context);
  app.view<ViewSubmitAction>({ callback_id: /.*/, type: 'view_submission' }, async ({ ack, body }) => {
    const onAck = timeAck(context, 'form');
    const submitted = submissionShape.parse(body);
    const { ack: answer, after, inbox } = await submit(context, submitted);
    await (answer ? ack(answer) : ack());
    onAck(requestId(submissionKey(submitted.view)));
    if (inbox !== undefined) failpoint('acked', inbox);
    if (after === undefined) return;
    const memo = memoOf(submitted.view.private_metadata);
    const command = catalogue.get(memo?.path ?? '');
    const lane = command?.shape === 'report' ? laneOf(command) : 'urgent';
    const interaction: Interaction = {
      ...interactionOf(context, submitted, memo, submissionKey(submitted.view)),
      line: memo?.path,
      inbox,
    };
    track(() => runHandler(context, interaction, 'working on a form', after, lane));
  });
  app.view({ callback_id: /.*/, type: 'view_closed' }, ({ ack }) => ack());
  app.action(/.*/, async ({ ack, body }) => {
    if (!modalActionShape.safeParse(body).success) return;
    await ack();
    const pressed = modalPressShape.safeParse(body);
    if (pressed.success) return track(() => handlePress(context, pressed.data));
    const read = fieldChangeShape.safeParse(body);
    if (!read.success) return;
    track(() => handleChange(context, read.data, redraw).catch((error: unknown) => logStale(context, error)));
  });
  app.options(/.*/, async ({ ack, body }) => {
    await ack({ options: await within(suggestionsMs, suggestionsFor(context, body)).catch(() => []) });
  });
}

/** Redraws the form. If Slack may not have taken it, its person is told: what it offers may be of an earlier choice. */
async function handleChange(
  context: SlackContext,
  change: z.infer<typeof fieldChangeShape>,
  redraw: ReturnType<typeof createRedraw>,
): Promise<void> {
  const { user, view, actions } = change;
  const became = await context.turns.usual(() => redraw(change), user.id);
  if (became !== 'unconfirmed') return;
  const key = `change:${view.id}:${actions[0].action_ts}`;
  const interaction = interactionOf(context, change, memoOf(view.private_metadata), key);
  await context.ephemeral(interaction, drawNote({ text: notRedrawn }));
}

const notRedrawn = say`**Slack didn't confirm that it updated your form after your last change.** What it offers may be of an earlier choice. Change it again, or submit it and I'll check.`;

/** Shows another page of *Everything that will be sent*, or opens the form for a note with an approval. */
function handlePress(context: SlackContext, pressed: z.infer<typeof modalPressShape>): Promise<void> {
  const { view, trigger_id: trigger = '' } = pressed;
  const [{ action_id: id, value }] = pressed.actions;
  const interaction = interactionOf(context, pressed, memoOf(view.private_metadata), `press:${view.id}:${trigger}`);
  const act = async (): Promise<void> => {
    const press = pressIn(id.split(':')[0] ?? '', value);
    if (press.kind === 'note') return openDecision(context, interaction, press, 'push');
    if (press.kind === 'call') return turnPage(context, interaction, pressed, press);
    throw notRecognised('button');
  };
  return runHandler(context, interaction, 'opening a form or turning a page', act, 'usual');
}

const modalActionShape = z.object({ view: z.object({ type: z.literal('modal') }) });
/** Only logs the error: the form keeps what was filled in, and submitting it shows what is wrong. */
function logStale({ log }: SlackContext, error: unknown): void {
  if (!(error instanceof Refusal)) log.warn({ err: error }, 'could not redraw a form');
}

const suggestionRequestShape = z.object({
  ...senderFields,
  action_id: z.string(),
  value: z.string().default(''),
  view: z.object({ private_metadata: z.string() }).optional(),
});

/** Options that match what was typed: the host's choices for the field, or names this person may read. */
async function suggestionsFor(context: SlackContext, body: unknown): Promise<Option[]> {
  const { action_id: name, value, view, ...sender } = suggestionRequestShape.parse(body);
  const person = await identifyViewer(context.pipeline, senderIn(context, sender));
  const memo = memoOf(view?.private_metadata ?? '');
  const kept = memo?.choices?.[name];
  if (kept) {
    const { words, shown } = await context.payloads.keptList(kept.id);
    if (mayBeShown(context.pipeline, person, shown) !== 'yes') return [];
    return likelyWords(words, value, maxOptions).map((at) => choiceAt(words, at));
  }
  const field = catalogue.get(memo?.path ?? '')?.fields[name];
  const all = namedBy(field ?? { kind: 'environment' }, context.pipeline.names(person));
  const shown = toldApart(all);
  const recent = await context.pipeline.recent.of(person.id).catch(() => []);
  return searchIn(all)
    .likely(value, maxOptions, recent)
    .map((one) => optionOf(one.id, shown(one)));
}

/** Slack's limit of options. */
const maxOptions = 100;
