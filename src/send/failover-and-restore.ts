import { auditHead } from '../storage/audit.ts';
import { listChanges, isBatch, isPartOfBatch, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { closeAllInbox } from '../storage/inbox.ts';
import { redrawOpen } from '../storage/redraw.ts';
import type { State } from '../words/states.ts';
import type { Needed } from '../policy/rules.ts';
import { adoptIn } from '../storage/former-tables.ts';
import { skipNumbers } from '../storage/sql-dialect.ts';
import { noteRestore, readTimeline, saveTimeline, type Timeline } from '../storage/timeline.ts';
import { listOpen, type Waiting } from '../storage/waiting.ts';
import type { WaitingKind } from '../storage/waiting-table.ts';
import { restoredEvent } from '../storage/verify.ts';
import { voidVotes } from '../storage/votes.ts';
import { joined, say, time, typed, type Text } from '../words/text.ts';
import { sealIn } from '../audit/audit-keys.ts';
import { authorizationOf } from '../access/authorization.ts';
import { batchSetBack } from '../change/batch-card.ts';
import { callOf } from '../change/pin.ts';
import { endSetBack } from '../change/handed-on.ts';
import { endQueued } from '../change/queue.ts';
import { alarm, askedAgain, endsUnsent, leftToTimer, orphaned, unknownAfterSetBack } from '../change/replies.ts';
import type { SendContext } from './context.ts';
import { markUnknownIfSent, mayBeSent, pauseAfterLoss, type LostCommit } from './lost-commit.ts';
import { escalationsOf, nextReminder } from './reminders.ts';
import type { SendHistory } from './send-history.ts';

/**
 * What follows a failover or a restore. The database may lack its newest rows, so it can't be trusted about open
 * changes: a person has to compare them with the host before they are sent.
 */

/** How many changes are read at a time. */
const pageSize = 100;
/** How many changes the ops channel is told by number. */
const maxNamed = 20;
/** Skip numbers: cards of lost changes still carry the old ones. */
const skippedNumbers = 1_000;
/** In this order, so that no change is handled twice. */
const states: readonly State[] = ['sending', 'waiting', 'approved', 'running', 'stopped'];

/** Whether no failover or restore happened since the last check. */
export const isSameTimeline = (history: Pick<SendHistory, 'timeline'>, { now, saved, restored }: Timeline): boolean =>
  now === saved && restored === undefined && now === (history.timeline() ?? now);

/**
 * Notices that PostgreSQL was promoted, restored or moved, or that a backup was restored. Then it pauses sending,
 * asks again for approved changes, and marks as unknown what was being sent. This happens once; every process that
 * was running before adds the sends that it remembers.
 */
export async function handleSetBack(context: SendContext): Promise<void> {
  const { database, history } = context;
  // A newer version has changed the tables and does this check itself.
  if (database.isOutdated()) return;
  const seen = await readTimeline(database.db);
  if (isSameTimeline(history, seen)) return history.sawTimeline(seen.now);
  const { now, remembered } = await exclusiveTransaction(database, async (tx, at) => {
    const timeline = await readTimeline(tx);
    const found = foundIn(timeline, at);
    const [moved, remembered] = await moveAll(context, tx, at, found);
    if (found) {
      await adoptIn(tx, Number.MAX_SAFE_INTEGER);
      for (const fate of Object.values(fates)) if (fate !== 'goes on') await fate(context, tx, at, found);
      await skipNumbers(tx, skippedNumbers);
      await pauseAfterLoss(context, tx, at, found, whatNext(moved));
    }
    await saveTimeline(tx, timeline, at);
    return { now: timeline.now, remembered };
  });
  history.sawTimeline(now);
  remembered.forEach(history.believe);
}

/** What becomes of what waits, by its kind. What goes on writes nothing before it has read how things are. */
const fates: Readonly<Record<WaitingKind | 'timed access', Fate>> = {
  // Its change may have been saved and sent already.
  queue: async ({ changeStore }, tx, at, { says }) =>
    endAll(tx, 'queue', async (row) => endQueued(tx, changeStore.note, row, { kind: 'set back', says }, at)),
  // Somebody may have run it already.
  hand_on: async (context, tx, at) => endAll(tx, 'hand_on', async (row) => endSetBack(context, tx, row, at)),
  // They only read: at worst a channel is told twice, or one that was stopped lately has to be stopped again.
  watch: 'goes on',
  digest: 'goes on',
  post_review: 'goes on',
  // `moveOne` ends the removal that was on its way, and the timer reads the list again.
  'timed access': 'goes on',
};

type Fate = 'goes on' | ((context: SendContext, tx: Tx, at: number, found: LostCommit) => Promise<void>);

async function endAll<K extends WaitingKind>(
  tx: Tx,
  kind: K,
  end: (row: Waiting<K>) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const rows = await listOpen(tx, [kind], { limit: pageSize });
    for (const row of rows) await end(row);
    if (rows.length < pageSize) return;
  }
}

