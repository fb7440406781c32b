import { findChange, type Change, type NewChange } from '../storage/changes.ts';
import { exclusiveLock, locksOn, type Lock } from '../storage/locks.ts';
import type { ReadHandle } from '../storage/tx.ts';
import { lockedName } from '../access/targets.ts';
import { lockNeedsOf } from './lock-needs.ts';

/** A lock in force that keeps this change from being approved or sent, or undefined. Its own locks don't count. */
export async function lockInTheWay(
  db: ReadHandle,
  change: Pick<NewChange, 'risk' | 'targets' | 'progress'> & Partial<Pick<Change, 'number'>>,
  now: number,
): Promise<Lock | undefined> {
  const { exclusive, shared } = lockNeedsOf(change);
  const isOthers = (lock: Lock): boolean => lock.change === null || lock.change !== change.number;
  for (const target of exclusive) {
    const held = (await locksOn(db, target, now)).find(isOthers);
    if (held) return held;
  }
  for (const target of shared) {
    const held = await exclusiveLock(db, target, now);
    if (held && isOthers(held)) return held;
  }
  return undefined;
}

/** A lock in the way: the change that holds it (undefined: a person does), and the name of its target. */
export type Held = { readonly lock: Lock; readonly holder: Change | undefined; readonly target: string };

/** Adds the holder to a lock that is in the way of this change. */
export async function withHolder(db: ReadHandle, lock: Lock, wants: Pick<NewChange, 'targets'>): Promise<Held> {
  const holder = lock.change === null ? undefined : await findChange(db, lock.change);
  return { lock, holder, target: lockedName(wants, lock) };
}

/** The lock in the way of a new change, with its holder; or undefined. */
export async function lockAndHolder(db: ReadHandle, wants: Pick<NewChange, 'risk' | 'targets'>, now: number) {
  const lock = await lockInTheWay(db, wants, now);
  return lock && withHolder(db, lock, wants);
}
