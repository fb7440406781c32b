import { heldAs } from '../access/authorization.ts';
import type { Change } from '../storage/changes.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { pauseOf } from '../storage/kv.ts';
import { readTimeline } from '../storage/timeline.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { inline, say, type Text } from '../words/text.ts';
import { lockInTheWay, lockInBrief } from '../change/lock-in-the-way.ts';
import { pausedInWords } from '../change/replies.ts';
import { isSameTimeline } from './failover-and-restore.ts';
import type { SendContext } from './context.ts';

/** Why a change can't be sent for now; undefined: it can. */
export async function blockedReason(
  db: ReadHandle,
  change: Change,
  now: number,
): Promise<{ readonly kind: 'paused' | 'locked'; readonly why: Text } | undefined> {
  const paused = await pauseOf(db, heldAs(change));
  if (paused) return { kind: 'paused', why: inline(pausedInWords[paused]) };
  const lock = await lockInTheWay(db, change, now);
  return lock && { kind: 'locked', why: lockInBrief(lock, change) };
}

/** Cancels a change of a batch whose target is locked: waiting would delay others, and people can retry it. */
export async function cancelAtLock(
  { database, changeStore, history }: SendContext,
  change: Change,
  why: Text,
): Promise<void> {
  await exclusiveTransaction(database, async (tx, at) => {
    // The change may have been sent; the worker's next poll handles that.
    if (!isSameTimeline(history, await readTimeline(tx))) return;
    await changeStore.advance(
      tx,
      change,
      { kind: 'cancel' },
      { by: 'sitehand', at, lastNote: say`**${why}** Nothing was sent.` },
    );
  });
}
