import { Refusal } from '../errors.ts';
import { countWaiting, type NewChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { heldLock, type Lock } from '../storage/locks.ts';
import { say } from '../text.ts';
import { lockKey, storedTargets } from './about.ts';

/** What can be in the way of a change that somebody asks for, looked up in the transaction that saves it. */

/** Changes of one person that wait for approval at a time. */
const mostWaiting = 5;

/** A lock on what it changes; of what has to be approved, and locks all that it needs then, on what it reads too. */
export async function lockInTheWay(tx: Tx, row: NewChange, now: number): Promise<Lock | undefined> {
  const locksAll = row.state === 'waiting' && row.risk !== 'routine';
  for (const target of storedTargets(row).slice(0, locksAll ? undefined : 1)) {
    const held = await heldLock(tx, lockKey(target), now);
    if (held) return held;
  }
  return undefined;
}

/** Throws `Refusal` where the asker has enough that waits. */
export async function refuseTooMany(tx: Tx, asker: string): Promise<void> {
  if ((await countWaiting(tx, asker)) < mostWaiting) return;
  throw new Refusal(say`**${mostWaiting} changes of yours wait for approval already.** Nothing was asked.`, {
    hint: 'Cancel one of them, or have it approved.',
    offers: [{ label: 'Show them', words: ['changes', '--mine', '--waiting'] }],
  });
}
