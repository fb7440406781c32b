import { failpoint } from '../base/failpoints.ts';
import { findSaved, type Change, type NewChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { LockHeld } from '../change/change-store.ts';
import { reasonProblem } from '../access/reason.ts';
import { refuseUnlessConfirmed, type Confirmation } from '../change/confirmation.ts';
import { idsOf } from '../policy/memberships.ts';
import { lockedOut } from '../change/lock-in-the-way.ts';
import { refuseIfAsked, refuseTooMany } from './open-changes.ts';
import { rowOf, type Requester } from '../send/new-change.ts';
import type { Pinned } from '../change/pin.ts';
import { handleSetBack } from '../send/failover-and-restore.ts';
import { checkBefore } from '../send/check-around.ts';
import { useHandedOnFor, whoIsInvolved } from '../change/handed-on.ts';
import { usePlace } from '../change/queue.ts';
import { begin } from './begin.ts';
import { claimDelivery } from './claim-delivery.ts';
import type { SendContext } from '../send/context.ts';

/**
 * Saves the change if its inbox row is still open; undefined if not, as its sender was told that nothing was done.
 * Throws `Refusal` (`Locked`, or `NotAsShown`) if a lock is held or it wasn't confirmed as pinned. `also` runs in the
 * same transaction: if it throws, nothing is saved.
 */
export async function save(
  context: SendContext,
  pinned: Pinned,
  requester: Requester,
  confirmation: Confirmation,
  inboxKey: string | undefined,
  also?: (tx: Tx, saved: Change) => Promise<void>,
): Promise<Change | undefined> {
  const { database, changeStore } = context;
  refuseUnlessConfirmed(pinned, confirmation);
  const unreasoned = reasonProblem(pinned);
  if (unreasoned) throw unreasoned;
  await handleSetBack(context); // Detect a failover first, so this change isn't treated as older.
  const { handedOn, known } = await whoIsInvolved(context, pinned, requester.person.id);
  failpoint('request checked', requester.person.id);
  let begunRow: NewChange | undefined;
  try {
    const change = await database.transaction(async (tx) => {
      const now = await database.now(tx);
      begunRow = undefined;
      if (!(await claimDelivery(tx, inboxKey, now))) return undefined;
      const row = rowOf(known, requester, now, { inboxKey, handedOnBy: handedOn?.requester });
      await refuseIfAsked(tx, row);
      await refuseTooMany(tx, row, idsOf(context.policy(), row.requester));
      const saved = await begin(tx, changeStore, row, now);
      begunRow = row;
      await also?.(tx, saved);
      // A removal by a timer uses nobody's place in a queue, nor does what is to be sent later.
      if (confirmation !== 'timer' && saved.scheduled_at === null) await usePlace(context, tx, saved, now);
      if (handedOn) await useHandedOnFor(context, tx, handedOn, saved, now);
      return saved;
    });
    return change && whenSaved(context, change);
  } catch (error) {
    if (error instanceof LockHeld) throw lockedOut(error.held, pinned, await database.now());
    // If only the answer to the commit was lost, the change is saved and will be sent.
    const saved = begunRow && (await findSaved(database.db, begunRow).catch(() => undefined));
    if (saved === undefined) throw error;
    return whenSaved(context, saved);
  }
}

/** Approvers see the site's state; changes sent at once are read in `execute`. Returns the change. */
function whenSaved(context: SendContext, change: Change): Change {
  failpoint('request saved', change.number);
  context.onSaved();
  if (change.state === 'waiting') void checkBefore(context, change);
  return change;
}
