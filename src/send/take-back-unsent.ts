import type { Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { say } from '../words/text.ts';
import { batchProgress } from '../change/batch.ts';
import type { SendContext } from './context.ts';

/**
 * Cancels the changes that a stopping batch has begun and not sent: a pause or a busy host could delay one for minutes.
 * Their items have to be done again. Resolves with the batch and its changes as they are then. Call it while holding
 * the global lock.
 */
export async function takeBackUnsent(
  { changeStore, history }: SendContext,
  tx: Tx,
  { batch, changes }: { readonly batch: Change; readonly changes: readonly Change[] },
  { by, at }: { readonly by: string; readonly at: number },
): Promise<{ readonly batch: Change; readonly changes: readonly Change[] }> {
  const after = new Map(changes.map((one) => [one.number, one]));
  const recalled = new Set<number>();
  const note = { by, at, lastNote: say`Its batch stopped before it was sent.` };
  for (const change of changes) {
    // If a change was sent although the database calls it unsent, the worker's next poll handles it.
    if (change.state !== 'approved' || history.newerThan(change) !== undefined) continue;
    const cancelled = await changeStore.advance(tx, change, { kind: 'cancel' }, note);
    if (cancelled === undefined) continue;
    after.set(change.number, cancelled);
    recalled.add(change.number);
  }
  const progress = batchProgress(batch);
  const items = progress.items.map((item) => (recalled.has(item.change ?? -1) ? {} : item));
  return { batch: { ...batch, progress: JSON.stringify({ ...progress, items }) }, changes: [...after.values()] };
}
