import type { Pause } from '../../commands/kit/builtin.ts';
import { touchChange, type Change } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { unowned } from '../../storage/lease.ts';
import { pauseKey, readKv, writeKv } from '../../storage/kv.ts';
import { timelineChanged } from '../../storage/timeline.ts';
import { code, plain, say, type Text } from '../../text.ts';
import { enqueueOps } from '../messages/ops-messages.ts';
import type { ChangeMemory } from './send-history.ts';
import { alarm, unknownAfterLoss } from '../changes/replies.ts';
import type { StepsContext } from './context.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';

/**
 * A database can lose commits: in a crash after commits that were acknowledged too early, in a failover to a standby
 * that lags, or from a restored backup. A change that it calls unsent may have been sent, by this process or another.
 */

/**
 * Pauses all sending, in every replica and across restarts, until a person resumes it: other changes may have been sent
 * too, by processes that are gone. Call it after `acquireGlobalLock`.
 */
export async function pauseAfterLoss(
  { changeStore }: Pick<StepsContext, 'changeStore'>,
  tx: Tx,
  at: number,
  found: Found,
): Promise<void> {
  const why = plain(found.says);
  // A person's pause stays as it is; the ops channel is told all the same.
  if ((await readKv(tx, pauseKey)) === undefined) {
    const pause: Pause = { by: 'sitehand', name: 'Sitehand', why, at };
    await writeKv(tx, { key: pauseKey, value: JSON.stringify(pause), at });
    await changeStore.note(tx, { event: 'pause', by: 'sitehand', at, details: { reason: why } });
  }
  await enqueueOps(
    tx,
    `lost:${found.key}`,
    say`⚠️ **My database was set back, or may have been, so I paused all sending.** ${found.says} Changes that it calls approved or waiting may have been sent. Please compare those of the last hours with the host's panel, cancel the ones that already happened, then type ${code('resume')}.`,
    at,
  );
}

/** Pauses if PostgreSQL was promoted or restored since the last send; true if so. Call it after `acquireGlobalLock`. */
export async function pauseIfPromoted(
  context: Pick<StepsContext, 'changeStore'>,
  tx: Tx,
  at: number,
): Promise<boolean> {
  if (!(await timelineChanged(tx, at))) return false;
  const says = say`PostgreSQL was promoted, restored or moved since the last send, and may have lost commits.`;
  await pauseAfterLoss(context, tx, at, { key: `timeline:${at}`, says });
  return true;
}

/** The row is older than what this process knows: the change is unknown if it may have been sent. */
export async function declareLost(context: StepsContext, change: Change, known: ChangeMemory): Promise<void> {
  const { database, changeStore, history } = context;
  const believed = await exclusiveTransaction(database, async (tx, at) => {
    await pauseAfterLoss(context, tx, at, foundOf(change));
    const mayBeSent = change.state === 'approved' || (change.state === 'waiting' && known.sentAt !== undefined);
    if (!mayBeSent) return touchChange(tx, change, { due_at: at, ...unowned });
    return changeStore.advance(
      tx,
      change,
      { kind: 'commit_lost', sentAt: known.sentAt ?? at },
      { by: 'sitehand', at, details: { known }, ...alarm(change, unknownAfterLoss(known.sentAt)) },
    );
  });
  if (believed) history.believe(believed);
}

/** Evidence of lost commits: a sentence for the ops channel, and a key to report it once. */
export type Found = { readonly key: string; readonly says: Text };

export const foundOf = ({ number, version, state }: Pick<Change, 'number' | 'version' | 'state'>): Found => ({
  key: `${number}:${version}`,
  says: say`#${number} is ${state} there, but I had seen it further along.`,
});
