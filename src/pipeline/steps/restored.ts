import { auditHead } from '../../storage/audit.ts';
import { closeAllInbox } from '../../storage/inbox.ts';
import { rebindButtons } from '../../storage/messages.ts';
import { noteRestore } from '../../storage/timeline.ts';
import type { Tx } from '../../storage/tx.ts';
import { restoredEvent } from '../../storage/verify.ts';
import { say, time } from '../../text.ts';
import { sealIn } from '../audit/audit-keys.ts';
import type { StepsContext } from './context.ts';
import { pauseAfterLoss } from './lost-commit.ts';

/** A restore. `former`: the id of the database in the backup; `from`: the newest time in it, epoch ms; `by`: a person. */
type Restore = { readonly former: string; readonly from: number; readonly by: string };

/**
 * Call it in the transaction that restored the rows; they lack what happened since the backup. Pauses sending and adds
 * a line to the trail; buttons posted before no longer work. Rejects if the trail has a key that is not the current
 * one.
 */
export async function acknowledgeRestore(
  context: Pick<StepsContext, 'database' | 'changeStore' | 'auditKeys'>,
  tx: Tx,
  at: number,
  { former, from, by }: Restore,
): Promise<void> {
  const { database, changeStore } = context;
  const { seq, hash } = await auditHead(tx);
  await sealIn(context, tx, at);
  const details = { by, from, former, head: { seq, hash } };
  await changeStore.note(tx, { event: restoredEvent, by: 'sitehand', at, details });
  await noteRestore(tx, former, { from, at });
  // Otherwise people would be told that nothing was done, although it may have been done after the backup.
  await closeAllInbox(tx, at);
  await rebindButtons(tx, former, database.installation, at);
  const says = say`${by} restored it from a backup of ${time(from, 'date')}. I know nothing of what happened after that, and buttons posted before the restore no longer work.`;
  await pauseAfterLoss(context, tx, at, { key: `restored:${at}`, says });
}
