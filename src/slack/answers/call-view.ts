import { z } from 'zod';
import { notRecognised, Refusal } from '../../base/errors.ts';
import { detailsFor, detailsOfPinned } from '../../change/call-details.ts';
import type { Press } from '../../change/buttons.ts';
import { isAsShown } from '../../change/confirmation.ts';
import { next, check, type Ready, type Request } from '../../talk/conversation.ts';
import { identifySender } from '../../talk/speaker.ts';
import { say } from '../../words/text.ts';
import type { Drawn } from '../../block-kit/blocks.ts';
import { drawCallPage, type Surface } from '../../block-kit/call-pages.ts';
import { callTitle, callView, memoOf, noticeView, type Memo } from '../forms/views.ts';
import { pressAgain, drawIntoView, openView } from '../forms/modals.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { senderFields } from '../context/payload-shapes.ts';
import { catalogue } from '../../commands/index.ts';
import { parseArgs } from '../../language/parse.ts';
import { orTooOld } from '../forms/form-fields.ts';
import { senderOf } from './channels.ts';

/** *Everything that will be sent*, page by page, for a card or a form. Pages of a saved change come from its row. */

type CallPress = Extract<Press, { readonly kind: 'call' }>;

/** Handles a card's button: opens a modal, or sends a private message if no modal can be opened. */
export async function showCall(context: SlackContext, interaction: Interaction, press: CallPress): Promise<void> {
  const view = await openView(context, interaction, loading).catch(ignoreNoForms);
  const draw = (surface: Surface): Promise<Drawn> => pageOfChange(context, interaction, press, surface);
  const inMessage = async (): Promise<void> => context.ephemeral(interaction, await draw('message'));
  if (view === undefined) return inMessage();
  const inModal = async () => callView(await draw('modal'));
  const became = await drawIntoView(context, interaction, { ...view, title: callTitle }, inModal);
  if (became === 'unconfirmed') await inMessage();
}

const loading = noticeView(callTitle, say`One moment…`);

/** On a server without forms the pages are private messages. */
function ignoreNoForms(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

async function pageOfChange(
  context: SlackContext,
  interaction: Pick<Interaction, 'person' | 'team'>,
  { page, of }: CallPress,
  surface: Surface,
): Promise<Drawn> {
  if (of === undefined) throw notRecognised('button');
  const reader = await identifySender(context.pipeline, interaction);
  return drawCallPage(await detailsFor(context.pipeline, reader, of), { of, surface, page });
}

/** A press inside a modal: another page, *Approve with a note…*, or the button in a form that was not submitted yet. */
export const modalPressShape = z.object({
  ...senderFields,
  trigger_id: z.string().optional(),
  view: z.object({
    id: z.string(),
    hash: z.string(),
    callback_id: z.enum(['call', 'review']),
    private_metadata: z.string(),
  }),
  actions: z.tuple([z.object({ action_id: z.string().regex(/^(call|note):/), value: z.string() })]),
});

/** Draws the page into the button's view, or into a view on top of the form. */
export async function turnPage(
  context: SlackContext,
  interaction: Interaction,
  { view }: z.infer<typeof modalPressShape>,
  press: CallPress,
): Promise<void> {
  const memo = memoOf(view.private_metadata);
  const draw = async () =>
    memo === undefined
      ? callView(await pageOfChange(context, interaction, press, 'modal'))
      : callView(await pageOfForm(context, interaction, memo, press), memo);
  const { id, hash } = view;
  const into = view.callback_id === 'call' ? { id, hash } : await openView(context, interaction, loading, 'push');
  const became = into && (await drawIntoView(context, interaction, { ...into, title: callTitle }, draw));
  if (became === undefined || became === 'unconfirmed')
    throw new Refusal("Slack didn't confirm that it showed the page.", { hint: pressAgain });
}

/** Reads from the host and freezes again. If the result is not what the form showed, the person is told. */
async function pageOfForm(
  context: SlackContext,
  interaction: Interaction,
  memo: Memo,
  { page }: CallPress,
): Promise<Drawn> {
  const checked = await checkReview(context, interaction, memo, { first: 'review' });
  const result = await next(context.pipeline, checked, undefined);
  if (result.kind === 'refuse') throw result.refusal;
  if (result.kind !== 'review' || !isAsShown(result.pinned, memo.shown)) {
    throw new Refusal(say`**This changed while you were reading it.** Nothing was done.`, {
      hint: 'Go back and submit the form to see how it looks now.',
    });
  }
  return drawCallPage(detailsOfPinned(result.pinned), { of: undefined, surface: 'modal', page });
}

/** Checks the arguments of a review form again, with what was typed into it. Throws `Refusal` if they no longer pass. */
export async function checkReview(
  context: SlackContext,
  interaction: Interaction,
  memo: Memo,
  { reason, ...answers }: Pick<Request, 'first' | 'reviewed'> & { readonly reason?: string | undefined },
): Promise<Ready> {
  const args = memo.args ?? (await context.payloads.keptList(memo.stored ?? '').catch(orTooOld)).words;
  const parsed = { ...parseArgs(args, catalogue), reason };
  const checked = await check(context.pipeline, { parsed, from: senderOf(context, interaction), ...answers });
  if (checked.kind === 'ready' && checked.will !== 'show') return checked;
  if (checked.kind === 'refuse') throw checked.refusal;
  const wrong = checked.kind === 'ask' ? (checked.resolved.problems[0]?.refusal ?? checked.says) : undefined;
  throw wrong ?? new Refusal('Something is missing. Nothing was done.');
}
