import type { Database, Tx } from '../../storage/database.ts';
import { abandoned } from '../../storage/inbox.ts';
import { dropOldOps, enqueueMessage } from '../../storage/messages.ts';
import { readKv, writeKv } from '../../storage/kv.ts';
import { aliveKey } from '../../storage/time.ts';
import { code, joined, say, time, type Text } from '../../text.ts';
import { counted } from '../../commands/kit/page.ts';

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
  const says = say`⚠️ I dropped ${counted(dropped, 'older message')} for this channel, because it accepted nothing for too long. ${code('changes')} and ${code('audit')} show what happened.`;
  await enqueueOps(tx, `dropped:${now}`, says, now);
}

/** Shorter absences are ordinary restarts and are not reported. */
const worthTellingMs = 20_000;

/** How often the current time is saved as a sign of life. */
export const aliveEveryMs = 15_000;

/** Saves the current time. The next start measures its absence from it, and other processes start their clocks by it. */
export async function noteAlive(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    await writeKv(tx, { key: aliveKey, value: String(database.clockAhead()), at });
  });
}

/** The report after an absence: how long it was, and what was under way. Call it before leases are taken over. */
export async function absenceReport(database: Database): Promise<Text | undefined> {
  const now = await database.now();
  const seen = await readKv(database.db, aliveKey);
  if (seen === undefined || now - seen.at < worthTellingMs) return undefined;
  const open = await database.db
    .selectFrom('changes')
    .select(['number', 'state'])
    .where('settled_at', 'is', null)
    .where('due_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(100)
    .execute();
  const unknown = open
    .filter(({ state }) => state === 'sending' || state === 'unknown')
    .map(({ number }) => `#${number}`);
  const continuing = open.length - unknown.length;
  const lost = (await abandoned(database.db, Number.MAX_SAFE_INTEGER)).length;
  return joined([
    say`I was away ${time(seen.at)}–${time(now)}.`,
    continuing > 0 ? `${counted(continuing, 'change continues', 'changes continue')}.` : undefined,
    unknown.length > 0 ? `Unknown: ${unknown.slice(0, 10).join(', ')}.` : undefined,
    lost > 0 ? `I'm telling ${counted(lost, 'person', 'people')} that their command was lost.` : undefined,
  ]);
}