/** What happened to the database. Undefined: nothing, another process handled it, or the database is new. */
function foundIn({ now, saved, restored }: Timeline, at: number): LostCommit | undefined {
  if (restored) {
    const says = say`The database was restored from a backup of ${time(restored.from, 'date')}, and lacks what was done since.`;
    return { key: `restored:${restored.at}`, says };
  }
  if (saved === undefined || saved === now) return undefined;
  const says = say`PostgreSQL was promoted, restored or moved, and may lack what was done last.`;
  return { key: `timeline:${at}`, says };
}

/** Resolves with the changes that moved, and with the new rows of those that this process remembers. */
async function moveAll(context: SendContext, tx: Tx, at: number, found: LostCommit | undefined) {
  const moved: Moved[] = [];
  const remembered: Change[] = [];
  for (const state of states) {
    for (let beforeNumber: number | undefined; ;) {
      const page = await listChanges(tx, { state, limit: pageSize, beforeNumber });
      for (const change of page) {
        const isKnown = context.history.newerThan(change) !== undefined;
        const after = await moveOne(context, tx, change, at, found);
        if (after) moved.push({ number: after.number, state: after.state });
        if (isKnown) remembered.push(after ?? change);
      }
      beforeNumber = page.at(-1)?.number;
      if (page.length < pageSize) break;
    }
  }
  return [moved, remembered] as const;
}

type Moved = Pick<Change, 'number' | 'state'>;

/** Undefined if the change stays as it is. */
async function moveOne(
  context: SendContext,
  tx: Tx,
  change: Change,
  at: number,
  found: LostCommit | undefined,
): Promise<Change | undefined> {
  const { changeStore, history } = context;
  const known = history.newerThan(change);
  if (known && mayBeSent(change, known)) return markUnknownIfSent(context, tx, change, known, at);
  if (found === undefined) return undefined;
  const { says: why, key } = found;
  const base = { by: 'sitehand', at, details: { found: key } };
  const { approval, asks = [], timerOf } = authorizationOf(change);
  if (change.state === 'sending')
    return changeStore.advance(tx, change, { kind: 'outcome_lost' }, { ...base, ...alarm(change, orphaned(change)) });
  const window = windowOf(change, at);
  if (isBatch(change) && (change.state !== 'waiting' || window === 'over')) {
    const kind = change.state === 'running' || change.state === 'stopped' ? 'end' : 'supersede';
    return changeStore.advance(tx, change, { kind }, { ...base, ...batchSetBack(change, why) });
  }
  const expiresAt = askedAgainUntil(change, approval, at);
  if (expiresAt !== undefined) {
    const remindAt = Math.min(nextReminder(at, expiresAt, at), ...escalationsOf(change, { asks }));
    await voidVotes(tx, change.number);
    const note = { ...base, ...askedAgain(change, why, expiresAt) };
    return changeStore.advance(tx, change, { kind: 'ask_again', expiresAt, remindAt }, note);
  }
  const unsent = unsentAnyway(change, timerOf, why, window);
  if (unsent) return changeStore.advance(tx, change, { kind: 'supersede' }, { ...base, ...unsent });
  // The change sends nothing, so nothing can be sent twice.
  if (callOf(change) === undefined) return undefined;
  const says = unknownAfterSetBack(why);
  const note = { ...base, ...alarm({ ...change, sent_at: at }, says) };
  return changeStore.advance(tx, change, { kind: 'commit_lost', sentAt: at }, note);
}

