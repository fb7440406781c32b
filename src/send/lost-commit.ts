import { parseStored } from '../storage/parse-json.ts';
import { touchChange, isBatch, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { unowned } from '../storage/lease.ts';
import { pauseKeys, readKv, writeKv, type Pause } from '../storage/kv.ts';
import { attempt } from '../base/errors.ts';
import { plain, say, typed, type Text } from '../words/text.ts';
import { enqueueOps } from '../post/ops-channel-health.ts';
import type { ChangeMemory } from './send-history.ts';
import { batchSetBack } from '../change/batch-card.ts';
import { alarm, unknownAfterLoss } from '../change/replies.ts';
import type { SendContext } from './context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';

/**
 * A database can lose commits: in a crash, if it acknowledged them too early; in a failover to a standby that lags; by
 * a restore from a backup. Then a change that it calls unsent may have been sent, by this process or another.
 */

/** Evidence of lost commits: a sentence for the ops channel, and a key to report it once. */
export type LostCommit = { readonly key: string; readonly says: Text };

export const lostCommitOf = ({ number, version, state }: Pick<Change, 'number' | 'version' | 'state'>): LostCommit => ({
  key: `${number}:${version}`,
  says: say`#${number} is ${state} there, but I had seen it further along.`,
});

const cancelThem = say`Changes that it calls approved or waiting may have been sent. Please compare those of the last hours with the host's panel, cancel the ones that already happened, then type ${typed('resume')}.`;

/**
 * Pauses all sending, in every replica and across restarts, until a person resumes it: processes that are gone may have
 * sent other changes too. `next` says what to do about them. Call it after `acquireGlobalLock`.
 */
export async function pauseAfterLoss(
  { changeStore }: Pick<SendContext, 'changeStore'>,
  tx: Tx,
  at: number,
  found: LostCommit,
  next: Text = cancelThem,
): Promise<void> {
  const why = plain(found.says);
  const stored = await readKv(tx, pauseKeys.all);
  const earlier = stored && attempt(() => parseStored<Pause>(stored.value));
  // Keep a person's pause below this one: whoever ends theirs may not know of the loss.
  if (stored === undefined || (earlier && earlier.by !== 'sitehand')) {
    const pause: Pause = { by: 'sitehand', name: 'Sitehand', why, at, ...(earlier && { earlier }) };
    await writeKv(tx, { key: pauseKeys.all, value: JSON.stringify(pause), at });
    await changeStore.note(tx, { event: 'pause', by: 'sitehand', at, about: 'company', details: { reason: why } });
  }
  await enqueueOps(
    tx,
    `lost:${found.key}`,
    say`⚠️ **My database was set back, or may have been, so I paused all sending.** ${found.says} ${next}`,
    at,
  );
}

/** The row is older than what this process knows: marks the change unknown if it may have been sent. */
export async function markLost(context: SendContext, change: Change, known: ChangeMemory): Promise<void> {
  const { database, history } = context;
  const believed = await exclusiveTransaction(database, async (tx, at) => {
    await pauseAfterLoss(context, tx, at, lostCommitOf(change));
    if (mayBeSent(change, known)) return markUnknownIfSent(context, tx, change, known, at);
    return touchChange(tx, change, { due_at: at, ...unowned });
  });
  if (believed) history.believe(believed);
}

/** Whether, according to this process, a change may have been sent although its row says unsent. */
export const mayBeSent = ({ state }: Pick<Change, 'state'>, known: ChangeMemory): boolean =>
  ['approved', 'running', 'stopped'].includes(state) || (state === 'waiting' && known.sentAt !== undefined);

/** Marks such a change unknown, or ends it if it is a batch. Undefined if somebody else moved it first. */
export function markUnknownIfSent(
  { changeStore }: SendContext,
  tx: Tx,
  change: Change,
  known: ChangeMemory,
  at: number,
): Promise<Change | undefined> {
  const base = { by: 'sitehand', at, details: { known } };
  if (isBatch(change)) {
    const kind = change.state === 'waiting' || change.state === 'approved' ? 'supersede' : 'end';
    const note = { ...base, ...batchSetBack(change, say`My database lacks some of it.`) };
    return changeStore.advance(tx, change, { kind }, note);
  }
  const sentAt = known.sentAt ?? at;
  const note = { ...base, ...alarm({ ...change, sent_at: sentAt }, unknownAfterLoss(known.sentAt)) };
  return changeStore.advance(tx, change, { kind: 'commit_lost', sentAt }, note);
}
