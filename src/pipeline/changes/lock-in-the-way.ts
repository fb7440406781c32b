import type { NewChange } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { heldLock, type Lock } from '../../storage/locks.ts';
import { lockKey, storedTargets } from '../access/targets.ts';

/** Locks that stop a new change, checked in the transaction that saves it. */

/** A lock on the target. If the approval will lock the targets that are only read, a lock on those too. */
export async function lockInTheWay(tx: Tx, row: NewChange, now: number): Promise<Lock | undefined> {
  const locksAll = row.state === 'waiting' && row.risk !== 'routine';
  for (const target of storedTargets(row).slice(0, locksAll ? undefined : 1)) {
    const held = await heldLock(tx, lockKey(target), now);
    if (held) return held;
  }
  return undefined;
}
