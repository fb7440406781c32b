import type { Database, Tx } from '../../storage/database.ts';
import type { Jump } from '../../storage/clock.ts';
import { abandoned } from '../../storage/inbox.ts';
import { enqueueMessage } from '../../storage/messages.ts';
import { readSetting, writeSetting } from '../../storage/kv.ts';
import { aliveKey } from '../../storage/time.ts';
import { joined, say, time, type Text } from '../../text.ts';
import { counted } from '../../commands/kit/page.ts';

/** Owes the ops channel a line; a second one under the same key takes the place of the first. */
export async function tellOps(database: Database, key: string, text: Text): Promise<void> {
  await database.transaction(async (tx) => oweOps(tx, key, text, await database.now(tx)));
}

/** As `tellOps`, in the transaction of what is told. */
export async function oweOps(tx: Tx, key: string, text: Text, at: number): Promise<void> {
  await enqueueMessage(tx, { key: `ops:${key}`, kind: 'ops', body: JSON.stringify({ text }), at });
}

/** A shorter absence is a restart that nobody noticed. */
const worthTellingMs = 20_000;

/** Notes that somebody is here: what the next start measures its absence by, and by which time others begin. */
export async function noteAlive(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    await writeSetting(tx, { key: aliveKey, value: String(database.clockAhead()), at });
  });
}

/** At a start after an absence: how long it was, and what becomes of what was under way. Asked before anything is taken over. */
export async function backAgain(database: Database): Promise<Text | undefined> {
  const now = await database.now();
  const seen = await readSetting(database.db, aliveKey);
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
  const goOn = open.length - unknown.length;
  const lost = (await abandoned(database.db, Number.MAX_SAFE_INTEGER)).length;
  return joined([
    say`Away ${time(seen.at)}–${time(now)}.`,
    goOn > 0 ? `${counted(goOn, 'change goes', 'changes go')} on.` : undefined,
    unknown.length > 0 ? `Unknown: ${unknown.slice(0, 10).join(', ')}.` : undefined,
    lost > 0 ? `${counted(lost, 'person is', 'people are')} told that their command was lost.` : undefined,
  ]);
}

/** What is told of a jump of the clock. */
export function clockWords({ kind, clock, other }: Jump): Text {
  const [says, is] = [time(clock, 'date'), time(other, 'date')];
  switch (kind) {
    case 'jumped':
      return say`⚠️ **The clock jumped:** it says ${says}, and I had counted to ${is}. I go on from there, so nothing expires early or waits for it, and come closer to the clock by 36 s an hour. If it is ahead and right, stop me (all replicas) for a minute, then start again.`;
    case 'behind':
      return say`⚠️ **The clock is behind:** it says ${says}, and ${is} is written down already. I began there, and come closer to the clock by 36 s an hour.`;
    case 'far ahead':
      return say`⚠️ **A time is written down that is more than a day ahead:** ${is}, and the clock says ${says}. I go by the clock. If it is wrong, set it right and restart me.`;
  }
}
