import { mistakeLine } from '../../policy/mistakes.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { impossibleRules } from '../../policy/unsatisfiable.ts';
import type { Policy } from '../../policy/rules.ts';
import { readKv, writeKv } from '../../storage/kv.ts';
import { redrawTold } from '../../storage/message-edits.ts';
import { joined, say, type Text } from '../../text.ts';
import type { AuditContext } from './context.ts';

/** Records each policy in the audit trail, and reports rules that can never be satisfied. */

type HistoryContext = Pick<AuditContext, 'database' | 'changeStore' | 'policy' | 'membersOf'>;

/** How often a new policy is looked for. */
export const recordEveryMs = 5_000;

/** The key that holds the hash of the current policy, and since when it applies. */
export const policyInForceKey = 'policy';

/**
 * The function checks whether the policy has changed since its last call; if so, it records and checks the new one.
 * `onUnsatisfiable` is called with a message about rules that can never be satisfied.
 */
export function createPolicyHistory(
  context: HistoryContext,
  onUnsatisfiable: (says: Text) => void,
): () => Promise<void> {
  // The policy itself, because its hash may be the same again after a change that was taken back.
  let recorded: Policy | undefined;
  return async () => {
    const policy = context.policy();
    if (policy === recorded) return;
    await recordPolicy(context, policy, recorded !== undefined);
    const says = await unsatisfiableText(context, policy);
    if (says) onUnsatisfiable(says);
    recorded = policy;
  };
}

/**
 * Writes the whole text of a new policy into the trail: changes refer to it by its hash. Others may read them now.
 * `isReload`: this process had another policy before, and may have drawn messages by it after a replica recorded this.
 */
async function recordPolicy(
  { database, changeStore }: HistoryContext,
  { hash, text }: Policy,
  isReload: boolean,
): Promise<void> {
  await database.transaction(async (tx) => {
    const isKnown = (await readKv(tx, policyInForceKey))?.value === hash;
    if (isKnown && !isReload) return;
    const at = await database.now(tx);
    await redrawTold(tx, at);
    if (isKnown) return;
    await changeStore.note(tx, { event: 'policy', by: 'sitehand', at, about: 'company', details: { hash, text } });
    await writeKv(tx, { key: policyInForceKey, value: hash, at });
  });
}

/** A message about rules whose approval can never be completed, by the groups that can be read; undefined: none. */
async function unsatisfiableText({ membersOf }: HistoryContext, policy: Policy): Promise<Text | undefined> {
  const lookUp = async (group: string) => [group, await membersOf(group)] as const;
  const groups = await Promise.all(mentionedGroups(policy).map(lookUp));
  const known = groups.flatMap(([group, members]) => (members ? [[group, members] as const] : []));
  const mistakes = impossibleRules(policy, new Map(known));
  if (mistakes.length === 0) return undefined;
  return say`⚠️ **Some rules can never be satisfied.**\n${joined(mistakes.slice(0, 10).map(mistakeLine), '\n')}`;
}
