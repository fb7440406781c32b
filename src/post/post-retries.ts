import { findChange } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { retryLater, rescheduleOps, deferWhileBlocked, type Message } from '../storage/messages.ts';
import { forgetCardPlace } from '../storage/redraw.ts';
import { noteOpsPost } from './ops-channel-health.ts';
import { cardUntold, reportUndelivered, type Undelivered } from './undelivered.ts';
import type { SenderContext } from './context.ts';
import type { Undeliverable } from './messenger.ts';
import { dayMs } from '../words/duration.ts';

/** What happens after Slack refuses a message: when it is tried again, and when it is given up. */

/**
 * A message is given up when Slack has not accepted it for a day, whatever it said. The loss is reported, and App Home
 * shows it; the change itself stays.
 */
const maxMs = dayMs;
/** The fewest attempts before that: time in which this process was down or its token refused must not count. */
const minAttempts = 20;
/** Retry delay while Slack refuses our token. */
const tokenRetryMs = 5_000;
/** Retry delay while the ops channel accepts no posts. */
const opsRetryMs = 60_000;
/** The delay before the first retry, by how much it grows with each, and the longest: 20 attempts take half an hour. */
const [firstRetryMs, growth, maxRetryMs] = [1_000, 1.4, 300_000];

/**
 * Schedules the next attempt of a message that Slack did not accept, or gives it up. Reports the loss, and at once if
 * every place is known to refuse it for itself: somebody may have to be told in another way.
 */
export async function afterFailure(context: SenderContext, tx: Tx, failed: Omit<Undelivered, 'change'>): Promise<void> {
  const { message, error } = failed;
  const now = await context.database.now(tx);
  if (error.kind === 'token') return deferWhileBlocked(tx, message, now, now + tokenRetryMs);
  if (message.kind === 'ops' && error.mayGoElsewhere) return keepForOps(context, tx, message, error, now);
  const [isOver, isLost] = isOverOrLost(message, error, now);
  const untold = isLost ? now : message.untold_at;
  const due = isOver ? null : now + retryDelay(message, error);
  // A newer version is tried at once, and what it meets is reported.
  if (!(await retryLater(tx, message, { due, untold }))) return;
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  const loss = { ...failed, change };
  if (isLost) await reportUndelivered(tx, loss, now);
  if (change && error.why === 'no message') await forgetCardPlace(tx, change.number, now);
  // A first failure often passes at once.
  const note = isLost || message.attempts > 0 ? cardUntold(loss) : undefined;
  if (change && note) context.onUntold(change, note);
}

/** Nobody else may read these messages, so they are kept. One post a minute tests the channel. */
async function keepForOps(
  context: SenderContext,
  tx: Tx,
  message: Message,
  { message: word }: Undeliverable,
  now: number,
): Promise<void> {
  await deferWhileBlocked(tx, message, now, now + opsRetryMs);
  await rescheduleOps(tx, now + opsRetryMs);
  await noteOps(context, tx, word, now);
}

/** Whether it is given up now, and whether that it could not be told is reported now. */
function isOverOrLost(
  { kind, owed_at, attempts, untold_at }: Message,
  error: Undeliverable,
  now: number,
): readonly [isOver: boolean, isLost: boolean] {
  const isOld = kind !== 'ops' && now - owed_at > maxMs && attempts >= minAttempts;
  const isOver = error.kind === 'drawing' || isOld;
  return [isOver, isOver || (error.kind === 'gone' && untold_at === null)];
}

/** As long as Slack or our own rate limits ask for, if they do. */
const retryDelay = ({ attempts }: Message, error: Undeliverable): number =>
  error.afterMs || Math.min(maxRetryMs, Math.round(firstRetryMs * growth ** attempts));

/** Notes whether the ops channel took a post. */
export async function noteOps(context: SenderContext, tx: Tx, refused: string | null, at: number): Promise<void> {
  const channel = context.policy().channels.ops;
  if (channel !== undefined && (await noteOpsPost(tx, { channel, refused }, at))) context.onOps();
}
