import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { catalogue, changesSomething } from '../../commands/index.ts';
import { Refusal } from '../../base/errors.ts';
import type { ParsedCommand } from '../../language/bind-arguments.ts';
import { check, next, type Ask, type Ready } from '../../talk/conversation.ts';
import { identifyViewer } from '../../talk/speaker.ts';
import { joined, plain, say, type Text } from '../../words/text.ts';
import { failpoint } from '../../base/failpoints.ts';
import { requestId } from '../../storage/inbox.ts';
import { refuseWithoutWords } from '../../decide/decide.ts';
import { decideByForm, titles } from '../answers/decisions.ts';
import { cut, visible } from '../../block-kit/text.ts';
import { allCommandsView, memoOf, moreCommands, noticeView, typedOptions, type Memo } from '../forms/views.ts';
import { showOutcome } from '../answers/dispatch.ts';
import { senderOf } from '../answers/channels.ts';
import { blockIdIn, blockIdOf, readInputs } from '../forms/inputs.ts';
import { notTaken, saveDelivery } from '../context/deliveries.ts';
import { allowedTo, drawForm, drawIntoView, loadingView, showReview } from '../forms/modals.ts';
import { errorNote } from '../context/handler.ts';
import { TooLate, within } from '../../base/time-limit.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { checkChecklist } from '../answers/kept-page.ts';
import { checkReview } from '../answers/call-view.ts';
import { isChosenFromOldList, listsIn } from '../forms/form-fields.ts';
import { senderFields, senderIn } from '../context/payload-shapes.ts';

/** The parts of a submitted view that we use. */
export const submissionShape = z.object({
  ...senderFields,
  trigger_id: z.string().optional(),
  view: z.object({
    id: z.string(),
    hash: z.string().optional(),
    callback_id: z.string(),
    private_metadata: z.string(),
    state: z.object({ values: z.unknown() }),
  }),
});
type Submission = z.infer<typeof submissionShape>;

/** The immediate answer to a submission, by default that the form closes; `after` is the work that follows. */
type SubmissionResponse = {
  readonly ack?:
    | { readonly response_action: 'clear' }
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
  cardsIn: memo?.origin.cardsIn,
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
  readonly view: Submission['view'];
};

/**
 * Decides the answer to a submitted view, in memory except for what `check` looks up and for saving a delivery that
 * changes something.
 */
export async function submit(context: SlackContext, submission: Submission): Promise<SubmissionResponse> {
  const { view } = submission;
  const memo = memoOf(view.private_metadata);
  if (memo === undefined)
    return withNotice(say`This form is from another version of me. Nothing was done. Please open it again.`);
  const interaction = { ...interactionOf(context, submission, memo, submissionKey(view)), thread: memo.origin.thread };
  const form: Submitted = { context, interaction, memo, view };
  try {
    switch (view.callback_id) {
      case 'picker':
        return await within(patienceMs, submitPicker(form));
      case 'form':
        return await submitForm(form);
      case 'checklist':
        return await submitChecklist(form);
      case 'review':
        return await submitReview(form);
      case 'approve':
      case 'decline':
      case 'reviewed':
      case 'go_on':
        return await submitDecision(form, view.callback_id);
      default:
        return {};
    }
  } catch (error) {
    if (error instanceof TooLate)
      return withNotice(
        say`Slack or my database took too long to answer. Nothing was done. Please try again in a minute.`,
      );
    if (error instanceof Refusal) return underField(view, error) ?? withNotice(joined([error.says, error.hint]));
    return withNotice([{ text: errorNote(context, interaction, 'reading a form', error).text }]);
  }
}

async function submitPicker({ context, interaction, memo, view }: Submitted): Promise<SubmissionResponse> {
  const person = await identifyViewer(context.pipeline, interaction);
  const [path = ''] = readInputs(view.state.values).given['command'] ?? [];
  if (path === moreCommands) return withView(allCommandsView(allowedTo(context, person), memo.origin));
  const command = catalogue.get(path);
  if (command === undefined) return withErrors({ [blockIdOf('command')]: 'Choose one from the list.' });
  const parsed: ParsedCommand = { path, command, given: {}, reason: undefined, dryRun: false };
  return withView(await drawForm(context, memo.origin, parsed, person));
}

async function submitForm(form: Submitted): Promise<SubmissionResponse> {
  const { context, interaction, memo, view } = form;
  const command = catalogue.get(memo.path ?? '');
  if (command === undefined) return withNotice(say`I don't recognise this command any more. Nothing was done.`);
  const readAndCheck = async () => {
    const hasLists = Object.keys(memo.choices ?? {}).length > 0;
    const lists = hasLists
      ? await listsIn(context, await identifyViewer(context.pipeline, interaction), memo)
      : undefined;
    const filled = readInputs(view.state.values, lists, command.fields);
    const parsed: ParsedCommand = { path: memo.path ?? '', command, ...typedOptions(memo), ...filled };
    return { parsed, checked: await check(context.pipeline, { parsed, from: senderOf(context, interaction) }) };
  };
  // The limit excludes saving: after the limit, a saved delivery would be neither worked on nor reported.
  const { parsed, checked } = await within(patienceMs, readAndCheck());
  if (checked.kind === 'ready') return proceed(form, checked);
  const errors = checked.kind === 'ask' ? underFields(view, checked) : undefined;
  if (errors) return errors;
  const { person } = checked;
  const wrong = checked.kind === 'refuse' ? checked.refusal : (checked.says ?? checked.resolved.problems[0]?.refusal);
  const refusal = wrong ?? new Refusal('Something is missing. Nothing was done.', { hint: 'Open the form again.' });
  if (person === undefined) throw refusal;
  const notes = { says: joined([refusal.says, refusal.hint]), choices: memo.choices };
  return (
    underField(view, refusal) ?? withView(await within(redrawMs, drawForm(context, memo.origin, parsed, person, notes)))
  );
}

