import { parseStored } from '../storage/parse-json.ts';
import type { Tx, Database } from '../storage/database.ts';
import { type ReadHandle } from '../storage/schema.ts';
import { rescheduleOps, dropOldOps, enqueueMessage } from '../storage/messages.ts';
import { readKv, writeKv } from '../storage/kv.ts';
import { channel, code, joined, plain, say, type Text, typed } from '../words/text.ts';
import { createPoller, type Poller } from './poller.ts';
import type { PostContext } from './context.ts';
import type { ChannelLook } from './messenger.ts';
import { counted } from '../commands/kit/page.ts';

/** Checks whether the ops channel, which only the operators read, accepts our posts. */

/** What is wrong with the ops channel, and what to do about it. */
type OpsTrouble = { readonly says: Text; readonly hint: Text };

/** The last post there. `refused`: Slack's error code, or null. Nothing else reveals posting restrictions. */
type LastPost = { readonly channel: string; readonly refused: string | null };
const lastPostKey = 'ops_channel';
const everyMs = 30_000;

/** Records the result of a post there; true if it differs from the last. Once posts work, kept messages become due. */
export async function noteOpsPost(tx: Tx, last: LastPost, at: number): Promise<boolean> {
  const before = await lastPost(tx);
  if (before?.channel === last.channel && before.refused === last.refused) return false;
  await writeKv(tx, { key: lastPostKey, value: JSON.stringify(last), at });
  if (last.refused === null) await rescheduleOps(tx, at);
  return true;
}

async function lastPost(db: ReadHandle): Promise<LastPost | undefined> {
  const stored = await readKv(db, lastPostKey);
  return stored && parseStored<LastPost>(stored.value);
}

/** What is wrong with the ops channel right now, found without posting. Rejects if Slack does not answer. */
export async function opsTrouble(
  db: ReadHandle,
  { policy, lookAt }: Pick<PostContext, 'policy' | 'lookAt'>,
): Promise<OpsTrouble | undefined> {
  const { ops } = policy().channels;
  if (ops === undefined) {
    return trouble(
      say`The rules name no ops channel, so nobody is told about unknown outcomes or messages that Slack refuses.`,
      say`Add one to the policy file: ${code('ops')} under ${code('channels')}.`,
    );
  }
  const [look, last] = await Promise.all([lookAt(ops), lastPost(db)]);
  const unusable = unusableOps(ops, look);
  if (unusable) return unusable;
  const there = channel(ops);
  const isKnown = last?.channel === ops;
  if (isKnown && last.refused !== null)
    return trouble(say`${there} refused my last post (${code(last.refused)}).`, say`Please let me post there. ${kept}`);
  if (look.kind === 'seen' && !look.member && !isKnown)
    return trouble(say`I'm not in ${there}.`, say`Use /invite there. ${kept}`);
  return undefined;
}

/** Why this channel can't be the ops channel, as far as Slack shows; undefined if nothing is known to be wrong. */
export function unusableOps(ops: string, look: ChannelLook): OpsTrouble | undefined {
  const there = channel(ops);
  if (look.kind === 'hidden')
    return trouble(say`Slack doesn't show me ${there} (${code(look.word)}).`, say`Use /invite there. ${kept}`);
  if (look.kind === 'seen' && look.archived)
    return trouble(say`${there} is archived.`, say`Choose another channel. ${kept}`);
  if (look.kind === 'seen' && look.shared)
    return trouble(
      say`${there} is shared with another organisation, so I post nothing there.`,
      say`Choose an internal channel. ${kept}`,
    );
  return undefined;
}

const kept = say`I keep its messages until then.`;
const trouble = (says: Text, hint: Text): OpsTrouble => ({ says, hint });

/** Checks the ops channel every 30 s and when nudged. `onChange` gets a line for the log when the result changes. */
export function createOpsWatch(
  context: PostContext,
  onChange: (line: string, isWell: boolean) => void,
): Poller & { readonly trouble: () => OpsTrouble | undefined } {
  let known: OpsTrouble | undefined;
  const poll = async (): Promise<void> => {
    const found = await opsTrouble(context.database.db, context);
    const line = found ? plain(joined([found.says, found.hint])) : 'it accepts my posts again';
    if (JSON.stringify(found) !== JSON.stringify(known)) onChange(`the ops channel: ${line}`, found === undefined);
    known = found;
  };
  const poller = createPoller({
    everyMs,
    look: poll,
    onTrouble: (error) => context.onTrouble('checking the ops channel', error),
  });
  return { ...poller, trouble: () => known };
}

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
