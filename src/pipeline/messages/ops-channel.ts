import type { Policy } from '../../policy/rules.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { parseStored } from '../../storage/parse-json.ts';
import { rescheduleOps } from '../../storage/messages.ts';
import { readSetting, writeSetting } from '../../storage/kv.ts';
import { channel, code, inline, joined, plain, say, type Text } from '../../text.ts';
import { createPoller, type Poller } from './poller.ts';
import type { ChannelLook } from './messenger.ts';

/** The channel where whoever runs this is told what nobody else may hear: whether it is told at all. */

export type OpsDesk = {
  readonly database: Database;
  readonly policy: () => Pick<Policy, 'channels'>;
  readonly lookAt: (channel: string) => Promise<ChannelLook>;
};

/** What is wrong with it, and what to do. */
export type OpsTrouble = { readonly says: Text; readonly hint: Text };

/** What became of the last post there; `refused` is Slack's word, null where it was taken. Rules of posting show in nothing else. */
type LastPost = { readonly channel: string; readonly refused: string | null };
const lastPostKey = 'ops_channel';
const everyMs = 30_000;

/** Notes what became of a post there. True where that is news; what is kept for the channel is due when it takes posts again. */
export async function noteOpsPost(tx: Tx, last: LastPost, at: number): Promise<boolean> {
  const before = await lastPost(tx);
  if (before?.channel === last.channel && before.refused === last.refused) return false;
  await writeSetting(tx, { key: lastPostKey, value: JSON.stringify(last), at });
  if (last.refused === null) await rescheduleOps(tx, at);
  return true;
}

async function lastPost(db: Parameters<typeof readSetting>[0]): Promise<LastPost | undefined> {
  const setting = await readSetting(db, lastPostKey);
  return setting && parseStored<LastPost>(setting.value);
}

/** What is wrong with the ops channel right now, as far as it can be known without posting; rejects where Slack does not say. */
export async function opsTrouble({ database, policy, lookAt }: OpsDesk): Promise<OpsTrouble | undefined> {
  const { ops } = policy().channels;
  if (ops === undefined) {
    return trouble(
      say`The rules name no ops channel: nobody is told of unknown outcomes and of what Slack refuses.`,
      say`Name one in the policy file: ${code('ops')} under ${code('channels')}.`,
    );
  }
  const [look, last] = await Promise.all([lookAt(ops), lastPost(database.db)]);
  const kept = say`What it should read is kept until then.`;
  const there = channel(ops);
  if (look.kind === 'hidden')
    return trouble(say`Slack does not show me ${there} (${code(look.word)}).`, say`Use /invite there. ${kept}`);
  if (look.kind === 'seen' && look.archived) return trouble(say`${there} is archived.`, say`Name another. ${kept}`);
  if (look.kind === 'seen' && look.shared)
    return trouble(
      say`${there} is shared with another organisation: I post nothing there.`,
      say`Name an internal one. ${kept}`,
    );
  const isKnown = last?.channel === ops;
  if (isKnown && last.refused !== null)
    return trouble(say`${there} refused my last post (${code(last.refused)}).`, say`Let me post there. ${kept}`);
  if (look.kind === 'seen' && !look.member && !isKnown)
    return trouble(say`I am not in ${there}.`, say`Use /invite there. ${kept}`);
  return undefined;
}

const trouble = (says: Text, hint: Text): OpsTrouble => ({ says: inline(says), hint });

/** Looks at the ops channel now and then, and when nudged. `onChange` gets a line for the log where it stands otherwise. */
export function createOpsWatch(
  context: OpsDesk,
  onTrouble: (what: string, error: unknown) => void,
  onChange: (line: string, isWell: boolean) => void,
): Poller & { readonly trouble: () => OpsTrouble | undefined } {
  let known: OpsTrouble | undefined;
  const look = async (): Promise<void> => {
    const found = await opsTrouble(context);
    const line = found ? plain(joined([found.says, found.hint])) : 'it takes what I post again';
    if (JSON.stringify(found) !== JSON.stringify(known)) onChange(`the ops channel: ${line}`, found === undefined);
    known = found;
  };
  const poller = createPoller({ everyMs, look, onTrouble: (error) => onTrouble('looking at the ops channel', error) });
  return { ...poller, trouble: () => known };
}
