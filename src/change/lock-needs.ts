import type { NewChange } from '../storage/changes.ts';
import { lockKey, storedTargets } from '../access/targets.ts';

/** The targets that a change locks exclusively, and those on which it only takes a shared lock. */
type LockNeeds = { readonly exclusive: readonly string[]; readonly shared: readonly string[] };

/**
 * A routine change only shares its target. Any other change locks its target exclusively and shares what it only
 * reads. A batch needs no locks: its changes take them.
 */
export function lockNeedsOf(change: Pick<NewChange, 'risk' | 'targets' | 'progress'>): LockNeeds {
  if (change.progress) return { exclusive: [], shared: [] };
  const [target, ...sources] = storedTargets(change).map(lockKey);
  const own = target === undefined ? [] : [target];
  return change.risk === 'routine' ? { exclusive: [], shared: own } : { exclusive: own, shared: sources };
}
