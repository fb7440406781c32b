import type { Change } from '../../storage/changes.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { isPaused } from '../../storage/kv.ts';
import { readTimeline } from '../../storage/timeline.ts';
import type { ReadHandle } from '../../storage/tx.ts';
import { say, type Text } from '../../text.ts';
import { lockInTheWay } from '../changes/lock-in-the-way.ts';
import { lockInBrief } from '../changes/lock-replies.ts';
import { isSameTimeline } from './ask-again.ts';
import type { StepsContext } from './context.ts';

/** What stops the send for now. */
export async function blockedReason(
  db: ReadHandle,
  change: Change,
  now: number,
): Promise<{ readonly kind: 'paused' | 'locked'; readonly why: Text } | undefined> {
  if (await isPaused(db)) return { kind: 'paused', why: say`All sending is paused.` };
  const lock = await lockInTheWay(db, change, now);
  return lock && { kind: 'locked', why: lockInBrief(lock, change) };
}

/** A change of a batch does not wait for a lock: it would keep another one from its turn. People can retry it. */
export async function cancelAtLock(
  { database, changeStore, history }: StepsContext,
  change: Change,
  why: Text,
): Promise<void> {
  await exclusiveTransaction(database, async (tx, at) => {
    // It may have been sent; the worker's next poll deals with it.
    if (!isSameTimeline(history, await readTimeline(tx))) return;
    await changeStore.advance(
      tx,
      change,
      { kind: 'cancel' },
      { by: 'sitehand', at, lastNote: say`**${why}** Nothing was sent.` },
    );
  });
}
