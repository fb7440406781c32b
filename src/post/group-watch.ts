import { createHash } from 'node:crypto';
import { mentionedGroups } from '../policy/memberships.ts';
import { readKv, removeKv, writeKv } from '../storage/kv.ts';
import { code, joined, say, typed, type Text } from '../words/text.ts';
import type { PostContext } from './context.ts';
import { enqueueOps } from './ops-channel-health.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { redrawDirect } from '../storage/redraw.ts';
import type { Tx } from '../storage/schema.ts';
import { dayMs } from '../words/duration.ts';

/**
 * Tells the ops channel once when a Slack user group of the policy can't be read, and once when it can again. Has what
 * people were told redrawn when its members have changed: others may read it now.
 */

type GroupWatch = {
  /** Called after each read of a group. `trouble`: Slack's error code, or undefined if the read succeeded. */
  readonly onGroup: (group: string, trouble: string | undefined, members?: readonly string[]) => void;
  /** Reads every group of the policy that was not read recently, and acts on what has changed. */
  readonly look: () => Promise<void>;
};

/** How often groups are looked at. */
export const groupsEveryMs = 5_000;

const keyOf = (group: string): string => `user_group:${group}`;
const membersKeyOf = (group: string): string => `user_group_members:${group}`;
type GroupChange = { readonly group: string; readonly before: string | undefined; readonly now: string | undefined };

type GroupWatchContext = Pick<PostContext, 'database' | 'policy'> & {
  /** Called when the members of a group have changed. */
  readonly onMembers: () => void;
};

/** `ask` reads a group's members, unless that was done in the last minutes. */
export function createGroupWatch(
  { database, policy, onMembers }: GroupWatchContext,
  ask: (group: string) => Promise<unknown>,
): GroupWatch {
  const troubles = createNews();
  const members = createNews();
  return {
    onGroup: (group, trouble, ids) => {
      troubles.note(group, trouble);
      if (ids) members.note(group, digestOf(ids));
    },
    look: async () => {
      await Promise.all(mentionedGroups(policy()).map(ask));
      const [troubled, moved] = [troubles.changed(), members.changed()];
      if (troubled.length + moved.length === 0) return;
      const isMoved = await exclusiveTransaction(database, async (tx, at) => {
        await reportChanges(tx, at, troubled);
        return redrawIfMoved(tx, at, moved);
      });
      troubles.handled(troubled);
      members.handled(moved);
      if (isMoved) onMembers();
    },
  };
}

/** What was read of a group; `before`: what was read when it was last handled, if it ever was. */
type Read = { readonly group: string; readonly now: string | undefined; readonly before?: string | undefined };

/** Values by group, and which of them have changed since they were handled. */
function createNews() {
  const read = new Map<string, string | undefined>();
  const handled = new Map<string, string | undefined>();
  return {
    note: (group: string, value: string | undefined) => void read.set(group, value),
    changed: (): readonly Read[] =>
      [...read]
        .filter(([group, now]) => !handled.has(group) || handled.get(group) !== now)
        .map(([group, now]) => ({ group, now, before: handled.get(group) })),
    handled: (all: readonly Read[]): void => {
      for (const { group, now } of all) handled.set(group, now);
    },
  };
}

const digestOf = (ids: readonly string[]): string => createHash('sha256').update(ids.toSorted().join()).digest('hex');

/**
 * Has what people were told redrawn if other members were known before, here or, at a start, in the database. Each
 * replica does it: one may have drawn something by the former members after another one had learnt of the new ones.
 */
async function redrawIfMoved(tx: Tx, at: number, groups: readonly Read[]): Promise<boolean> {
  let isMoved = false;
  for (const { group, now = '', before } of groups) {
    const kept = (await readKv(tx, membersKeyOf(group)))?.value;
    isMoved ||= (before ?? kept ?? now) !== now;
    if (kept !== now) await writeKv(tx, { key: membersKeyOf(group), value: now, at });
  }
  if (isMoved) await redrawForReaders(tx, at);
  return isMoved;
}

/** The last report is kept in the database, so that a restart or a second replica does not repeat it. */
async function reportChanges(tx: Tx, at: number, groups: readonly Read[]): Promise<void> {
  const changes: GroupChange[] = [];
  for (const { group, now } of groups) {
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
        ? say`⚠️ **Slack doesn't tell me who is in ${joined(broken, ', ')}.** Until it does, rules that deny something to these groups deny it to everybody, and rules that allow something to them allow it to nobody. ${typed('pause')} still works.`
        : undefined,
      readable.length > 0 ? say`I can see again who is in ${joined(readable, ', ')}.` : undefined,
    ],
    '\n',
  );
}

/** For how long messages that are about no change are covered up if their readers lose the right to see them. */
const coveredForMs = dayMs;

/** Redraws what people were told directly, because the rules or the members of a user group have changed. `at`: epoch ms. */
export const redrawForReaders = (tx: Tx, at: number): Promise<void> => redrawDirect(tx, at, at - coveredForMs);
