import type { Change } from '../../storage/changes.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { pauseKey, readKv } from '../../storage/kv.ts';
import { readTimeline } from '../../storage/timeline.ts';
import { say, type Text } from '../../text.ts';
import { lockInTheWay } from '../changes/lock-in-the-way.ts';
import { lockedBy } from '../changes/replies.ts';
import { isSameTimeline } from './ask-again.ts';
import type { StepsContext } from './context.ts';

/** What keeps an approved change from being sent for now. */

/** A pause or another lock that stops the send for now. */
export async function blockedReason(
  database: Database,
  change: Change,
  tx?: Tx,
): Promise<{ readonly kind: 'paused' | 'locked'; readonly why: Text } | undefined> {
  const db = tx ?? database.db;
  if ((await readKv(db, pauseKey)) !== undefined) return { kind: 'paused', why: say`All sending is paused.` };
  const lock = await lockInTheWay(db, change, await database.now(tx));
  return lock && { kind: 'locked', why: lockedBy(lock, change) };
}

/** A change of a batch does not wait for a lock: it would keep another one from its turn. People can retry it. */
export async function skip({ database, changeStore, history }: StepsContext, change: Change, why: Text): Promise<void> {
  await exclusiveTransaction(database, async (tx, at) => {
    // It may have been sent. Looking for work deals with it.
    if (!isSameTimeline(history, await readTimeline(tx))) return;
    await changeStore.advance(tx, change, { kind: 'cancel' }, { by: 'sitehand', at, lastNote: why });
  });
}
