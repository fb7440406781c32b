import { findMessage } from '../../storage/messages.ts';
import { renewInbox, requestId } from '../../storage/inbox.ts';
import { lostKey } from '../../post/housekeeping.ts';
import { spokenDuration, hourMs } from '../../words/duration.ts';
import { say } from '../../words/text.ts';
import { drawNote, type Drawn } from '../../block-kit/blocks.ts';
import type { Interaction, SlackContext } from './context.ts';

/** Long deliveries: their lease is renewed while they run, and a late answer says that it is late. */

/** How long one lease on a delivery lasts. */
export const inboxLeaseMs = 60_000;
/** How often it is renewed. */
const usualRenewMs = 20_000;
/** Longer than any read may take. Longer work hangs, so its sender should be told that nothing came of it. */
const maxMs = hourMs;

/** Runs the work and renews the lease of its delivery, so that no process reports it as lost. */
export async function whileLeased(
  context: SlackContext,
  { inbox }: Interaction,
  work: () => Promise<void>,
): Promise<void> {
  if (inbox === undefined) return work();
  const { pipeline, log, pace } = context;
  const { database } = pipeline;
  const began = performance.now();
  let renewing = false;
  const renew = async (): Promise<void> => {
    if (renewing || performance.now() - began > maxMs) return;
    renewing = true;
    try {
      await database.transactionWithoutFsync(async (tx) =>
        renewInbox(tx, inbox, pipeline.owner, (await database.now(tx)) + inboxLeaseMs),
      );
    } catch (error) {
      // The next renewal may still be in time.
      log.warn({ err: error, request: requestId(inbox) }, 'could not renew the lease of a delivery');
    } finally {
      renewing = false;
    }
  };
  // Runs until the work has ended.
  using _ = setInterval(() => void renew(), pace.renewEveryMs ?? usualRenewMs);
  await work();
}

/** Whether the sender of this delivery was told that it was lost. */
export const wasReportedLost = async (
  { pipeline }: Pick<SlackContext, 'pipeline'>,
  { inbox }: Pick<Interaction, 'inbox'>,
): Promise<boolean> => inbox !== undefined && (await findMessage(pipeline.database.db, lostKey(inbox))) !== undefined;

/** The note before a late answer to somebody who was told that the request was lost; undefined otherwise. */
export async function lateAnswerNote(context: SlackContext, interaction: Interaction): Promise<Drawn | undefined> {
  if (!(await wasReportedLost(context, interaction))) return undefined;
  const { since } = interaction;
  const took = spokenDuration(performance.now() - since);
  return drawNote({ text: say`I told you that this was lost, but it wasn't. It took ${took}, and here it is.` });
}
