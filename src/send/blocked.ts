import { heldAs, skippedBy } from '../access/authorization.ts';
import { isPartOfBatch, touchChange, type Change } from '../storage/changes.ts';
import { unowned } from '../storage/lease.ts';
import { redraw } from '../storage/redraw.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { pauseOf } from '../storage/kv.ts';
import { readTimeline } from '../storage/timeline.ts';
import type { ReadHandle } from '../storage/schema.ts';
import { inline, joined, say, type Text } from '../words/text.ts';
import { lockInTheWay, lockInBrief } from '../change/lock-in-the-way.ts';
import type { Rechecked } from '../change/recheck.ts';
import { endsUnsent, pausedInWords } from '../change/replies.ts';
import { stateText } from '../change/states-and-events.ts';
import { isSameTimeline } from './failover-and-restore.ts';
import { lookAgainInFreeze } from './held-by-freeze.ts';
import type { SendContext } from './context.ts';

/** What keeps a change from being sent now, and what becomes of it. */

const retryMs = 5_000;

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

/** Cancels a change of a batch that a lock or a freeze holds: waiting would delay others, and people can retry it. */
export async function skipInBatch(
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

/** It can't be sent as it is now: ends it, or looks again. */
export async function endOrWait(
  context: SendContext,
  change: Change,
  checked: Exclude<Rechecked, { kind: 'as it was' }>,
): Promise<void> {
  switch (checked.kind) {
    case 'invalidated':
      return endUnsent(context, change, 'invalidated', checked.why);
    case 'drifted':
      return endUnsent(context, change, 'supersede', checked.why);
    case 'later':
    case 'host trouble':
      return reschedule(context, change, checked.why);
    case 'in freeze': {
      if (isPartOfBatch(change)) return skipInBatch(context, change, checked.why);
      return reschedule(context, change, checked.why, lookAgainInFreeze(change, checked));
    }
  }
}

/** The text says why it waited, as shown on the card. */
export const tooLate = (change: Change): Text =>
  joined([
    say`It was not sent in time.`,
    skippedBy(change) && change.due_at === change.expires_at
      ? say`I could tell nobody else of it, so nobody could have stopped it.`
      : undefined,
    change.last_note === null ? undefined : say`Until then: ${stateText(change)}`,
  ]);

/** Reschedule; the state is unchanged and the card says why. */
export async function reschedule(
  { database }: SendContext,
  change: Change,
  why: Text,
  dueAt = (now: number) => now + retryMs,
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await database.now(tx);
    const last_note = JSON.stringify(say`**Not sent yet.** ${why}`);
    const held = await touchChange(tx, change, { due_at: dueAt(now), ...unowned, last_note });
    if (held === undefined || held.last_note === change.last_note) return;
    await redraw(tx, held.number, now);
  });
}

/** Ends a change that was not sent. */
export async function endUnsent(
  { database, changeStore }: SendContext,
  change: Change,
  kind: 'expire' | 'invalidated' | 'supersede',
  why: Text,
): Promise<void> {
  await database.transaction(async (tx) => {
    const note = { by: 'sitehand', at: await database.now(tx), ...endsUnsent(change, kind, why) };
    await changeStore.advance(tx, change, { kind }, note);
  });
}
