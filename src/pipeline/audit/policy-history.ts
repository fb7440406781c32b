import { mistakeLine } from '../../policy/mistakes.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { impossibleRules } from '../../policy/unsatisfiable.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Database } from '../../storage/database.ts';
import { readKv, writeKv } from '../../storage/kv.ts';
import { joined, say, type Text } from '../../text.ts';
import type { ChangeStore } from '../changes/change-store.ts';
import type { AccessContext } from '../access/context.ts';

/** Records each policy in the audit trail, and reports rules that can never be satisfied. */

/** The key that holds the hash of the current policy, and since when it applies. */
export const policyInForceKey = 'policy';

type PolicyHistory = {
  readonly database: Database;
  readonly changeStore: ChangeStore;
  readonly policy: () => Policy;
  readonly membersOf: AccessContext['membersOf'];
  /** Called with a message about rules that can never be satisfied. */
  readonly onUnsatisfiable: (says: Text) => void;
};

/** Returns a function that checks whether the policy has changed since the last call, and if so records and checks it. */
export function createPolicyHistory(context: PolicyHistory): () => Promise<void> {
  let recorded: string | undefined;
  return async () => {
    const policy = context.policy();
    if (policy.hash === recorded) return;
    await recordPolicy(context, policy);
    const says = await unsatisfiableText(context, policy);
    if (says) context.onUnsatisfiable(says);
    recorded = policy.hash;
  };
}

/** Writes the whole text of a new policy into the trail: changes refer to it by its hash. */
async function recordPolicy({ database, changeStore }: PolicyHistory, { hash, text }: Policy): Promise<void> {
  await database.transaction(async (tx) => {
    if ((await readKv(tx, policyInForceKey))?.value === hash) return;
    const at = await database.now(tx);
    await changeStore.note(tx, { event: 'policy', by: 'sitehand', at, details: { hash, text } });
    await writeKv(tx, { key: policyInForceKey, value: hash, at });
  });
}

/** A message about rules whose approval can never be completed, as far as user groups can be read; undefined: none. */
async function unsatisfiableText({ membersOf }: PolicyHistory, policy: Policy): Promise<Text | undefined> {
  const lookUp = async (group: string) => [group, await membersOf(group)] as const;
  const groups = await Promise.all(mentionedGroups(policy).map(lookUp));
  const known = groups.flatMap(([group, members]) => (members ? [[group, members] as const] : []));
  const mistakes = impossibleRules(policy, new Map(known));
  if (mistakes.length === 0) return undefined;
  return say`⚠️ **Some rules can never be satisfied.**\n${joined(mistakes.slice(0, 10).map(mistakeLine), '\n')}`;
}
