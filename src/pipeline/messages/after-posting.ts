import { setTimeout as wait } from 'node:timers/promises';
import { coolDown, findChange } from '../../storage/changes.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { giveUp, postpone, rescheduleOps, suspend, type Message } from '../../storage/messages.ts';
import { stopKey } from '../changes/change-store.ts';
import type { Posted } from './destinations.ts';
import { noteOpsPost } from './ops-channel.ts';
import { isUninvited, tellOfLoss, tellOfMove, type Loss } from './undelivered.ts';
import { noteServed, type TurnsOfPlaces } from './fair-order.ts';
import { Undeliverable } from './messenger.ts';

/** What follows once Slack has taken a message, or has not. */

export type Outbox = {
  readonly database: Database;
  readonly opsChannel: () => string | undefined;
  /** Told when the ops channel takes posts again, or no longer. */
  readonly onOps: () => void;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly turns: TurnsOfPlaces;
};

/** How long an approved change can be stopped, once the message that says so stands. */
const coolDownMs = 10_000;
/** A message that Slack has not taken for a day is given up, and that is told; the change itself stays and can be asked for. */
const maxMs = 86_400_000;
/** And as often it has to have been tried since then: what we, or our token, were away for does not count. */
const leastTries = 20;
/** When Slack is asked again that does not take our token, or whose ops channel takes no posts. */
const tokenAgainMs = 5_000;
const opsAgainMs = 60_000;
const againMs = [1_000, 2_000, 5_000, 15_000, 60_000];
/** How long what came of a message is held while the database is away: one whose place is not noted is posted once more. */
const noteAgainAfterMs = [100, 300, 1_000, 3_000, 5_000];

/** Whether it stands already, and is changed. */
export const isEdit = ({ ts }: Message): boolean => ts !== null;

/** What follows from a message that stands. */
export async function taken(outbox: Outbox, tx: Tx, message: Message, { refused }: Posted): Promise<void> {
  const at = await outbox.database.now(tx);
  noteServed(outbox.turns, message.requester, at);
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  if (change && message.key === stopKey(change.number) && !isEdit(message))
    await coolDown(tx, change.number, at + coolDownMs);
  const isUsual = refused !== undefined && isUninvited(refused) && message.kind === 'card' && !isEdit(message);
  if (change && refused !== undefined && !isUsual) await tellOfMove(tx, change, refused, at);
  if (message.kind === 'ops') await noteOps(outbox, tx, null, at);
}

/** What follows from a message that Slack did not take: it is tried again, or given up and that is told. */
export async function putBack(outbox: Outbox, tx: Tx, failed: Omit<Loss, 'change'>): Promise<void> {
  const { message, error } = failed;
  const now = await outbox.database.now(tx);
  const kind = error instanceof Undeliverable ? error.kind : 'later';
  if (kind === 'token') return suspend(tx, message, now, now + tokenAgainMs);
  if (message.kind === 'ops' && kind === 'gone' && error instanceof Undeliverable) {
    // What nobody else may hear is kept, and one post a minute shows whether it can be told.
    await suspend(tx, message, now, now + opsAgainMs);
    await rescheduleOps(tx, now + opsAgainMs);
    return noteOps(outbox, tx, error.message, now);
  }
  const isOld = message.kind !== 'ops' && now - message.owed_at > maxMs && message.tries >= leastTries;
  if (kind === 'later' && !isOld) return postpone(tx, message, now + againAfter(message, error));
  if (!(await giveUp(tx, message))) return;
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  await tellOfLoss(tx, { ...failed, change }, now);
}

const againAfter = ({ tries }: Message, error: unknown): number =>
  error instanceof Undeliverable && error.afterMs > 0
    ? error.afterMs
    : (againMs[Math.min(tries, againMs.length - 1)] ?? opsAgainMs);

async function noteOps(outbox: Outbox, tx: Tx, refused: string | null, at: number): Promise<void> {
  const channel = outbox.opsChannel();
  if (channel !== undefined && (await noteOpsPost(tx, { channel, refused }, at))) outbox.onOps();
}

type Save = (tx: Tx) => Promise<void>;

/** Saves what came of a message, again and again while the database is away. */
export async function note({ database, onTrouble }: Outbox, { key }: Message, save: Save): Promise<void> {
  for (const afterMs of [...noteAgainAfterMs, undefined]) {
    try {
      return await database.transaction(save);
    } catch (error) {
      if (afterMs === undefined) throw error;
      onTrouble(`noting what came of ${key}`, error);
      await wait(afterMs);
    }
  }
}
