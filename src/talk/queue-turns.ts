import { catalogue } from '../commands/index.ts';
import { Refusal } from '../base/errors.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { isPaused } from '../storage/kv.ts';
import { exclusiveLock } from '../storage/locks.ts';
import { isHeadOfQueue, removeQueued, wakeNext } from '../storage/queue.ts';
import { releaseWaiting, type QueuedRequest } from '../storage/waiting.ts';
import { channel, joined, say, type Text } from '../words/text.ts';
import type { Channel } from '../access/access-check.ts';
import { isDirect } from '../access/assert-channel.ts';
import { storedTargets } from '../access/targets.ts';
import { lockAndHolder, Locked } from '../change/lock-in-the-way.ts';
import {
  endQueued,
  queuedArgs,
  queuedWords,
  recordQueued,
  tellQueued,
  turnEnd,
  turnTaken,
  withdrawTurn,
  turnNote,
  type QueueEnd,
} from '../change/queue.ts';
import { parseArgs } from '../language/parse.ts';
import { freezesAhead } from '../change/freeze-check.ts';
import { lookAgainInFreeze } from '../send/held-by-freeze.ts';
import { lookAndPin } from '../decide/look-and-pin.ts';
import { save } from '../decide/submit.ts';
import { waitingKind, type DueKind } from '../waiting/due-turns.ts';
import { check, type Ready } from './conversation.ts';
import type { PipelineContext } from './context.ts';

/**
 * Turns in the queues. A queue is looked at when its lock is freed, and every few seconds. At its turn a routine
 * request is submitted as if its requester asked for it now. It leaves the queue in the transaction that saves the
 * change, so it is submitted once at most. Any other request is offered to its requester for review.
 */

/** How often the first request of a queue is looked at if nothing wakes it. */
const lookAgainMs = 5_000;
/** Longer than a submission takes: its reads have their own time limit. */
const leaseMs = 60_000;
const maxAtOnce = 4;
const brokenRetryMs = 5_000;
/** One answer of the host or of Slack may be wrong, so only a repeated refusal counts. */
const maxAttempts = 3;

export const queueTurns = (context: PipelineContext): DueKind =>
  waitingKind('queue', { what: 'queued request', atOnce: maxAtOnce, leaseMs }, async (row) =>
    takeTurnOrPutBack(context, row),
  );

async function takeTurnOrPutBack(context: PipelineContext, row: QueuedRequest): Promise<void> {
  try {
    await takeTurn(context, row);
  } catch (error) {
    // If the database is away, the lease runs out.
    await putBack(context, row, { afterMs: brokenRetryMs, lets: 'the next' }).catch(() => undefined);
    throw error;
  }
}

/** Handles a claimed request once. */
async function takeTurn(context: PipelineContext, row: QueuedRequest): Promise<void> {
  const { database } = context;
  const now = await database.now();
  if (now >= row.expires_at) return end(context, row, { kind: 'expired' });
  const { lock, holder } = (await lockAndHolder(database.db, row, now)) ?? {};
  if (holder?.state === 'unknown') return end(context, row, { kind: 'unknown', change: holder, isAll: false });
  // An exclusive lock on this target blocks the whole queue.
  const isForAll = lock !== undefined && (await exclusiveLock(database.db, row.target, now)) !== undefined;
  if (row.turn_at !== null && now < turnEnd(row) && (lock === undefined || isForAll))
    return putBack(context, row, { afterMs: Math.min(lookAgainMs, turnEnd(row) - now) });
  // The lock ended this turn early, so the request gets another one.
  if (lock) {
    const afterMs = Math.min(lookAgainMs, (lock.until ?? Infinity) - now);
    return putBack(context, row, { afterMs, lets: isForAll ? 'nobody' : 'the next', patch: { turn_at: null } });
  }
  if (row.turn_at !== null) return end(context, row, { kind: 'unused' });
  // Read this after the lock: whoever frees it also wakes the head of the queue, in the same transaction.
  if (!(await isHeadOfQueue(database.db, row, now))) return putBack(context, row);
  return useTurn(context, row);
}

type PutBack = {
  readonly afterMs?: number;
  /** Whether the next request may go ahead of it. */
  readonly lets?: 'nobody' | 'the next';
  readonly patch?: Partial<Pick<QueuedRequest, 'attempts' | 'turn_at'>>;
};

/** Makes it due again after `afterMs`, or when it expires. */
async function putBack(
  { database }: PipelineContext,
  row: QueuedRequest,
  { afterMs = lookAgainMs, lets = 'nobody', patch = {} }: PutBack = {},
): Promise<void> {
  await database.transactionWithoutFsync(async (tx) => {
    const at = await database.now(tx);
    if (!(await releaseWaiting(tx, row, Math.min(row.expires_at, at + afterMs), patch))) return;
    if (patch.turn_at === null) await withdrawTurn(tx, row, turnTaken, at);
    if (lets === 'the next') await wakeNext(tx, row, at);
  });
}

async function end(context: PipelineContext, row: QueuedRequest, why: QueueEnd): Promise<void> {
  await exclusiveTransaction(context.database, async (tx, at) => {
    await endQueued(tx, context.changeStore.note, row, why, at, true);
  });
}

