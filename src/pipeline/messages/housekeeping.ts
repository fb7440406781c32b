import { expireAnswers } from '../../storage/button-payloads.ts';
import type { Database } from '../../storage/database.ts';
import { abandoned, closeInbox, forgetInbox, wipeInbox, type InboxRow } from '../../storage/inbox.ts';
import { releaseAll } from '../../storage/lease.ts';
import { sweepLocks } from '../../storage/locks.ts';
import { dropOldOps, forgetMessages, enqueueMessage } from '../../storage/messages.ts';
import { counted } from '../../commands/kit/page.ts';
import { code, say, type Text } from '../../text.ts';
import { oweOps } from './ops-messages.ts';
import type { Note } from '../changes/card.ts';

export type Housekeeping = {
  readonly database: Database;
  /** What somebody is told whose request was not begun. */
  readonly lostNote: (row: InboxRow) => Note;
};

const wipeAfterMs = 30 * 60_000;
const forgetAfterMs = 86_400_000;
const forgetMessagesAfterMs = 30 * 86_400_000;
/** What the ops channel is owed at most, while it takes nothing. */
const maxOps = 500;

/** Names the message that tells somebody that their delivery was lost. */
export const lostKey = (inbox: string): string => `lost:${inbox}`;

/** At start on a database that only this process can have open: whoever held a lease before is gone. */
export async function takeOver({ database }: Pick<Housekeeping, 'database'>): Promise<void> {
  if (database.kind !== 'sqlite') return;
  await database.transaction(async (tx) => releaseAll(tx, await database.now(tx)));
}

/**
 * Owes a direct message to those whose delivery was acked and never answered, in the transaction that closes it: it
 * cannot be done after all, and they hear of it even if Slack is away now.
 */
export async function tellTheLost({ database, lostNote }: Housekeeping): Promise<void> {
  for (const row of await abandoned(database.db, await database.now())) {
    await database.transaction(async (tx) => {
      const at = await database.now(tx);
      if (!(await closeInbox(tx, row.key, at))) return;
      const body = JSON.stringify(lostNote(row));
      await enqueueMessage(tx, { key: lostKey(row.key), kind: 'direct', recipient: row.person, body, at });
    });
  }
}

/** Removes what has had its time; each call a bounded piece. */
export async function sweep({ database }: Housekeeping): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await database.now(tx);
    await wipeInbox(tx, now - wipeAfterMs);
    await forgetInbox(tx, now - forgetAfterMs);
    await expireAnswers(tx, now);
    await sweepLocks(tx, now);
    await forgetMessages(tx, now - forgetMessagesAfterMs);
    const dropped = await dropOldOps(tx, maxOps);
    if (dropped > 0) await oweOps(tx, `dropped:${now}`, tooMany(dropped), now);
  });
}

const tooMany = (dropped: number): Text =>
  say`⚠️ ${counted(dropped, 'older message')} for this channel ${dropped === 1 ? 'was' : 'were'} dropped: it took nothing for too long. ${code('changes')} and ${code('audit')} show what happened.`;
