import { sql } from 'kysely';
import { isPostedOrOwed, redrawnAt, type Message } from './messages.ts';
import type { ReadHandle, Tx } from './schema.ts';

/**
 * Messages are drawn from what they tell and from how their change is now. These functions make posted messages due, to
 * be drawn again; Slack is asked only about those that then read differently.
 */

/** What an older version queued may follow its change too. */
const follows = sql<boolean>`coalesce(follows, 1) = 1`;
const isDrawn = sql<boolean>`(kind in ('card', 'copy') or ${isPostedOrOwed})`;

const redrawn = (tx: Tx, at: number) => tx.updateTable('messages').set(redrawnAt(at)).where(follows).where(isDrawn);

const openChanges = (tx: Tx) => tx.selectFrom('changes').select('number').where('settled_at', 'is', null);

/** Draws the messages about a change again, or only its card; `at` in epoch ms. */
export async function redraw(tx: Tx, change: number, at: number, what: 'all' | 'card' = 'all'): Promise<void> {
  const about = redrawn(tx, at).where('change', '=', change);
  await (what === 'all' ? about : about.where('kind', '=', 'card')).execute();
}

/**
 * Draws the messages about all open changes again after a restore: their buttons belong to another database, and Slack
 * may show what the backup lacks.
 */
export async function redrawOpen(tx: Tx, at: number): Promise<void> {
  await redrawn(tx, at).set({ shown: null }).where('change', 'in', openChanges(tx)).execute();
}

/**
 * Draws what people were told directly again, because others may read it now: about all open changes and, since `since`
 * (epoch ms), about none.
 */
export async function redrawDirect(tx: Tx, at: number, since: number): Promise<void> {
  const direct = tx
    .updateTable('messages')
    .set(redrawnAt(at))
    .where('kind', 'in', ['copy', 'direct'])
    .where('ts', 'is not', null);
  await direct.where('change', 'in', openChanges(tx)).execute();
  await direct.where('about', 'is not', null).where('created_at', '>=', since).execute();
}

/**
 * The card of a change is no longer where it was posted: from `at` (epoch ms) on it is posted again. Replies that were
 * not posted yet wait for it.
 */
export async function forgetCardPlace(tx: Tx, change: number, at: number): Promise<void> {
  const lost = { ...redrawnAt(at), channel: null, ts: null };
  await tx.updateTable('messages').set(lost).where('change', '=', change).where('kind', '=', 'card').execute();
}

/** Whether this is the newest message of its kind to its reader that has buttons to decide on its change. */
export async function isNewestToDecide(db: ReadHandle, { id, change, kind, recipient }: Message): Promise<boolean> {
  const later = db.selectFrom('messages').select('id').where('change', '=', change).where('kind', '=', kind);
  const toReader = later.where('recipient', 'is not distinct from', recipient).where('decides', '=', 1);
  return (await toReader.where('id', '>', id).limit(1).executeTakeFirst()) === undefined;
}

/** Whether whoever gets this message is told something later about the same change, directly. */
export async function isToldLater(db: ReadHandle, { id, change, recipient }: Message): Promise<boolean> {
  const later = db.selectFrom('messages').select('id').where('change', '=', change).where('recipient', '=', recipient);
  return (await later.where('id', '>', id).limit(1).executeTakeFirst()) !== undefined;
}