/** An error under each field that is missing or unreadable; undefined if none of them is in the view. */
function underFields(
  view: Submission['view'],
  { resolved: { missing, problems } }: Ask,
): SubmissionResponse | undefined {
  const wrong = [
    ...missing.map((field) => [field, 'Fill this in.'] as const),
    ...problems.map(({ field, refusal }) => [field, sentence(refusal)] as const),
  ];
  const errors = wrong.flatMap(([field, says]) => {
    const block = blockIdIn(view.state.values, field);
    return block === undefined ? [] : [[block, says] as const];
  });
  return errors.length > 0 ? withErrors(Object.fromEntries(errors)) : undefined;
}

async function proceed(form: Submitted, checked: Ready): Promise<SubmissionResponse> {
  const { context, interaction } = form;
  if (isChosenFromOldList(checked.authorized, form.memo)) return withForm(form, checked);
  if (checked.will === 'review') return withReview(form, interaction, checked);
  const { command } = checked.authorized.parsed;
  const work = (from: Interaction): SubmissionResponse => ({ after: () => runChecked(context, from, checked) });
  return changesSomething(command) ? whenSaved(form, command.button, work) : work(interaction);
}

const runChecked = async (context: SlackContext, from: Interaction, checked: Ready): Promise<void> =>
  showOutcome(context, from, await next(context.pipeline, checked, from.inbox));

/** The ticked items, on the environments that were not left out, continue to the review. */
async function submitChecklist(form: Submitted): Promise<SubmissionResponse> {
  const { context, interaction, memo, view } = form;
  const ready = await within(patienceMs, checkChecklist(context, interaction, memo, view.state.values));
  return withReview(form, interaction, ready);
}

/** Reads from the host again: if the result is not what the form showed, the review is shown again. */
async function submitReview(form: Submitted): Promise<SubmissionResponse> {
  const { context, interaction, memo, view } = form;
  const { reason, typed, leaveOut } = readInputs(view.state.values);
  const reviewed = { shown: memo.shown, typedName: typed, leaveOut };
  const checked = await within(patienceMs, checkReview(context, interaction, memo, { reason, reviewed }));
  const { button } = checked.authorized.parsed.command;
  return whenSaved(form, button, (kept) => ({ after: () => runChecked(context, kept, checked) }));
}

/** The note of an approval, or the reason for declining. It is saved before the ack and decided afterwards. */
async function submitDecision(form: Submitted, verdict: keyof typeof titles): Promise<SubmissionResponse> {
  const { context, memo } = form;
  const { values } = form.view.state;
  // A credential in the text is refused here, under its field.
  refuseWithoutWords(verdict, readInputs(values).reason);
  return whenSaved(form, titles[verdict], (kept) => ({
    // With the pages under it, which were about what is decided now.
    ack: { response_action: 'clear' },
    after: () => decideByForm(context, kept, verdict, memo, values),
  }));
}

/** Saves a submission before it is acked. `work` gives the response, unless the submission must not be worked on. */
async function whenSaved(
  { context, interaction, view }: Submitted,
  title: string,
  work: (kept: Interaction) => SubmissionResponse,
): Promise<SubmissionResponse> {
  const key = submissionKey(view);
  const { person, channel } = interaction;
  const kept = await saveDelivery(context, { key, kind: 'form', person, channel, content: view.private_metadata });
  if (kept === 'seen') return {};
  if (kept !== 'new') return withNotice(say`${notTaken(context)}`, title);
  failpoint('kept', key);
  return { ...work({ ...interaction, inbox: key }), inbox: key };
}

/** Shows a loading view, which becomes the review. */
const withReview = ({ context, view }: Submitted, from: Interaction, ready: Ready): SubmissionResponse => ({
  ...withView(loadingView(ready.authorized.parsed.command)),
  after: () => showReview(context, from, { id: view.id }, ready),
});

/** Shows a loading view, which becomes the form again, with the choices that there are now. */
const withForm = ({ context, interaction, memo, view }: Submitted, ready: Ready): SubmissionResponse => ({
  ...withView(loadingView(ready.authorized.parsed.command)),
  after: async () => {
    const { authorized, requester } = ready;
    const { choices } = memo;
    const draw = (): Promise<ModalView> =>
      drawForm(context, memo.origin, authorized.parsed, requester.person, { says: oldList, choices });
    const into = { id: view.id, title: authorized.parsed.command.button };
    const became = await drawIntoView(context, interaction, into, draw);
    if (became === 'unconfirmed')
      throw new Refusal("Slack didn't confirm that it filled in the form. Nothing was done.", {
        hint: "If you don't see it, type the command again.",
      });
  },
});
const oldList = say`**What you chose from was a list for an earlier answer.** Nothing was done. Please look at your choices again.`;

/** The refusal as an error under its field; undefined if the view has no such field. */
function underField(view: Submission['view'], refusal: Refusal): SubmissionResponse | undefined {
  const block = refusal.field === undefined ? undefined : blockIdIn(view.state.values, refusal.field);
  return block === undefined ? undefined : withErrors({ [block]: sentence(refusal) });
}
/** Errors by the id of their block. */
const withErrors = (errors: Record<string, string>): SubmissionResponse => ({
  ack: { response_action: 'errors', errors },
});
const withView = (view: ModalView): SubmissionResponse => ({ ack: { response_action: 'update', view } });
const withNotice = (text: Text, title = 'Sitehand'): SubmissionResponse => withView(noticeView(title, text));
const sentence = (refusal: Refusal): string => cut(visible(plain(joined([refusal.says, refusal.hint]))), 1_900);
