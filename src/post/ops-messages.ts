import type { Database, Tx } from '../storage/database.ts';
import { dropOldOps, enqueueMessage } from '../storage/messages.ts';
import { say, typed, type Text } from '../words/text.ts';
import { counted } from '../commands/kit/page.ts';

/** Queues a message to the ops channel; a second one with the same key replaces the first. */
export async function tellOps(database: Database, key: string, text: Text): Promise<void> {
  await database.transaction(async (tx) => enqueueOps(tx, key, text, await database.now(tx)));
}

/** As `tellOps`, in a transaction of the caller. */
export async function enqueueOps(tx: Tx, key: string, text: Text, at: number): Promise<void> {
  await enqueueMessage(tx, { key: `ops:${key}`, kind: 'ops', body: JSON.stringify({ text }), at });
}

/** How many messages are kept for the ops channel while it accepts none. */
const maxKept = 500;

/** Drops the oldest messages beyond `maxKept`, and says how many. */
export async function limitOpsBacklog(tx: Tx, now: number): Promise<void> {
  const dropped = await dropOldOps(tx, maxKept);
  if (dropped === 0) return;
  const says = say`⚠️ I dropped ${counted(dropped, 'older message')} for this channel, because it accepted nothing for too long. ${typed('changes')} and ${typed('audit')} show what happened.`;
  await enqueueOps(tx, `dropped:${now}`, says, now);
}
