import type { Environment } from '../../hosting/contract/target.ts';
import { decideAccess, groupsAbout, unknownIn } from '../../policy/policy.ts';
import type { Member, Policy, PolicyCommand } from '../../policy/rules.ts';

/** A watch shows what `logs` shows, so both rights are needed. */
const needed: readonly PolicyCommand[] = [
  { path: 'watch', risk: 'named' },
  { path: 'logs', risk: 'read' },
];

/** The Slack user groups that decide whether somebody may watch an environment. */
export const groupsToWatch = (policy: Policy): readonly string[] => [
  ...new Set(needed.flatMap((right) => groupsAbout(policy, right))),
];

/** Whether the person may watch the log of an environment; a list: the Slack user groups that decide it. */
export function mayWatch(policy: Policy, person: Member, target: Environment): 'yes' | 'no' | readonly string[] {
  const decisions = needed.map((command) =>
    decideAccess(policy, person, { command, aims: [{ target, access: 'read' }] }),
  );
  const refused = decisions.filter((one) => one.kind === 'not allowed');
  if (refused.some((one) => unknownIn(one).length === 0)) return 'no';
  return refused.length === 0 ? 'yes' : [...new Set(refused.flatMap(unknownIn))];
}