/** Tells the requester that they may review it now. `says`: why it is not sent without that. */
async function giveTurn(context: PipelineContext, row: QueuedRequest, says?: Text): Promise<void> {
  const { database, changeStore } = context;
  await exclusiveTransaction(database, async (tx, at) => {
    const isNow = !(await isPaused(tx)) && (await isHeadOfQueue(tx, row, at));
    if (!isNow) return void (await releaseWaiting(tx, row, at + lookAgainMs));
    const turned = await releaseWaiting(tx, row, at + lookAgainMs, { turn_at: at });
    if (turned === undefined) return;
    await recordQueued(tx, changeStore.note, turned, 'queue_turn', { at });
    await tellQueued(tx, turned, 'queue_turn', turnNote(turned, says), at);
  });
}

/** It left the queue, another process works on it, or all sending is paused. Nothing was saved. */
class NotNow extends Error {}

/** Submits a routine request, and offers any other for review if its requester may still ask for it. */
async function useTurn(context: PipelineContext, row: QueuedRequest): Promise<void> {
  try {
    const checked = await checkAnew(context, row);
    if (checked.kind === 'refuse') throw checked.refusal;
    const [problem] = checked.kind === 'ask' ? checked.resolved.problems : [];
    if (problem) throw await whenSettled(context, row, problem.refusal);
    const afterMs = await heldForMs(context, row, checked);
    if (afterMs !== undefined) return await putBack(context, row, { afterMs, lets: 'the next' });
    if (row.risk !== 'routine') return await giveTurn(context, row);
    if (checked.kind === 'ready') return await saveAnew(context, row, checked);
    return await giveTurn(context, row, say`It needs something from you now.`);
  } catch (error) {
    // Only this request is delayed, so let the next one pass.
    const isLater = error instanceof Refusal && (error.isLater || context.rulesDiffer());
    if (isLater || error instanceof NotNow || error instanceof Locked)
      return putBack(context, row, { lets: 'the next' });
    if (!(error instanceof Refusal)) throw error;
    const attempts = row.attempts + 1;
    if (attempts < maxAttempts) return putBack(context, row, { patch: { attempts } });
    return end(context, row, { kind: 'refused', says: joined([error.says, error.hint]) });
  }
}

/** How long a request that a freeze holds waits before it is looked at again; undefined: none holds it. */
async function heldForMs(
  context: PipelineContext,
  row: QueuedRequest,
  checked: Exclude<Awaited<ReturnType<typeof check>>, { kind: 'refuse' }>,
): Promise<number | undefined> {
  const { person, resolved } =
    checked.kind === 'ready' ? { ...checked.requester, resolved: checked.authorized } : checked;
  const ahead = await freezesAhead(context, person, resolved);
  return ahead?.decision.kind === 'frozen' ? lookAgainInFreeze(row, ahead.decision)(ahead.now) - ahead.now : undefined;
}

/**
 * What is wrong with its names. Throws `NotNow` if the host's lists lack one of its targets, but not often enough yet to call it gone; `Refusal` if
 * it is gone.
 */
async function whenSettled(context: PipelineContext, row: QueuedRequest, refusal: Refusal): Promise<Refusal> {
  const since = await context.freshenNames();
  for (const target of storedTargets(row)) {
    const presence = context.presenceOf(target, since);
    if (presence === 'gone')
      throw new Refusal(say`${target.name} is gone: the host no longer lists it. Nothing was sent.`);
    if (presence !== 'listed') throw new NotNow();
  }
  return refusal;
}

/** Checks rights, rules and names as of now, as if its requester asked for it. */
async function checkAnew(context: PipelineContext, row: QueuedRequest): ReturnType<typeof check> {
  const parsed = parseArgs(queuedArgs(row), catalogue);
  const cardChannel = async (): Promise<Channel> =>
    isDirect(row.channel) ? { id: row.channel, shared: false } : context.channelOf(row.channel);
  const from = { person: row.requester, team: row.requester_team, channel: async () => row.channel, cardChannel };
  return check(context, { parsed, from });
}

/** Reads from the host and saves the change. The request leaves the queue in the same transaction. */
async function saveAnew(context: PipelineContext, row: QueuedRequest, ready: Ready): Promise<void> {
  const { database, changeStore } = context;
  const { authorized, requester, confirmation } = ready;
  const { command, path } = authorized.parsed;
  if (ready.will !== 'save' || command.shape !== 'action' || command.risk !== 'routine')
    return giveTurn(context, row, say`It needs a look before it is sent.`);
  const pinned = await lookAndPin(context, authorized, command, {
    person: requester.person,
    onBehalfOf: requester.person.id,
  });
  await save(context, pinned, requester, confirmation, undefined, async (tx, change) => {
    const at = await database.now(tx);
    if (await isPaused(tx)) throw new NotNow();
    if (!(await removeQueued(tx, row, at, true))) throw new NotNow();
    await recordQueued(tx, changeStore.note, row, 'queue_used', { at, used: change.number });
    const where = isDirect(change.channel) ? '' : say` in ${channel(change.channel)}`;
    const lasting = say`🔔 **It was your turn for ${row.target_name}.** ${queuedWords(row)} is #${change.number} now`;
    const text = say`${lasting}; its card${where} shows how it goes.`;
    await tellQueued(tx, row, 'queue_used', { text, lasting: say`${lasting}.` }, at, change);
  });
  context.onCommand(path, 'saved');
}
