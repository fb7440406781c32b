import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { InboxTable, ReadHandle, Tx } from './schema.ts';

export type InboxRow = Selectable<InboxTable>;

/** The largest delivery, in characters: more than Slack sends. */
export const maxContent = 100_000;
/** How many rows one call reads or deletes. */
const batchSize = 500;

/**
 * The id of a delivery in the log, the audit trail, requests to the host and messages to people: `r-` and ten hex
 * digits of a hash of its key, so that copies have the same id.
 */
export const requestId = (key: string): string => `r-${createHash('sha256').update(key).digest('hex').slice(0, 10)}`;

/** Saves a delivery until it is answered; `seen` if it is there already. RangeError beyond `maxContent`. */
export async function receive(db: ReadHandle, row: Omit<InboxRow, 'closed_at'>): Promise<'new' | 'seen'> {
  if ((row.content?.length ?? 0) > maxContent) throw new RangeError('the delivery is too long to be kept');
  const kept = await db
    .insertInto('inbox')
    .values(row)
    .onConflict((on) => on.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  return kept === undefined ? 'seen' : 'new';
}

/**
 * Closes a delivery and wipes its content. True for exactly one caller: only that one may create or move a change, or
 * tell the person that nothing was done, in the same transaction.
 */
export async function closeInbox(db: ReadHandle, key: string, now: number): Promise<boolean> {
  const closed = await db
    .updateTable('inbox')
    .set({ closed_at: now, content: null })
    .where('key', '=', key)
    .where('closed_at', 'is', null)
    .returning('key')
    .executeTakeFirst();
  return closed !== undefined;
}

/** Closes every open delivery without an answer: after a restore, nobody knows whether it was answered. */
export async function closeAllInbox(tx: Tx, now: number): Promise<void> {
  await tx.updateTable('inbox').set({ closed_at: now, content: null }).where('closed_at', 'is', null).execute();
}

/** Whether a delivery still needs an answer. Also true if it is missing, because then the commit that saved it was lost. */
export async function isInboxOpen(db: ReadHandle, key: string): Promise<boolean> {
  const row = await db.selectFrom('inbox').select('closed_at').where('key', '=', key).executeTakeFirst();
  return row === undefined || row.closed_at === null;
}

/** Extends the lease on an open delivery to `leaseUntil` (epoch ms); false if it is closed or has another owner. */
export async function renewInbox(tx: Tx, key: string, owner: string, leaseUntil: number): Promise<boolean> {
  const renewed = await tx
    .updateTable('inbox')
    .set({ lease_until: leaseUntil })
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('closed_at', 'is', null)
    .returning('key')
    .executeTakeFirst();
  return renewed !== undefined;
}

/** Open deliveries whose lease is over, oldest first, 500 at most. Close one before reporting it as lost. */
export function abandoned(db: ReadHandle, now: number): Promise<InboxRow[]> {
  return db
    .selectFrom('inbox')
    .selectAll()
    .where('closed_at', 'is', null)
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .limit(batchSize)
    .execute();
}

/** Wipes the content of deliveries received before `before` (epoch ms), answered or not. */
export async function wipeInbox(tx: Tx, before: number): Promise<void> {
  await tx
    .updateTable('inbox')
    .set({ content: null })
    .where('received_at', '<', before)
    .where('content', 'is not', null)
    .execute();
}

/** Deletes up to 500 closed deliveries received before `before` (epoch ms). A later copy counts as new. */
export async function forgetInbox(tx: Tx, before: number): Promise<number> {
  const old = tx
    .selectFrom('inbox')
    .select('key')
    .where('received_at', '<', before)
    .where('closed_at', 'is not', null)
    .limit(batchSize);
  const gone = await tx.deleteFrom('inbox').where('key', 'in', old).returning('key').execute();
  return gone.length;
}
