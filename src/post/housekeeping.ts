import { expirePayloads } from '../storage/button-payloads.ts';
import type { Database } from '../storage/database.ts';
import { abandoned, closeInbox, forgetInbox, wipeInbox, type InboxRow } from '../storage/inbox.ts';
import { releaseAll } from '../storage/lease.ts';
import { sweepLocks } from '../storage/locks.ts';
import { forgetWaiting } from '../storage/waiting.ts';
import { forgetMessages, enqueueMessage, ownWords } from '../storage/messages.ts';
import { limitOpsBacklog } from './ops-channel-health.ts';
import type { Note } from '../change/card.ts';
import { forgetReadings } from '../change/site-readings.ts';
import { dayMs } from '../words/duration.ts';

/** How often lost deliveries are looked for, and how often what has expired is deleted. */
export const lostEveryMs = 5_000;
export const sweepEveryMs = 60_000;
const wipeAfterMs = 30 * 60_000;
const forgetAfterMs = dayMs;
const forgetMessagesAfterMs = 30 * dayMs;
/** Batches per sweep. With one sweep a minute, that is enough for a hundred or more deliveries a second. */
const maxBatches = 20;

/** The key of the message that tells a person that their delivery was lost. */
export const lostKey = (inbox: string): string => `lost:${inbox}`;

/** Frees all leases at a start on SQLite: only one process can have it open, so the former owners are gone. */
export async function takeOver(database: Database): Promise<void> {
  if (database.kind !== 'sqlite') return;
  await database.transaction(async (tx) => releaseAll(tx, await database.now(tx)));
}

/**
 * Closes deliveries that were acked and never answered, and queues a direct message to each person, in one transaction:
 * the delivery can't be worked on any more, and the message is kept even if Slack is away now.
 */
export async function tellTheLost(database: Database, lostNote: (row: InboxRow) => Note): Promise<void> {
  for (const row of await abandoned(database.db, await database.now())) {
    await database.transaction(async (tx) => {
      const at = await database.now(tx);
      if (!(await closeInbox(tx, row.key, at))) return;
      const body = JSON.stringify(lostNote(row));
      const to = { kind: 'direct', recipient: row.person, about: ownWords } as const;
      await enqueueMessage(tx, { key: lostKey(row.key), ...to, body, at });
    });
  }
}

/** Deletes what has expired, and wipes the content of old deliveries. */
export async function sweep(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await database.now(tx);
    await wipeInbox(tx, now - wipeAfterMs);
    await expirePayloads(tx, now);
    await sweepLocks(tx, now);
    await limitOpsBacklog(tx, now);
    await forgetWaiting(tx, now);
    await forgetReadings(tx, now);
  });
  // In batches: one long transaction would delay the others.
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const gone = await database.transaction(async (tx) => {
      const now = await database.now(tx);
      return (await forgetInbox(tx, now - forgetAfterMs)) + (await forgetMessages(tx, now - forgetMessagesAfterMs));
    });
    if (gone === 0) return;
  }
}
