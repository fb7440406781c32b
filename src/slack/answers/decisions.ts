import { Refusal } from '../../errors.ts';
import { decide } from '../../pipeline/steps/decide.ts';
import { decisionKinds, type ShownVersion, type DecisionKind } from '../../pipeline/changes/card.ts';
import { say } from '../../text.ts';
import { declineView, noticeView, type Memo } from '../forms/views.ts';
import { readInputs } from '../forms/inputs.ts';
import { intoView, openView, originOf } from '../forms/modals.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

/** The value of a decision button: installation, number, version that was seen, verdict. Anything else is refused. */
const parts = /^(\S+) (\d{1,15}) (\d{1,15}) (.+)$/;

/** Reads the value of a decision button; undefined if it is not one of ours. */
export function decisionIn(value: string): (ShownVersion & { readonly verdict: DecisionKind }) | undefined {
  const [, installation = '', number, version, verdict] = parts.exec(value) ?? [];
  const known = decisionKinds.find((one) => one === verdict);
  return known && { installation, number: Number(number), version: Number(version), verdict: known };
}

/** A decision button: *Decline* opens a form for the reason, everything else is decided at once. */
export async function pressDecision(context: SlackContext, interaction: Interaction, value: string): Promise<void> {
  const decision = decisionIn(value);
  if (decision === undefined) throw new Refusal("I don't recognise this button any more. Nothing was done.");
  const { person, team, inbox } = interaction;
  if (decision.verdict !== 'decline') return decide(context.pipeline, { ...decision, person, team, inbox });
  const memo: Memo = { origin: originOf(interaction), decision: value };
  if (await openView(context, interaction, declineView(decision.number, memo))) return;
  throw new Refusal("I couldn't open the form for your reason. Nothing was done.", { hint: 'Press the button again.' });
}

/** Decides with a submitted reason and shows the result in the view. */
export async function declined(
  context: SlackContext,
  interaction: Interaction,
  view: string,
  memo: Memo,
  values: unknown,
): Promise<void> {
  await intoView(context, view, 'Decline', async () => {
    const decision = decisionIn(memo.decision ?? '');
    if (decision === undefined) throw new Refusal("I don't recognise this form any more. Nothing was done.");
    const { person, team, inbox } = interaction;
    await decide(context.pipeline, { ...decision, person, team, inbox, reason: readInputs(values).reason });
    return noticeView('Decline', say`**#${decision.number} is declined.** I won't send it.`);
  });
}
