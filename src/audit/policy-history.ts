import { mistakeLine } from '../policy/yaml-document.ts';
import { mentionedGroups } from '../policy/memberships.ts';
import { impossibleRules } from '../policy/unsatisfiable.ts';
import type { Policy } from '../policy/rules.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { readKv, writeKv } from '../storage/kv.ts';
import { joined, say, type Text } from '../words/text.ts';
import { redrawForReaders } from '../post/group-watch.ts';
import type { AuditContext } from './context.ts';

/** What is done about a new policy: it is recorded in the audit trail before it applies, and checked afterwards. */

type HistoryContext = Pick<AuditContext, 'database' | 'changeStore' | 'policy' | 'membersOf'>;

/** The key that holds the hash of the current policy, and since when it applies. */
export const policyInForceKey = 'policy';

/**
 * Writes the whole text of a policy into the trail, unless it is the last one there: changes refer to it by its hash.
 * What people were told is redrawn, because others may read it by these rules.
 */
export const recordPolicy = (
  { database, changeStore }: Pick<HistoryContext, 'database' | 'changeStore'>,
  { hash, text }: Policy,
): Promise<void> =>
  exclusiveTransaction(database, async (tx, at) => {
    if ((await readKv(tx, policyInForceKey))?.value === hash) return;
    await changeStore.note(tx, { event: 'policy', by: 'sitehand', at, about: 'company', details: { hash, text } });
    await writeKv(tx, { key: policyInForceKey, value: hash, at });
    await redrawForReaders(tx, at);
  });

/** How often a policy is looked for that was not checked yet; a reload asks for it at once. */
export const checkEveryMs = 5_000;

/**
 * The function checks the policy in force if that was not done yet. If it replaced another one in this process, what
 * people were told is redrawn once more: since it was recorded, here or by another replica, some of it may have been
 * drawn by the former one. `onUnsatisfiable` is called with a message about rules that can never be satisfied.
 */
export function createPolicyCheck(
  context: Omit<HistoryContext, 'changeStore'>,
  onUnsatisfiable: (says: Text) => void,
): () => Promise<void> {
  const { database } = context;
  // The policy itself, because its hash may be the same again after a change that was taken back.
  let checked: Policy | undefined;
  return async () => {
    const policy = context.policy();
    if (policy === checked) return;
    if (checked !== undefined) await database.transaction(async (tx) => redrawForReaders(tx, await database.now(tx)));
    const says = await unsatisfiableText(context, policy);
    if (says) onUnsatisfiable(says);
    checked = policy;
  };
}

/** A message about rules whose approval can never be completed, by the groups that can be read; undefined: none. */
async function unsatisfiableText(
  { membersOf }: Pick<HistoryContext, 'membersOf'>,
  policy: Policy,
): Promise<Text | undefined> {
  const lookUp = async (group: string) => [group, await membersOf(group)] as const;
  const groups = await Promise.all(mentionedGroups(policy).map(lookUp));
  const known = groups.flatMap(([group, members]) => (members ? [[group, members] as const] : []));
  const mistakes = impossibleRules(policy, new Map(known));
  if (mistakes.length === 0) return undefined;
  return say`⚠️ **Some rules can never be satisfied.**\n${joined(mistakes.slice(0, 10).map(mistakeLine), '\n')}`;
}
