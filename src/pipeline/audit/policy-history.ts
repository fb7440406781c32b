import { tell } from '../../policy/mistakes.ts';
import { mentionedGroups } from '../../policy/people.ts';
import { impossibleRules } from '../../policy/unsatisfiable.ts';
import type { Policy } from '../../policy/rules.ts';
import type { Database } from '../../storage/database.ts';
import { readSetting, writeSetting } from '../../storage/kv.ts';
import { joined, say, type Text } from '../../text.ts';
import type { ChangeStore } from '../changes/change-store.ts';
import type { ApproverContext } from '../access/approver-lookup.ts';

/** What becomes of a policy file's text besides being obeyed. */

/** The setting that holds the hash of the rules in force, and since when. */
export const inForce = 'policy';

export type PolicyHistory = {
  readonly database: Database;
  readonly changeStore: ChangeStore;
  readonly policy: () => Policy;
  readonly membersOf: ApproverContext['membersOf'];
  /** Told of rules that nobody can ever satisfy. */
  readonly onHopeless: (says: Text) => void;
};

/** Looks whether other rules hold than at the last look: they are written down, and held against who there is. */
export function createPolicyHistory(context: PolicyHistory): () => Promise<void> {
  let seen: string | undefined;
  return async () => {
    const policy = context.policy();
    if (policy.hash === seen) return;
    await record(context, policy);
    const says = await hopeless(context, policy);
    if (says) context.onHopeless(says);
    seen = policy.hash;
  };
}

/** Writes rules that are new into the trail, whole: a change names them by their hash. */
async function record({ database, changeStore }: PolicyHistory, { hash, text }: Policy): Promise<void> {
  await database.transaction(async (tx) => {
    if ((await readSetting(tx, inForce))?.value === hash) return;
    const at = await database.now(tx);
    await changeStore.note(tx, { event: 'policy', by: 'sitehand', at, details: { hash, text } });
    await writeSetting(tx, { key: inForce, value: hash, at });
  });
}

/** Rules whose approval nobody can ever complete, as far as Slack tells who is in which group; undefined: none. */
async function hopeless({ membersOf }: PolicyHistory, policy: Policy): Promise<Text | undefined> {
  const groups = await Promise.all(
    mentionedGroups(policy).map(async (group) => [group, await membersOf(group)] as const),
  );
  const known = groups.flatMap(([group, members]) => (members ? [[group, members] as const] : []));
  const mistakes = impossibleRules(policy, new Map(known));
  if (mistakes.length === 0) return undefined;
  return say`⚠️ **Some rules can never be satisfied.**\n${joined(mistakes.slice(0, 10).map(tell), '\n')}`;
}
