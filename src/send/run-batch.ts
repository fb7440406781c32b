import { parseStored } from '../storage/parse-json.ts';
import { changesInBatch, countRunning, findChange, touchChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { pauseOf, type PauseScope } from '../storage/kv.ts';
import { unowned } from '../storage/lease.ts';
import { redraw } from '../storage/redraw.ts';
import { readTimeline } from '../storage/timeline.ts';
import { states } from '../words/states.ts';
import { joined, say, type Text } from '../words/text.ts';
import { askedPeople } from '../access/approver-lookup.ts';
import { authorizationOf, batchValidityOf, heldAs } from '../access/authorization.ts';
import {
  badChanges,
  begunFor,
  nextStep,
  batchItemsOf,
  batchProgress,
  stoppedFor,
  standingsOf,
  type CanarySite,
  type BatchProgress,
  type StopReason,
} from '../change/batch.ts';
import { endedReply, stopNote, stoppedReply, whyStopped, stoppedReplyKey } from '../change/batch-card.ts';
import { fingerprint } from '../change/pin.ts';
import { pausedInWords } from '../change/replies.ts';
import { lockInTheWay, lockedBy } from '../change/lock-in-the-way.ts';
import { keptReadings } from '../change/site-readings.ts';
import { isSameTimeline } from './failover-and-restore.ts';
import { mayBreakSite } from './check-around.ts';
import { cutShortBy } from './held-by-freeze.ts';
import type { SendContext } from './context.ts';
import { newChangeDetails, rowInBatch } from './new-change.ts';
import { nextReminderOfUnknown } from './reminders.ts';

/** Moves a batch: begins the changes of its items a few at a time, stops it at the first bad end, and ends it. */

/** How soon a batch with changes under way is looked at again; a move of one of its changes also wakes it. */
const againMs = 1_000;
const pausedMs = 5_000;
/** The least time between redraws of the card. Several batches share half of the app's edits, so they redraw less often. */
const redrawMs = 5_000;
const editsPerMinute = 25;
/** Readings of a site that haven't arrived by then won't arrive. */
const readingsWithinMs = 150_000;

/**
 * Begins an approved batch; `execute` has just checked rights and targets. It begins no change from `until` (epoch ms)
 * on, when a freeze begins or its window ends.
 */
export async function startBatch(context: SendContext, seen: Change, until: number): Promise<void> {
  await exclusiveTransaction(context.database, async (tx, at) => {
    const change = await currentBatch(context, tx, seen);
    // If the freeze has begun by now, the next look after this lease says so.
    if (change === undefined || at >= until) return;
    const note = { by: 'sitehand', at };
    // Use the validity from the request: a policy edit since then doesn't change it.
    const expiresAt = Math.min(at + batchValidityOf(change), until);
    await context.changeStore.advance(tx, change, { kind: 'start', expiresAt }, note);
  });
  context.onSaved();
}

/** One step of a running or stopped batch. */
export async function runBatch(context: SendContext, seen: Change): Promise<void> {
  await exclusiveTransaction(context.database, async (tx, at) => {
    const batch = await currentBatch(context, tx, seen);
    if (batch === undefined) return;
    const changes = await changesInBatch(tx, batch.number);
    const progress = batchProgress(batch);
    const step = nextStep(progress, changes, {
      state: batch.state === 'running' ? 'running' : 'stopped',
      isValid: at < batch.expires_at,
      canarySite: await canarySiteOf(tx, progress, changes, at),
    });
    const paused = await pauseOf(tx, heldAs(batch));
    const run: Run = { context, tx, batch, changes, progress, at, paused };
    switch (step.kind) {
      case 'begin':
        if (paused) return reschedule(run, progress, pausedMs);
        return beginItems(run, step.items, step.isCanaryPassed);
      case 'wait':
        if (
          batch.state === 'stopped' &&
          progress.isSummaryPending &&
          !standingsOf(progress, changes).includes('under way')
        )
          return sumUp(run);
        return waitFor(await withoutUnsent(run));
      case 'halt':
        return haltBatch(run, step.why);
      case 'all done':
      case 'all accepted':
      case 'end':
        return endBatch(run, batchEnds[step.kind]);
    }
  });
  context.onSaved();
}

const batchEnds = { 'all done': 'all_done', 'all accepted': 'all_accepted', end: 'end' } as const;

async function endBatch(run: Run, kind: (typeof batchEnds)[keyof typeof batchEnds]): Promise<void> {
  const { context, tx, batch, changes, at } = run;
  const why = kind === 'end' ? cutBy(run) : undefined;
  const reply = endedReply(batch, changes, kind, why);
  const note = { by: 'sitehand', at, reply, replyKey: `${batch.number}:ended`, tell: [batch.requester] };
  const lastNote = why && joined([states.ended.says, why]);
  await context.changeStore.advance(tx, batch, { kind }, { ...note, ...(lastNote && { lastNote }) });
}

/** A step in its transaction. `changes`: those that the batch has begun. */
type Run = {
  readonly context: SendContext;
  readonly tx: Tx;
  readonly batch: Change;
  readonly changes: readonly Change[];
  readonly progress: BatchProgress;
  readonly at: number;
  readonly paused: PauseScope | undefined;
};

/** The batch as of this transaction; undefined if somebody else moved it, or the database may have been set back. */
async function currentBatch({ history, owner }: SendContext, tx: Tx, seen: Change): Promise<Change | undefined> {
  const change = await findChange(tx, seen.number);
  if (change?.version !== seen.version || change.owner !== owner) return undefined;
  return isSameTimeline(history, await readTimeline(tx)) ? change : undefined;
}

/** Begins a change for each of these items, as pinned. Skips an item whose target is locked, and says who locked it. */
async function beginItems(run: Run, indexes: readonly number[], isCanaryPassed: boolean): Promise<void> {
  const { context, tx, batch, progress, at } = run;
  const pinned = batchItemsOf(batch) ?? [];
  if (fingerprint(batch.call, batch.card) !== batch.fingerprint)
    throw new Error(`#${batch.number} is not as it was pinned`);
  const items = [...progress.items];
  for (const index of indexes) {
    const item = pinned[index];
    if (item === undefined) throw new Error(`#${batch.number} has no item ${index}`);
    const row = rowInBatch(batch, item, at);
    const held = await lockInTheWay(tx, row, at);
    if (held) {
      items[index] = { skipped: lockedBy(held, row) };
      continue;
    }
    const details = { ...newChangeDetails(row), batch: batch.number };
    const { number } = await context.changeStore.begin(tx, row, { by: row.requester, at, details });
    items[index] = { change: number };
  }
  const canary = progress.canary && { ...progress.canary, isPassed: progress.canary.isPassed || isCanaryPassed };
  await reschedule(run, { ...progress, items, ...(canary && { canary }) }, againMs);
}

/** After a stop, cancels changes that are back to approved because the host did not take them. */
async function withoutUnsent(run: Run): Promise<Run> {
  const { context, tx, batch, changes, at } = run;
  if (batch.state === 'running' || changes.every(({ state }) => state !== 'approved')) return run;
  const after = await takeBackUnsent(context, tx, run, { by: 'sitehand', at });
  return { ...run, changes: after.changes, progress: { ...batchProgress(after.batch), isSummaryPending: true } };
}

/** Looks again: soon while changes are under way, else at the end of its validity or for a reminder. */
async function waitFor(run: Run): Promise<void> {
  const { context, tx, batch, changes, progress, at } = run;
  const standings = standingsOf(progress, changes);
  if (batch.state === 'running' || standings.includes('under way')) return reschedule(run, progress, againMs);
  if (!standings.includes('unknown')) return reschedule(run, progress, Math.max(againMs, batch.expires_at - at));
  // The requester and the ops channel were told at the stop.
  const isFirst = progress.reminders === undefined;
  const count = isFirst ? 0 : progress.reminders.count + 1;
  const nextAt = progress.reminders?.nextAt ?? at;
  // Once the batch's time is over, its card has no more buttons to go on.
  const isOver = at >= batch.expires_at;
  if (isOver && !progress.isOver) return reschedule(run, { ...progress, isOver }, againMs);
  if (at < nextAt) return reschedule(run, progress, isOver ? nextAt - at : Math.min(nextAt, batch.expires_at) - at);
  const reminders = { count, nextAt: nextReminderOfUnknown(count, at) };
  await reschedule(run, { ...progress, reminders }, reminders.nextAt - at);
  const closers = askedPeople(authorizationOf(batch));
  const tell = closers.length > 0 || isFirst ? closers : [batch.requester];
  const reply = stoppedReply(batch, changes, lastNoteOf(batch));
  const note = { by: 'sitehand', at, reply, replyKey: stoppedReplyKey(batch), ops: !isFirst, tell };
  await context.changeStore.remark(tx, batch, 'unknown_reminded', { ...note, details: { reminders: count } });
}

/** Saves the progress, and what holds it, and looks again later. Draws the card again once enough time has passed. */
async function reschedule(run: Run, progress: BatchProgress, afterMs: number): Promise<void> {
  const { tx, batch, changes, at, paused } = run;
  const everyMs = Math.max(redrawMs, ((await countRunning(tx)) * 60_000) / editsPerMinute);
  const isDrawn = at - (progress.drawnAt ?? 0) >= everyMs;
  const next = isDrawn ? { ...progress, drawnAt: at, shownBad: badChanges(progress, changes) } : progress;
  const due_at = at + (isDrawn ? afterMs : Math.min(afterMs, everyMs));
  // A stopped one says why it stopped.
  const held = batch.state === 'running' && { last_note: paused ? JSON.stringify(heldBy(paused)) : null };
  const saved = await touchChange(tx, batch, { progress: JSON.stringify(next), due_at, ...unowned, ...held });
  // The lease ended and another process has the batch, so changes begun here must not be saved.
  if (saved === undefined) throw new Error(`#${batch.number} was taken over`);
  if (isDrawn) await redraw(tx, batch.number, at);
}

const heldBy = (paused: PauseScope): Text =>
  say`**Nothing more is sent for now.** ${pausedInWords[paused]} Its time runs on.`;

/** The freeze that ended its time, in words. */
const cutBy = ({ context, batch, at }: Run): Text | undefined =>
  at < batch.expires_at ? undefined : cutShortBy(context, batch);

/** Stops the batch and says why. */
async function haltBatch(run: Run, why: StopReason): Promise<void> {
  const { context, tx, at } = run;
  const { batch, changes } = await takeBackUnsent(context, tx, run, { by: 'sitehand', at });
  const says = joined([why.kind === 'time over' ? cutBy(run) : undefined, whyStopped(batch, why)]);
  const note = stopNote(batch, changes, stoppedFor(batch, why), says);
  await context.changeStore.advance(
    tx,
    run.batch,
    { kind: 'halt' },
    { by: 'sitehand', at, lastNote: says, tell: [batch.requester], ...note },
  );
}

const lastNoteOf = ({ last_note: said }: Change): Text => (said === null ? say`Stopped.` : parseStored<Text>(said));

/** Writes the reply again, with its numbers, once nothing is under way. */
async function sumUp({ context, tx, batch, changes, progress, at }: Run): Promise<void> {
  const { also, ...note } = stopNote(batch, changes, progress, lastNoteOf(batch));
  const saved = await touchChange(tx, batch, { ...also, due_at: at, ...unowned });
  const told = { by: 'sitehand', at, tell: [batch.requester], ...note };
  if (saved) await context.changeStore.remark(tx, saved, 'summed_up', told);
}

/** What is known about the canary's site after its change. */
async function canarySiteOf(
  tx: Tx,
  { canary, items }: BatchProgress,
  changes: readonly Change[],
  at: number,
): Promise<CanarySite> {
  const change = begunFor(items[canary?.item ?? -1] ?? {}, changes);
  if (change === undefined) return 'later';
  if (!mayBreakSite(change)) return unchecked(say`a site check can't tell how this ended`);
  const { after } = (await keptReadings(tx, change.number)).readings;
  if (after === undefined || after === 'begun') {
    const isLate = change.settled_at !== null && at - change.settled_at > readingsWithinMs;
    return isLate ? unchecked(say`I couldn't check the site of ${change.target_name}`) : 'later';
  }
  if ('notChecked' in after)
    return unchecked(say`the site of ${change.target_name} can't be checked: ${after.notChecked}`);
  if (after.verdict.kind === 'well') return 'well';
  const is = after.verdict.kind === 'bad' ? 'is down' : 'is not known to be well';
  return unchecked(say`the site of ${change.target_name} ${is} (${after.shown.says})`);
}

const unchecked = (says: Text): CanarySite => ({ says });

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
