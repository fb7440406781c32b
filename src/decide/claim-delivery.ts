import { Refusal } from '../base/errors.ts';
import type { Tx } from '../storage/database.ts';
import { closeInbox, isInboxOpen, requestId } from '../storage/inbox.ts';
import { say } from '../words/text.ts';

/**
 * Closes the delivery, in the transaction that does what it asks for. False if it was answered: its sender was told
 * that nothing was done. Throws `Refusal` if the database no longer has it: then its sender has heard nothing.
 */
export async function claimDelivery(tx: Tx, inbox: string | undefined, at: number): Promise<boolean> {
  if (inbox === undefined || (await closeInbox(tx, inbox, at))) return true;
  if (await isInboxOpen(tx, inbox))
    throw new Refusal(
      say`**My database was set back, and what you asked for got lost.** If you see no card and no other answer to this, nothing was done.`,
      { hint: 'Ask again if you still need it.' },
    );
  return false;
}

/** As `claimDelivery`, but also throws `Refusal` if the delivery was answered. */
export async function answerDelivery(tx: Tx, inbox: string | undefined, at: number): Promise<void> {
  if (!(await claimDelivery(tx, inbox, at)))
    throw new Refusal('I was delayed and have already told you so. Nothing was done.');
}

/** The delivery, for the audit line. */
export const requestDetails = (inbox: string | undefined): { readonly request?: string } =>
  inbox === undefined ? {} : { request: requestId(inbox) };
