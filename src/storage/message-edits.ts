import { sql } from 'kysely';
import { isPostedOrOwed, redrawnAt } from './messages.ts';
import type { Tx } from './tx.ts';

/** Edits of many posted messages at once. */

/** What to redraw of a change: everything, its card, the copies of its card, or its card and these people's copies. */
export type Redraw = 'all' | 'card' | 'copies' | { readonly cardAndCopiesOf: readonly string[] };

/** Queues edits of the card of a change and of its copies, as few as possible: Slack limits edits. */
export async function redrawCards(tx: Tx, change: number, at: number, what: Redraw): Promise<void> {
  const cards = tx.updateTable('messages').set(redrawnAt(at)).where('change', '=', change);
  const whose = typeof what === 'string' ? [] : what.cardAndCopiesOf;
  if (what !== 'copies') await cards.where('kind', '=', 'card').execute();
  if (what === 'all' || what === 'copies') await cards.where('kind', '=', 'copy').execute();
  if (whose.length > 0) await cards.where('kind', '=', 'copy').where('recipient', 'in', whose).execute();
}

/**
 * The card of a change is no longer where it was posted: from `at` (epoch ms) on it is posted again. Replies that were
 * not posted yet wait for it.
 */
export async function forgetCardPlace(tx: Tx, change: number, at: number): Promise<void> {
  const lost = { ...redrawnAt(at), channel: null, ts: null };
  await tx.updateTable('messages').set(lost).where('change', '=', change).where('kind', '=', 'card').execute();
}

/** In JSON, no text that somebody typed looks like this. What is owed has news, so it stays as it is. */
const withoutNews = sql<string>`case
  when kind = 'direct' and delivered_version = version and body not like '%"minor":true%'
  then '{"minor":true,' || substr(body, 2) else body end`;

const toldDirectly = (tx: Tx, at: number) =>
  tx
    .updateTable('messages')
    .set({ ...redrawnAt(at), body: withoutNews })
    .where('kind', 'in', ['copy', 'direct'])
    .where('ts', 'is not', null);

/**
 * Queues edits of what people were told directly about all open changes, or about this one: others may read them now.
 * Without their requesters, who always may. The words are no news: where they can't be edited, they are not posted again.
 */
export async function redrawTold(tx: Tx, at: number, change?: number): Promise<void> {
  const open = tx.selectFrom('changes').select('number').where('settled_at', 'is', null);
  await toldDirectly(tx, at)
    .whereRef('recipient', '<>', 'requester')
    .where('change', 'in', change === undefined ? open : [change])
    .execute();
}

/** As `redrawTold`, of everything that people were told directly: also, since `since`, of what is about no change. */
export async function redrawAllTold(tx: Tx, at: number, since: number): Promise<void> {
  await redrawTold(tx, at);
  await toldDirectly(tx, at).where('about', 'is not', null).where('created_at', '>=', since).execute();
}

/**
 * Replaces with `body` what people were told directly about a change, except the person `but`. Messages that were not
 * posted yet are dropped.
 */
export async function replaceDirect(tx: Tx, change: number, but: string, body: string, at: number): Promise<void> {
  // A message with an owner may be in the middle of being posted.
  const due_at = sql<number | null>`case when ts is null and owner is null then null else cast(${at} as bigint) end`;
  await tx
    .updateTable('messages')
    .set({ ...redrawnAt(at), body, due_at, decides: 0 })
    .where('change', '=', change)
    .where('kind', '=', 'direct')
    .where('recipient', '<>', but)
    .where(isPostedOrOwed)
    .execute();
}

/**
 * After a restore: redraws posted and owed messages with buttons of unsettled changes, and replaces the database's id
 * `former` with `ours` in owed messages. All other buttons stay refused.
 */
export async function rebindButtons(tx: Tx, former: string, ours: string, at: number): Promise<void> {
  await tx
    .updateTable('messages')
    .set(redrawnAt(at))
    .where((is) => is.or([is('kind', 'in', ['card', 'copy']), is('decides', '=', 1)]))
    .where(isPostedOrOwed)
    .where('change', 'in', tx.selectFrom('changes').select('number').where('settled_at', 'is', null))
    .execute();
  // Typed text can't look like this in JSON, because its quotes are escaped.
  const [from, to] = [former, ours].map((id) => `"installation":${JSON.stringify(id)}`);
  await tx
    .updateTable('messages')
    .set({ body: sql`replace(body, ${from}, ${to})` })
    .where('due_at', 'is not', null)
    .where('body', 'is not', null)
    .execute();
}