/** The note of a change that was not sent, or is made anew, whatever the database lacks. */
function unsentAnyway(change: Change, timerOf: number | undefined, why: Text, window: ReturnType<typeof windowOf>) {
  // The timer makes a new change, after reading what is still on the list.
  if (timerOf !== undefined) return leftToTimer(why, timerOf);
  return window === 'ahead' ? endsUnsent(change, 'supersede', why) : undefined;
}

/** Until when it is asked for again, epoch ms; undefined: it needs no approval of its own, or its window is over. */
function askedAgainUntil(change: Change, approval: 'none' | Needed, at: number): number | undefined {
  if (approval === 'none' || isPartOfBatch(change)) return undefined;
  const window = windowOf(change, at);
  if (window === 'over') return undefined;
  return window === 'none' ? at + approval.expires : change.expires_at;
}

/** Where a moment is, as seen from the window of a change: what is ahead can't have been sent yet. */
function windowOf({ scheduled_at, expires_at }: Change, at: number): 'none' | 'ahead' | 'open' | 'over' {
  if (scheduled_at === null) return 'none';
  if (at < scheduled_at) return 'ahead';
  return at < expires_at ? 'open' : 'over';
}

/** For the ops channel: what became of open changes, and what to do. */
function whatNext(moved: readonly Moved[]): Text {
  const those = (state: State): string => named(moved.filter((one) => one.state === state));
  const [asked, unknown] = [those('waiting'), those('unknown')];
  return joined([
    asked === '' ? undefined : say`I'm asking again for ${asked}.`,
    unknown === '' ? undefined : say`The outcome of ${unknown} is unknown.`,
    say`Other changes may have been done that I no longer know of. Please compare the last hours with the host's panel, then type ${typed('resume')}.`,
  ]);
}

function named(changes: readonly Moved[]): string {
  const numbers = changes.map(({ number }) => `#${number}`).toReversed();
  const more = numbers.length - maxNamed;
  return more > 0 ? `${numbers.slice(0, maxNamed).join(', ')} and ${more} more` : numbers.join(', ');
}

/** A restore. `former`: the id of the database in the backup; `from`: the newest time in it, epoch ms; `by`: a person. */
type Restore = { readonly former: string; readonly from: number; readonly by: string };

/**
 * Call it in the transaction that restored the rows; they lack what happened since the backup. Pauses sending and adds
 * a line to the trail; buttons posted before no longer work. Rejects if the trail has a key that is not the current
 * one.
 */
export async function acknowledgeRestore(
  context: Pick<SendContext, 'database' | 'changeStore' | 'auditKeys'>,
  tx: Tx,
  at: number,
  { former, from, by }: Restore,
): Promise<void> {
  const { changeStore } = context;
  const { seq, hash } = await auditHead(tx);
  await sealIn(context, tx, at);
  const details = { by, from, former, head: { seq, hash } };
  await changeStore.note(tx, { event: restoredEvent, by: 'sitehand', at, about: 'company', details });
  await noteRestore(tx, former, { from, at });
  // Otherwise people would be told that nothing was done, although it may have been done after the backup.
  await closeAllInbox(tx, at);
  await redrawOpen(tx, at);
  const says = say`${by} restored it from a backup of ${time(from, 'date')}. I know nothing of what happened after that, and buttons posted before the restore no longer work.`;
  await pauseAfterLoss(context, tx, at, { key: `restored:${at}`, says });
}
