import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { catalogue, changesSomething } from '../../commands/index.ts';
import { Refusal } from '../../errors.ts';
import type { ParsedCommand } from '../../pipeline/language/parsed-command.ts';
import { check, next, type Ask, type Ready } from '../../pipeline/conversation/conversation.ts';
import { identifyViewer } from '../../pipeline/conversation/speaker.ts';
import { joined, plain, say, type Text } from '../../text.ts';
import { failpoint } from '../../failpoints.ts';
import { requestId } from '../../storage/inbox.ts';
import { decidedByForm, titles } from '../answers/decisions.ts';
import { cut } from '../draw/truncate.ts';
import { visible } from '../draw/mrkdwn.ts';
import { memoOf, noticeView, typedAs, type Memo } from '../forms/views.ts';
import { draw } from '../answers/dispatch.ts';
import { senderOf } from '../answers/channels.ts';
import { blockIn, blockOf, readInputs } from '../forms/inputs.ts';
import { notTaken, saveDelivery } from '../context/deliveries.ts';
import { drawForm, loadingView, showReview } from '../forms/modals.ts';
import { wordsFor } from '../context/handler.ts';
import { TooLate, within } from '../../time-limit.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { checkChecklist } from '../answers/checklist.ts';
import { checkReview } from '../answers/review.ts';
import { readForm } from '../forms/form-fields.ts';
import { sentBy, senderIn } from '../context/payload-shapes.ts';

/** The parts of a submitted view that we use. */
export const submission = z.object({
  ...sentBy,
  view: z.object({
    id: z.string(),
    hash: z.string().optional(),
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown() }),
  }),
});
type Submission = z.infer<typeof submission>;

/** The immediate answer to a submission; `after` is the work that follows. */
type SubmissionResponse = {
  readonly ack?:
    | { readonly response_action: 'update'; readonly view: ModalView }
    | { readonly response_action: 'errors'; readonly errors: Record<string, string> };
  readonly after?: () => Promise<void>;
  /** The inbox row that `after` closes. */
  readonly inbox?: string;
};

/** Slack waits three seconds for the ack, and saving may take one. Names, groups and the channel are usually in memory. */
const patienceMs = 1_800;
const redrawMs = 1_000;

/** The key of a submission: each version of a view can be submitted once. */
export const submissionKey = ({ id, hash }: Submission['view']): string => `form:${id}:${hash ?? ''}`;

/** The request behind a form or a press in it. Its delivery is saved later, if at all. */
export const interactionOf = (
  context: SlackContext,
  payload: Parameters<typeof senderIn>[1] & { readonly trigger_id?: string | undefined },
  memo: Memo | undefined,
  key: string,
): Interaction => ({
  ...senderIn(context, payload),
  channel: memo?.origin.channel,
  trigger: payload.trigger_id,
  since: performance.now(),
  inbox: undefined,
  request: requestId(key),
});

/** A submitted form of ours, and who submitted it. */
type Submitted = {
  readonly context: SlackContext;
  readonly interaction: Interaction;
  readonly memo: Memo;
  readonly said: Submission;
};

/** Decides the answer to a submitted view. It works in memory, except for saving a delivery that changes something. */
export async function submit(context: SlackContext, said: Submission): Promise<SubmissionResponse> {
  const memo = memoOf(said.view.private_metadata);
  if (memo === undefined)
    return ending('Sitehand', say`This form is from another version of me. Nothing was done. Please open it again.`);
  const interaction = { ...interactionOf(context, said, memo, submissionKey(said.view)), thread: memo.origin.thread };
  const form: Submitted = { context, interaction, memo, said };
  try {
    switch (said.view.callback_id) {
      case 'picker':
        return await within(patienceMs, pick(form));
      case 'form':
        return await submitForm(form);
      case 'checklist':
        return await submitChecklist(form);
      case 'review':
        return await submitReview(form);
      case 'approve':
        return await submitDecision(form, 'approve');
      case 'decline':
        return await submitDecision(form, 'decline');
      case 'go_on':
        return await submitDecision(form, 'go_on');
      default:
        return {};
    }
  } catch (error) {
    if (error instanceof TooLate)
      return ending(
        'Sitehand',
        say`Slack or my database took too long to answer. Nothing was done. Please try again in a minute.`,
      );
    if (error instanceof Refusal)
      return wrongField(said, error) ?? ending('Sitehand', joined([error.says, error.hint]));
    return ending('Sitehand', [{ text: wordsFor(context, interaction, 'reading a form', error).text }]);
  }
}

async function pick({ context, interaction, memo, said }: Submitted): Promise<SubmissionResponse> {
  const person = await identifyViewer(context.pipeline, interaction);
  const [path = ''] = readInputs(said.view.state.values).given['command'] ?? [];
  const command = catalogue.get(path);
  if (command === undefined) return marking({ [blockOf('command')]: 'Choose one from the list.' });
  const parsed: ParsedCommand = { path, command, given: {}, reason: undefined, dryRun: false };
  return updating(await drawForm(context, memo.origin, parsed, person));
}

