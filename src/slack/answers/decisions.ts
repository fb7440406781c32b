import type { ModalView } from '@slack/types';
import { notRecognised, Refusal } from '../../base/errors.ts';
import { leftToDo, questionFor, reviewQuestion } from '../../change/call-details.ts';
import { identifySender } from '../../talk/speaker.ts';
import { decide, EndedByClick, needsWords, refuseUnlessDecides } from '../../decide/decide.ts';
import type { DecisionKind, Press } from '../../change/buttons.ts';
import { joined, say } from '../../words/text.ts';
import { approveView, declineView, goOnView, noticeView, postReviewView, type Memo } from '../forms/views.ts';
import { readInputs } from '../forms/inputs.ts';
import { notShownOn } from '../../block-kit/blocks.ts';
import { buttonValue, pressIn } from '../../block-kit/button-value.ts';
import { pressAgain, drawIntoView, openView, originOf } from '../forms/modals.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

/** A press that decides about a change, or opens the form for it. */
type DecisionPress = Extract<Press, { readonly verdict: DecisionKind }>;

/** Handles a decision button: what needs words opens a form for them; everything else is decided at once. */
export async function pressDecision(
  context: SlackContext,
  interaction: Interaction,
  decision: DecisionPress,
): Promise<void> {
  const { person, team, inbox } = interaction;
  if (!needsWords(decision.verdict)) return decide(context.pipeline, { ...decision, person, team, inbox });
  return openDecision(context, interaction, decision);
}

/**
 * Opens the form for the note of an approval, the reason for declining, or the environments without which a batch goes
 * on. `push`: on top of the pages.
 */
export async function openDecision(
  context: SlackContext,
  interaction: Interaction,
  decision: DecisionPress,
  how?: 'push',
): Promise<void> {
  const { number, verdict } = decision;
  if (!hasForm(verdict)) throw notRecognised('button');
  const title = titles[verdict];
  const view = await openView(context, interaction, noticeView(title, say`One moment…`), how);
  const memo: Memo = { origin: originOf(interaction), decision: buttonValue(decision) };
  const draw = async (): Promise<ModalView> => {
    const { person, team } = interaction;
    await refuseUnlessDecides(context.pipeline, { ...decision, person, team });
    if (verdict === 'decline') return declineView(number, memo);
    const reader = await identifySender(context.pipeline, interaction);
    if (verdict === 'reviewed')
      return postReviewView(number, await reviewQuestion(context.pipeline, reader, decision), memo);
    if (verdict === 'go_on') return goOnView(number, await leftToDo(context.pipeline, reader, decision), memo);
    const { says, card } = await questionFor(context.pipeline, reader, decision);
    return approveView(number, joined([says, notShownOn(card)], '\n'), memo);
  };
  const became = view && (await drawIntoView(context, interaction, { ...view, title }, draw));
  if (became === undefined || became === 'unconfirmed')
    throw new Refusal(`Slack didn't confirm that it opened ${forms[verdict]}. Nothing was done.`, { hint: pressAgain });
}

export const titles = { approve: 'Approve', decline: 'Decline', reviewed: 'Review', go_on: 'Go on' } as const;

const hasForm = (verdict: DecisionKind): verdict is keyof typeof titles => Object.hasOwn(titles, verdict);

const forms: Readonly<Record<keyof typeof titles, string>> = {
  approve: 'the form for your note',
  decline: 'the form for your reason',
  reviewed: 'the form for your review',
  go_on: 'the form',
};

/** Decides with a submitted reason or note. */
export async function decideByForm(
  context: SlackContext,
  { person, team, inbox }: Interaction,
  verdict: keyof typeof titles,
  memo: Memo,
  values: unknown,
): Promise<void> {
  const decision = pressIn('decision', memo.decision ?? '');
  if (decision.kind !== 'decision' || decision.verdict !== verdict) throw notRecognised('form');
  const { reason, leaveOut } = readInputs(values);
  await decide(context.pipeline, { ...decision, person, team, inbox, reason, leaveOut }).catch((error: unknown) => {
    throw reason === undefined ? error : withWords(error, reason);
  });
}

/** The form is closed by then, so the refusal repeats what was written. */
function withWords(error: unknown, words: string): unknown {
  if (!(error instanceof Refusal)) return error;
  const says = joined([error.says, say`What you wrote was not posted: “${words}”`]);
  const { hint, offers } = error;
  return error instanceof EndedByClick ? new EndedByClick(says, { hint, offers }) : new Refusal(says, { hint, offers });
}
