import { HeldBack, NotSent } from '../hosting/client.ts';
import { failpoint } from '../base/failpoints.ts';
import { askedAt } from '../access/authorization.ts';
import { findChange, findSentAsWell, isBatch, isPartOfBatch, type Change } from '../storage/changes.ts';
import { readTimeline } from '../storage/timeline.ts';
import { inline, joined, say, type Text } from '../words/text.ts';
import { sendLeaseMs } from '../change/change.ts';
import { callOf, pinnedCardOf } from '../change/pin.ts';
import { isSameTimeline } from './failover-and-restore.ts';
import { blockedReason, skipInBatch, endOrWait, endUnsent, reschedule, tooLate } from './blocked.ts';
import { checkBefore } from './check-around.ts';
import { saveOutcome, retryNote } from './outcome.ts';
import { recheck } from '../change/recheck.ts';
import { markFor } from '../change/states-and-events.ts';
import { settleAccess } from '../change/timed-access.ts';
import { startBatch } from './run-batch.ts';
import type { SendContext } from './context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';

/** If more time passes from the start of saving *sending* to the write, nothing is written. */
const freshMs = 2_000;
const heldUp = { kind: 'not sent', why: 'I was held up for too long between deciding and sending' } as const;
const unsure = {
  kind: 'not sent',
  why: "my database didn't say whether it had saved that I was about to",
  isBegun: 'not known',
} as const;

/**
 * Sends an approved change at most once: checks rights and drift, opens the connection, saves *sending*, and writes
 * unless more than two seconds passed. If the result is unknown, the change is never sent again.
 */
export async function execute(context: SendContext, change: Change): Promise<void> {
  const { database } = context;
  const now = await database.now();
  if (now >= change.expires_at) return endUnsent(context, change, 'expire', tooLate(change));
  const inTheWay = await blockedReason(database.db, change, now);
  if (inTheWay?.kind === 'locked' && isPartOfBatch(change)) return skipInBatch(context, change, inTheWay.why);
  if (inTheWay) return reschedule(context, change, inTheWay.why);
  // Both only read and run at the same time. Nothing is read between the commit of *sending* and the write.
  const [checked] = await Promise.all([recheck(context, change), checkBefore(context, change)]);
  if (checked.kind !== 'as it was') return endOrWait(context, change, checked);
  if (isBatch(change)) {
    const until = change.scheduled_at === null ? Infinity : change.expires_at;
    return startBatch(context, change, Math.min(checked.openUntil ?? Infinity, until));
  }
  failpoint('rechecked', change.number);
  const call = callOf(change);
  const { openUntil = Infinity } = checked;
  return call === undefined ? complete(context, change, openUntil) : connectAndSend(context, change, call, openUntil);
}

async function connectAndSend(
  context: SendContext,
  change: Change,
  call: NonNullable<ReturnType<typeof callOf>>,
  openUntil: number,
): Promise<void> {
  const opened = await context.send.open().catch((error: unknown) => {
    if (error instanceof NotSent) return error;
    throw error;
  });
  if (opened instanceof HeldBack) return reschedule(context, change, inline(opened.message));
  if (opened instanceof NotSent) return failToConnect(context, change, inline(opened.message));
  failpoint('opened', change.number);
  const sending = await commitSending(context, change, openUntil).catch((error: unknown) => {
    opened.abandon();
    throw error;
  });
  if (!sending?.isSaved) opened.abandon();
  if (sending === undefined) return reschedule(context, change, say`Something changed at the last moment.`);
  if (!sending.isSaved) return saveOutcome(context, sending.change, unsure);
  context.history.aboutToSend(sending.change);
  // Remember in memory that the batch started, in case the database loses it.
  if (change.batch !== null) context.history.aboutToSend({ ...sending.change, number: change.batch, version: 0 });
  failpoint('sending saved', change.number);
  if (context.ticks() - sending.ticks > freshMs || Math.abs(context.wall() - sending.wall) > freshMs) {
    opened.abandon();
    return saveOutcome(context, sending.change, heldUp);
  }
  return saveOutcome(context, sending.change, await opened.write(call, change.request ?? undefined));
}

/** `isSaved` false: the commit failed or got no answer, and `change` is the row as it would be. */
type Sending = {
  readonly change: Change;
  readonly isSaved: boolean;
  readonly ticks: number;
  readonly wall: number;
};

/**
 * Checks version, locks, pause, freezes (`openUntil`, epoch ms) and whether the same was sent, once more in the
 * transaction that saves *sending*. Undefined: something changed.
 */
async function commitSending(context: SendContext, seen: Change, openUntil: number): Promise<Sending | undefined> {
  const started = { ticks: context.ticks(), wall: context.wall() };
  let begun: Change | undefined;
  const isSaved = await exclusiveTransaction(context.database, async (tx, now) => {
    begun = undefined;
    const change = await findChange(tx, seen.number);
    if (change?.version !== seen.version || change.owner !== context.owner) return false;
    if (context.history.newerThan(change) || now >= openUntil) return false;
    if (await blockedReason(tx, change, now)) return false;
    if (await findSentAsWell(tx, change, askedAt(change))) return false;
    // The worker's next poll handles the failover.
    if (!isSameTimeline(context.history, await readTimeline(tx))) return false;
    const sending = { kind: 'send', owner: context.owner, leaseMs: sendLeaseMs } as const;
    const sent = await context.changeStore.advance(tx, change, sending, { by: 'sitehand', at: now });
    context.database.stillOurs();
    begun = sent;
    return true;
  }).catch((error: unknown) => {
    if (begun === undefined) throw error;
    context.onTrouble(`saving that #${seen.number} is being sent`, error);
    return false;
  });
  return begun && { change: begun, isSaved, ...started };
}

/** Marks a change done that needs no write, once the recheck found everything as approved. */
async function complete(context: SendContext, seen: Change, openUntil: number): Promise<void> {
  const isDone = await exclusiveTransaction(context.database, async (tx, at) => {
    const change = await findChange(tx, seen.number);
    if (change?.version !== seen.version || change.owner !== context.owner || at >= openUntil) return false;
    if (await blockedReason(tx, change, at)) return false;
    const says = say`Nothing had to be sent. ${pinnedCardOf(change).done}.`;
    const note = { by: 'sitehand', at, reply: { text: joined([markFor.complete, says]) }, lastNote: says };
    const moved = await context.changeStore.advance(tx, change, { kind: 'complete' }, note);
    if (moved) await settleAccess(tx, context.changeStore, moved, at, { isProven: true });
    return moved !== undefined;
  });
  if (!isDone) await reschedule(context, seen, say`Something changed at the last moment.`);
}

/** No connection: nothing was sent. Tries again, or expires once the attempts are used up. */
async function failToConnect(context: SendContext, change: Change, why: Text): Promise<void> {
  await context.database.transaction(async (tx) => {
    const at = await context.database.now(tx);
    const note = retryNote(change, { kind: 'connect_failed' }, at, why);
    await context.changeStore.advance(tx, change, { kind: 'connect_failed' }, note);
  });
}
