import { setTimeout as wait } from 'node:timers/promises';
import { coolDown, findChange } from '../../storage/changes.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { giveUp, postpone, rescheduleOps, suspend, type Message } from '../../storage/messages.ts';
import { stopKey } from '../changes/change-store.ts';
import type { Posted } from './destinations.ts';
import { noteOpsPost } from './ops-channel.ts';
import { isUninvited, tellOfLoss, tellOfMove, type Loss } from './undelivered.ts';
import type { PostQueues } from './fair-order.ts';
import { Undeliverable } from './messenger.ts';

/** What happens after Slack has accepted a message or refused it. */

export type Outbox = {
  readonly database: Database;
  readonly opsChannel: () => string | undefined;
  /** Called when the ops channel starts or stops accepting posts. */
  readonly onOps: () => void;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly turns: PostQueues;
};

/** How long *Stop* works, counted from when the message that offers it was posted. */
const coolDownMs = 10_000;
/** A message is given up when Slack has not accepted it for a day. The loss is reported; the change itself stays. */
const maxMs = 86_400_000;
/** Attempts before a message is given up: time in which this process was down or its token refused must not count. */
const minAttempts = 20;
/** Retry delay while Slack refuses our token. */
const tokenRetryMs = 5_000;
/** Retry delay while the ops channel accepts no posts. */
const opsRetryMs = 60_000;
const retryMs = [1_000, 2_000, 5_000, 15_000, 60_000];
/** Retry delays for saving a result while the database is away. If all fail, the message is posted a second time. */
const saveRetryMs = [100, 300, 1_000, 3_000, 5_000];

/** Whether the message was posted before, so that it is edited now. */
export const isEdit = ({ ts }: Message): boolean => ts !== null;

/** Runs in the transaction that saves a successful post or edit. */
export async function afterPosted(outbox: Outbox, tx: Tx, message: Message, { refused }: Posted): Promise<void> {
  const at = await outbox.database.now(tx);
  outbox.turns.served.set(message.requester, at);
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  if (change && message.key === stopKey(change.number) && !isEdit(message))
    await coolDown(tx, change.number, at + coolDownMs);
  const isUsual = refused !== undefined && isUninvited(refused) && message.kind === 'card' && !isEdit(message);
  if (change && refused !== undefined && !isUsual) await tellOfMove(tx, change, refused, at);
  if (message.kind === 'ops') await noteOps(outbox, tx, null, at);
}

/** Schedules the next attempt of a message that Slack did not accept, or gives it up and reports the loss. */
export async function afterFailure(outbox: Outbox, tx: Tx, failed: Omit<Loss, 'change'>): Promise<void> {
  const { message, error } = failed;
  const now = await outbox.database.now(tx);
  const kind = error instanceof Undeliverable ? error.kind : 'later';
  if (kind === 'token') return suspend(tx, message, now, now + tokenRetryMs);
  if (message.kind === 'ops' && kind === 'gone' && error instanceof Undeliverable) {
    // Nobody else may read these messages, so they are kept. One post a minute tests the channel.
    await suspend(tx, message, now, now + opsRetryMs);
    await rescheduleOps(tx, now + opsRetryMs);
    return noteOps(outbox, tx, error.message, now);
  }
  const isOld = message.kind !== 'ops' && now - message.owed_at > maxMs && message.attempts >= minAttempts;
  if (kind === 'later' && !isOld) return postpone(tx, message, now + retryDelay(message, error));
  if (!(await giveUp(tx, message))) return;
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  await tellOfLoss(tx, { ...failed, change }, now);
}

const retryDelay = ({ attempts }: Message, error: unknown): number =>
  error instanceof Undeliverable && error.afterMs > 0
    ? error.afterMs
    : (retryMs[Math.min(attempts, retryMs.length - 1)] ?? opsRetryMs);

async function noteOps(outbox: Outbox, tx: Tx, refused: string | null, at: number): Promise<void> {
  const channel = outbox.opsChannel();
  if (channel !== undefined && (await noteOpsPost(tx, { channel, refused }, at))) outbox.onOps();
}

type Save = (tx: Tx) => Promise<void>;

/** Saves the result of a delivery; retries while the database is away, then rejects. */
export async function saveResult({ database, onTrouble }: Outbox, { key }: Message, save: Save): Promise<void> {
  for (const afterMs of [...saveRetryMs, undefined]) {
    try {
      return await database.transaction(save);
    } catch (error) {
      if (afterMs === undefined) throw error;
      onTrouble(`saving the result of ${key}`, error);
      await wait(afterMs);
    }
  }
}
