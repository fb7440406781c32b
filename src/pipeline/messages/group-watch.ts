import { mentionedGroups } from '../../policy/people.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Database, Tx } from '../../storage/database.ts';
import { alone } from '../../storage/sql-dialect.ts';
import { readSetting, removeSetting, writeSetting } from '../../storage/kv.ts';
import { code, joined, say, type Text } from '../../text.ts';
import { oweOps } from './ops-messages.ts';

/** Which Slack user groups of the policy cannot be read: the ops channel is told of each once, and when it can be again. */

export type GroupWatch = {
  /** Slack was asked: its word for why it does not tell who is in a group, or undefined. */
  readonly onGroup: (group: string, trouble: string | undefined) => void;
  /** Asks about every group of the policy of which nothing was heard lately, and tells what has changed. */
  readonly look: () => Promise<void>;
};

type Desk = {
  readonly database: Database;
  readonly policy: () => Policy;
  /** Asks who is in a group, unless that was heard in the last minutes. */
  readonly ask: (group: string) => Promise<unknown>;
};

const keyOf = (group: string): string => `user group ${group}`;
type Change = { readonly group: string; readonly before: string | undefined; readonly now: string | undefined };

export function createGroupWatch({ database, policy, ask }: Desk): GroupWatch {
  const troubles = new Map<string, string | undefined>();
  const told = new Map<string, string | undefined>();
  return {
    onGroup: (group, trouble) => void troubles.set(group, trouble),
    look: async () => {
      await Promise.all(mentionedGroups(policy()).map(ask));
      const changed = [...troubles].filter(([group, now]) => !told.has(group) || told.get(group) !== now);
      if (changed.length === 0) return;
      await database.transaction((tx) => tellChanges(tx, database, changed));
      for (const [group, now] of changed) told.set(group, now);
    },
  };
}

/** What was told before is kept in the database: neither a restart nor a second replica tells it again. */
async function tellChanges(
  tx: Tx,
  database: Database,
  groups: readonly (readonly [group: string, now: string | undefined])[],
): Promise<void> {
  await alone(tx);
  const at = await database.now(tx);
  const changes: Change[] = [];
  for (const [group, now] of groups) {
    const before = (await readSetting(tx, keyOf(group)))?.value;
    if (before === now) continue;
    changes.push({ group, before, now });
    if (now === undefined) await removeSetting(tx, keyOf(group));
    else await writeSetting(tx, { key: keyOf(group), value: now, at });
  }
  const key = `user groups:${at}:${changes.map(({ group }) => group).join()}`;
  if (changes.length > 0) await oweOps(tx, key, inWords(changes), at);
}

function inWords(changes: readonly Change[]): Text {
  const broken = changes.filter(({ now }) => now !== undefined);
  const well = changes.filter(({ now }) => now === undefined).map(({ group }) => code(group));
  return joined(
    [
      broken.length > 0
        ? say`⚠️ **Slack doesn't tell me who is in ${joined(
            broken.map(({ group, now }) => say`${group} (${now})`),
            ', ',
          )}.** Until it does, everybody is held for a member where a rule forbids something, and nobody where one allows it; ${code('pause')} stays open.`
        : undefined,
      well.length > 0 ? say`Who is in ${joined(well, ', ')} can be read again.` : undefined,
    ],
    '\n',
  );
}
