import { findMessage } from '../../storage/messages.ts';
import { renewInbox } from '../../storage/inbox.ts';
import { lostKey } from '../../pipeline/messages/housekeeping.ts';
import { spoken } from '../../pipeline/changes/replies.ts';
import { say } from '../../text.ts';
import { drawNote, type Drawn } from '../draw/blocks.ts';
import type { Interaction, SlackContext } from './context.ts';

/** Deliveries that take long: they are held on to while they are worked on, and what is late says so. */

/** How long a delivery is held at a time. */
export const leaseMs = 60_000;
/** Longer than any read may take; what is not done by then hangs, and its sender is to hear that nothing came of it. */
const maxMs = 3_600_000;

/** Runs the work and keeps the delivery ours meanwhile: nobody else is to call it lost. */
export async function whileHeld(
  context: SlackContext,
  { inbox }: Interaction,
  work: () => Promise<void>,
): Promise<void> {
  if (inbox === undefined) return work();
  const { front, owner, log, renewEveryMs } = context;
  const { database } = front;
  const began = performance.now();
  let renewing = false;
  const renew = async (): Promise<void> => {
    if (renewing || performance.now() - began > maxMs) return;
    renewing = true;
    try {
      await database.unflushed(async (tx) => renewInbox(tx, inbox, owner, (await database.now(tx)) + leaseMs));
    } catch (error) {
      // The next time may be early enough.
      log.warn({ err: error, key: inbox }, 'a delivery could not be held');
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), renewEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** What comes before an answer whose sender was told that it was lost; undefined: they were told nothing of that kind. */
export async function afterAll({ front }: SlackContext, { inbox, since }: Interaction): Promise<Drawn | undefined> {
  if (inbox === undefined || !(await findMessage(front.database.db, lostKey(inbox)))) return undefined;
  const took = spoken(performance.now() - since);
  return drawNote({ text: say`I told you that this was lost. It was not: it took ${took}, and here it is.` });
}