async function submitForm(form: Submitted): Promise<SubmissionResponse> {
  const { context, interaction, memo, said } = form;
  const command = catalogue.get(memo.path ?? '');
  if (command === undefined) return ending('Sitehand', say`I don't recognise this command any more. Nothing was done.`);
  const readAndCheck = async () => {
    const filled = await readForm(context, memo, command.fields, said.view.state.values);
    const parsed: ParsedCommand = { path: memo.path ?? '', command, ...typedAs(memo), ...filled };
    return { parsed, checked: await check(context.pipeline, { parsed, from: senderOf(context, interaction) }) };
  };
  // Not the saving: what is saved after this gave up would be neither worked on nor told.
  const { parsed, checked } = await within(patienceMs, readAndCheck());
  if (checked.kind === 'ready') return goOn(form, checked);
  const errors = checked.kind === 'ask' ? fieldErrors(said, checked) : undefined;
  if (errors) return errors;
  const { person } = checked;
  const wrong = checked.kind === 'refuse' ? checked.refusal : (checked.says ?? checked.resolved.problems[0]?.refusal);
  const refusal = wrong ?? new Refusal('Something is missing. Nothing was done.', { hint: 'Open the form again.' });
  if (person === undefined) throw refusal;
  const notes = { says: joined([refusal.says, refusal.hint]), choices: memo.choices };
  return (
    wrongField(said, refusal) ?? updating(await within(redrawMs, drawForm(context, memo.origin, parsed, person, notes)))
  );
}

/** An error under each field that is missing or cannot be read; undefined if none of them is in the view. */
function fieldErrors({ view }: Submission, { resolved: { missing, problems } }: Ask): SubmissionResponse | undefined {
  const wrong = [
    ...missing.map((field) => [field, 'Fill this in.'] as const),
    ...problems.map(({ field, refusal }) => [field, sentence(refusal)] as const),
  ];
  const errors = wrong.flatMap(([field, says]) => {
    const block = blockIn(view.state.values, field);
    return block === undefined ? [] : [[block, says] as const];
  });
  return errors.length > 0 ? marking(Object.fromEntries(errors)) : undefined;
}

async function goOn(form: Submitted, checked: Ready): Promise<SubmissionResponse> {
  const { context, interaction, said } = form;
  const { command } = checked.parsed.parsed;
  if (checked.will === 'review') {
    return {
      ...updating(loadingView(command)),
      after: () => showReview(context, interaction, said.view.id, checked),
    };
  }
  const goOnWith = (from: Interaction): SubmissionResponse => ({
    after: async () => draw(context, from, await next(context.pipeline, checked, from.inbox)),
  });
  return changesSomething(command) ? onceKept(form, command.button, goOnWith) : goOnWith(interaction);
}

/** What is ticked, on the environments that are left, goes on to its review. */
async function submitChecklist({ context, interaction, memo, said }: Submitted): Promise<SubmissionResponse> {
  const ready = await within(patienceMs, checkChecklist(context, interaction, memo, said.view.state.values));
  return {
    ...updating(loadingView(ready.parsed.parsed.command)),
    after: () => showReview(context, interaction, said.view.id, ready),
  };
}

/** Looks at the host again: if the result is not what the form showed, the form is shown again. */
async function submitReview(form: Submitted): Promise<SubmissionResponse> {
  const { context, interaction, memo, said } = form;
  const { reason, typed, leaveOut } = readInputs(said.view.state.values);
  const reviewed = { shown: memo.shown, typedName: typed, leaveOut };
  const checked = await within(patienceMs, checkReview(context, interaction, memo, { reason, reviewed }));
  const { command } = checked.parsed.parsed;
  return onceKept(form, command.button, (kept) => ({
    ...updating(loadingView(command)),
    after: () => showReview(context, kept, said.view.id, checked),
  }));
}

/** The note of an approval, or the reason for declining: saved before it is acked, decided afterwards. */
async function submitDecision(form: Submitted, verdict: keyof typeof titles): Promise<SubmissionResponse> {
  const { context, memo, said } = form;
  const { values } = said.view.state;
  // A credential in it is refused here, under its field.
  if (readInputs(values).reason === undefined && verdict === 'decline') {
    throw new Refusal('Declining needs a reason. Nothing was done.', { field: 'reason' });
  }
  const title = titles[verdict];
  return onceKept(form, title, (kept) => ({
    ...updating(noticeView(title, say`One moment…`)),
    after: () => decidedByForm(context, kept, { verdict, view: said.view.id }, memo, values),
  }));
}

/** Saves a submission before it is acked. `work` gives the response, unless the submission must not be worked on. */
async function onceKept(
  { context, interaction, said: { view } }: Submitted,
  title: string,
  work: (kept: Interaction) => SubmissionResponse,
): Promise<SubmissionResponse> {
  const key = submissionKey(view);
  const { person, channel } = interaction;
  const kept = await saveDelivery(context, { key, kind: 'form', person, channel, content: view.private_metadata });
  if (kept === 'seen') return {};
  if (kept !== 'new') return ending(title, say`${notTaken(context)}`);
  failpoint('kept', key);
  return { ...work({ ...interaction, inbox: key }), inbox: key };
}

/** The refusal as an error under its field; undefined if the view has no such field. */
function wrongField({ view }: Submission, refusal: Refusal): SubmissionResponse | undefined {
  const block = refusal.field === undefined ? undefined : blockIn(view.state.values, refusal.field);
  return block === undefined ? undefined : marking({ [block]: sentence(refusal) });
}
/** Errors by the id of their block. */
const marking = (errors: Record<string, string>): SubmissionResponse => ({
  ack: { response_action: 'errors', errors },
});
const updating = (view: ModalView): SubmissionResponse => ({ ack: { response_action: 'update', view } });
const ending = (title: string, text: Text): SubmissionResponse => updating(noticeView(title, text));
const sentence = (refusal: Refusal): string => cut(visible(plain(joined([refusal.says, refusal.hint]))), 1_900);
