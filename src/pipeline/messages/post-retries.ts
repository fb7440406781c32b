import { findChange } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { giveUpMessage, retryLater, rescheduleOps, deferWhileBlocked, type Message } from '../../storage/messages.ts';
import { noteOpsPost } from './ops-channel-health.ts';
import { reportUndelivered, type Undelivered } from './undelivered.ts';
import type { SenderContext } from './context.ts';
import { Undeliverable } from './messenger.ts';
import { dayMs } from '../../duration.ts';

/** What happens after Slack refuses a message: when it is tried again, and when it is given up. */

/** A message is given up when Slack has not accepted it for a day. The loss is reported; the change itself stays. */
const maxMs = dayMs;
/** The fewest attempts before that: time in which this process was down or its token refused must not count. */
const minAttempts = 20;
/** Retry delay while Slack refuses our token. */
const tokenRetryMs = 5_000;
/** Retry delay while the ops channel accepts no posts. */
const opsRetryMs = 60_000;
const retryMs = [1_000, 2_000, 5_000, 15_000, 60_000];

/** Schedules the next attempt of a message that Slack did not accept, or gives it up and reports the loss. */
export async function afterFailure(context: SenderContext, tx: Tx, failed: Omit<Undelivered, 'change'>): Promise<void> {
  const { message, error } = failed;
  const now = await context.database.now(tx);
  const kind = error instanceof Undeliverable ? error.kind : 'later';
  if (kind === 'token') return deferWhileBlocked(tx, message, now, now + tokenRetryMs);
  if (message.kind === 'ops' && kind === 'gone' && error instanceof Undeliverable) {
    // Nobody else may read these messages, so they are kept. One post a minute tests the channel.
    await deferWhileBlocked(tx, message, now, now + opsRetryMs);
    await rescheduleOps(tx, now + opsRetryMs);
    return noteOps(context, tx, error.message, now);
  }
  const isOld = message.kind !== 'ops' && now - message.owed_at > maxMs && message.attempts >= minAttempts;
  if (kind === 'later' && !isOld) return retryLater(tx, message, now + retryDelay(message, error));
  if (!(await giveUpMessage(tx, message))) return;
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  await reportUndelivered(tx, { ...failed, change }, now);
}

const retryDelay = ({ attempts }: Message, error: unknown): number =>
  error instanceof Undeliverable && error.afterMs > 0
    ? error.afterMs
    : (retryMs[Math.min(attempts, retryMs.length - 1)] ?? opsRetryMs);

/** Notes whether the ops channel took a post. */
export async function noteOps(context: SenderContext, tx: Tx, refused: string | null, at: number): Promise<void> {
  const channel = context.policy().channels.ops;
  if (channel !== undefined && (await noteOpsPost(tx, { channel, refused }, at))) context.onOps();
}
