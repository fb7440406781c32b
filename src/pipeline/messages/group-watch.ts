import { mentionedGroups } from '../../policy/people.ts';
import type { Tx } from '../../storage/database.ts';
import { readKv, removeKv, writeKv } from '../../storage/kv.ts';
import { code, joined, say, type Text } from '../../text.ts';
import type { MessagesContext } from './context.ts';
import { enqueueOps } from './ops-messages.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';

/** Tells the ops channel once when a Slack user group of the policy can't be read, and once when it can again. */

export type GroupWatch = {
  /** Called after each read of a group. `trouble`: Slack's error code, or undefined if the read succeeded. */
  readonly onGroup: (group: string, trouble: string | undefined) => void;
  /** Reads every group of the policy that was not read recently, and tells the ops channel what has changed. */
  readonly look: () => Promise<void>;
};

/** How often groups are looked at. */
export const groupsEveryMs = 5_000;

const keyOf = (group: string): string => `user_group:${group}`;
type GroupChange = { readonly group: string; readonly before: string | undefined; readonly now: string | undefined };

/** `ask` reads a group's members, unless that was done in the last minutes. */
export function createGroupWatch(
  { database, policy }: Pick<MessagesContext, 'database' | 'policy'>,
  ask: (group: string) => Promise<unknown>,
): GroupWatch {
  const troubles = new Map<string, string | undefined>();
  const reported = new Map<string, string | undefined>();
  return {
    onGroup: (group, trouble) => void troubles.set(group, trouble),
    look: async () => {
      await Promise.all(mentionedGroups(policy()).map(ask));
      const changed = [...troubles].filter(([group, now]) => !reported.has(group) || reported.get(group) !== now);
      if (changed.length === 0) return;
      await exclusiveTransaction(database, (tx, at) => reportChanges(tx, at, changed));
      for (const [group, now] of changed) reported.set(group, now);
    },
  };
}

/** The last report is kept in the database, so that a restart or a second replica does not repeat it. */
async function reportChanges(
  tx: Tx,
  at: number,
  groups: readonly (readonly [group: string, now: string | undefined])[],
): Promise<void> {
  const changes: GroupChange[] = [];
  for (const [group, now] of groups) {
    const before = (await readKv(tx, keyOf(group)))?.value;
    if (before === now) continue;
    changes.push({ group, before, now });
    if (now === undefined) await removeKv(tx, keyOf(group));
    else await writeKv(tx, { key: keyOf(group), value: now, at });
  }
  const key = `user_groups:${at}:${changes.map(({ group }) => group).join()}`;
  if (changes.length > 0) await enqueueOps(tx, key, inWords(changes), at);
}

function inWords(changes: readonly GroupChange[]): Text {
  const broken = changes.flatMap(({ group, now }) => (now === undefined ? [] : [say`${group} (${now})`]));
  const readable = changes.filter(({ now }) => now === undefined).map(({ group }) => code(group));
  return joined(
    [
      broken.length > 0
        ? say`⚠️ **Slack doesn't tell me who is in ${joined(broken, ', ')}.** Until it does, rules that deny something to these groups deny it to everybody, and rules that allow something to them allow it to nobody. ${code('pause')} still works.`
        : undefined,
      readable.length > 0 ? say`I can see again who is in ${joined(readable, ', ')}.` : undefined,
    ],
    '\n',
  );
}
