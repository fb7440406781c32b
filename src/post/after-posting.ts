import { parseStored } from '../storage/parse-json.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { coolDown, findChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { findClaimed, markDelivered, redrawMessage, type Message } from '../storage/messages.ts';
import { forgetCardPlace, redraw } from '../storage/redraw.ts';
import { say } from '../words/text.ts';
import type { Note } from '../change/card.ts';
import { skippedBy } from '../access/authorization.ts';
import { stopKey } from '../change/change-messages.ts';
import { toldOfGlass } from '../change/glass-replies.ts';
import type { Posted } from './destinations.ts';
import { explainUnedited, reportMoved, noteOps } from './refused-posts.ts';
import type { SenderContext } from './context.ts';
import type { Undeliverable } from './messenger.ts';

/** What happens after Slack has accepted a message. */

/** How long *Stop* works, counted from when the message that offers it was posted. */
const coolDownMs = 10_000;
/** Retry delays for saving a result while the database is away. If all fail, the message is posted a second time. */
const saveRetryMs = [100, 300, 1_000, 3_000, 5_000];

/** Whether the message was posted before, so that it is now edited. */
export const isEdit = ({ ts }: Message): boolean => ts !== null;

/** Runs in the transaction that saves a successful post or edit. */
export async function afterPosted(
  context: SenderContext,
  tx: Tx,
  message: Message,
  { place, refused, unedited }: Posted,
): Promise<void> {
  const at = await context.database.now(tx);
  context.turns.served.set(message.requester, at);
  const change = message.change === null ? undefined : await findChange(tx, message.change);
  if (change && offersStop(context, change, message) && !isEdit(message)) await coolDown(tx, change, at + coolDownMs);
  if (change && refused) await noteMoved(tx, message, change, refused, at);
  if (change && unedited) await explainUnedited(tx, change, unedited, at);
  if (change && place.isLoose) await forgetCardPlace(tx, change.number, at);
  if (message.kind === 'ops') await noteOps(context, tx, null, at);
  // Its next edit names its change, or adds the file. In the database, so that a restart in between loses nothing.
  if (place.isLoose || (!isEdit(message) && hasFile(message))) await redrawMessage(tx, message, at);
}

/**
 * Whether *Stop* can be read from now on. Of what nobody approved, by somebody else who is told of it, and the first
 * message counts; if nobody is, its thread has to do.
 */
function offersStop({ policy }: SenderContext, change: Change, { key, kind, decides, recipient }: Message): boolean {
  const skips = skippedBy(change);
  if (skips === undefined) return key === stopKey(change);
  if (decides === 0 || change.due_at !== change.expires_at) return false;
  if (kind === 'reply') return policy().channels.ops === undefined && toldOfGlass(skips).length === 0;
  return kind === 'ops' || (kind === 'direct' && recipient !== change.requester);
}

/** The message was posted elsewhere, because its place refused it. */
async function noteMoved(tx: Tx, message: Message, change: Change, why: Undeliverable, at: number): Promise<void> {
  const isCard = message.kind === 'card';
  // Its copies say where it is.
  if (isCard) await redraw(tx, change.number, at);
  const isUsual = why.why === 'uninvited' && isCard && !isEdit(message);
  if (!isUsual) await reportMoved(tx, change, why, at);
}

const hasFile = ({ kind, body }: Message): boolean =>
  kind === 'reply' && body !== null && parseStored<Note>(body).withFile === true;

/**
 * Runs instead of `afterPosted` if our lease ended before the save: this process was frozen, and another one may have
 * posted the message too. True if ours is a second message. If ours is the only one but may show an older state, it is
 * drawn again. If the others failed to post it and none is trying, ours becomes the message.
 */
export async function isSecondPost(context: SenderContext, tx: Tx, message: Message, posted: Posted): Promise<boolean> {
  const { place } = posted;
  const row = await findClaimed(tx, message);
  if (row === undefined) return false;
  // Also true if only the answer to our own commit was lost.
  const isTheOne = row.channel === place.channel && row.ts === place.ts;
  if (!isTheOne) {
    if (row.ts !== message.ts || !(await markDelivered(tx, { ...message, owner: null }, place))) return true;
    await afterPosted(context, tx, message, posted);
  }
  const isOlder = (isTheOne ? row.delivered_version : row.version) > message.version;
  if (isOlder || row.owner !== null) await redrawMessage(tx, message, await context.database.now(tx));
  return false;
}

/** Replaces a message that was posted a second time, buttons included, because nothing updates it. */
export const secondPost: Note = {
  text: say`I posted this twice by mistake. I keep the other one up to date, and not this one.`,
};

type Save = (tx: Tx) => Promise<void>;

/** Saves the result of a delivery; retries while the database is away, then rejects. */
export async function saveResult({ database, onTrouble }: SenderContext, { key }: Message, save: Save): Promise<void> {
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
