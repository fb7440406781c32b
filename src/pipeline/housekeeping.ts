import { expireAnswers } from '../storage/answers.ts';
import type { Database } from '../storage/database.ts';
import { abandoned, closeInbox, forgetInbox, wipeInbox, type InboxRow } from '../storage/inbox.ts';
import { releaseAll } from '../storage/lease.ts';
import { sweepLocks } from '../storage/locks.ts';
import { forgetMessages } from '../storage/messages.ts';

export type Housekeeping = {
  readonly database: Database;
  /** Tells somebody privately that what they asked for was not begun. */
  readonly tellLost: (row: InboxRow) => Promise<void>;
};

const wipeAfterMs = 30 * 60_000;
const forgetAfterMs = 86_400_000;
const forgetMessagesAfterMs = 30 * 86_400_000;

/** At start on a database that only this process can have open: whoever held a lease before is gone. */
export async function takeOver({ database }: Pick<Housekeeping, 'database'>): Promise<void> {
  if (database.kind !== 'sqlite') return;
  await database.transaction(async (tx) => releaseAll(tx, await database.now(tx)));
}

/** Tells those whose delivery was acked and never answered; closes it first, so that it cannot be done after all. */
export async function tellTheLost({ database, tellLost }: Housekeeping): Promise<void> {
  for (const row of await abandoned(database.db, await database.now())) {
    const mine = await database.transaction(async (tx) => closeInbox(tx, row.key, await database.now(tx)));
    if (mine) await tellLost(row);
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
  });
}
