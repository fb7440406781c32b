import type { PageOffer } from '../../commands/kit/page.ts';
import { notRecognised } from '../../base/errors.ts';
import { checkTicked, showChecklist } from '../../talk/checklist.ts';
import type { Ready } from '../../talk/conversation.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { orTooOld } from '../forms/form-fields.ts';
import { checklistField, readInputs } from '../forms/inputs.ts';
import { offerForm, openView, originOf } from '../forms/modals.ts';
import { checklistView, type Memo } from '../forms/views.ts';
import { senderOf } from './channels.ts';
import { readablePage } from './kept-page.ts';

/** The checklist behind a button of a kept page. It needs no read from the host, so its form opens at once. */

type OfferAt = NonNullable<Memo['offer']>;

export async function openChecklist(context: SlackContext, interaction: Interaction, offer: OfferAt): Promise<void> {
  const kept = await offerAt(context, interaction, offer);
  const shown = await showChecklist(context.pipeline, senderOf(context, interaction), kept);
  const view = checklistView(shown, { origin: originOf(interaction), offer });
  if ((await openView(context, interaction, view)) !== undefined) return;
  await offerForm(context, interaction, { kind: 'checklist', id: offer.page, at: offer.at });
}

/** Checks a submitted checklist. Throws `Refusal`. */
export async function checkChecklist(
  context: SlackContext,
  interaction: Interaction,
  { offer }: Memo,
  values: unknown,
): Promise<Ready> {
  const { given, leaveOut } = readInputs(values);
  const kept = await offerAt(context, interaction, offer ?? { page: '', at: 0 }).catch(orTooOld);
  const at = (given[checklistField] ?? []).map((position) => (/^\d+$/.test(position) ? Number(position) : -1));
  return checkTicked(context.pipeline, senderOf(context, interaction), kept, { at, leaveOut });
}

async function offerAt(context: SlackContext, interaction: Interaction, { page: id, at }: OfferAt): Promise<PageOffer> {
  const { page } = await readablePage(context, interaction, id);
  const offer = page.offers?.[at];
  if (offer === undefined) throw notRecognised('button');
  return offer;
}
