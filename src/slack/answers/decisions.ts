import { Refusal } from '../../errors.ts';
import { decide } from '../../pipeline/steps/decide.ts';
import { decisionKinds, type ShownVersion, type DecisionKind } from '../../pipeline/changes/card.ts';
import { say } from '../../text.ts';
import { declineView, noticeView, type Memo } from '../forms/views.ts';
import { saidIn } from '../forms/inputs.ts';
import { intoView, openView, originOf } from '../forms/modals.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

/** Decision buttons: which change of which database, the version that was seen, and what is decided. Nothing else is believed. */
const parts = /^(\S+) (\d{1,15}) (\d{1,15}) (.+)$/;

/** What a decision button says, or undefined where it is none of ours. */
export function decisionIn(said: string): (ShownVersion & { readonly verdict: DecisionKind }) | undefined {
  const [, installation = '', number, version, verdict] = parts.exec(said) ?? [];
  const known = decisionKinds.find((one) => one === verdict);
  return known && { installation, number: Number(number), version: Number(version), verdict: known };
}

/** A pressed decision button: declining asks for the reason first, everything else is decided at once. */
export async function pressDecision(context: SlackContext, interaction: Interaction, said: string): Promise<void> {
  const decision = decisionIn(said);
  if (decision === undefined) throw new Refusal('I do not know this button any more. Nothing was done.');
  const { person, team, inbox } = interaction;
  if (decision.verdict !== 'decline') return decide(context.decisions, { ...decision, person, team, inbox });
  const memo: Memo = { origin: originOf(interaction), decision: said };
  if (await openView(context, interaction, declineView(decision.number, memo))) return;
  throw new Refusal('The form for the reason could not be opened. Nothing was done.', { hint: 'Press it again.' });
}

/** A submitted reason: decides, and shows in the view what came of it. */
export function declined(
  context: SlackContext,
  interaction: Interaction,
  view: string,
  memo: Memo,
  values: unknown,
): Promise<void> {
  return intoView(context, view, 'Decline', async () => {
    const decision = decisionIn(memo.decision ?? '');
    if (decision === undefined) throw new Refusal('I do not know this form any more. Nothing was done.');
    const { person, team, inbox } = interaction;
    await decide(context.decisions, { ...decision, person, team, inbox, reason: saidIn(values).reason });
    return noticeView('Decline', say`**#${decision.number} is declined.** Nothing was sent.`);
  });
}
