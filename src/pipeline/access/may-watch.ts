import type { Environment } from '../../hosting/contract/target.ts';
import { decideAccess, groupsAbout, unknownIn } from '../../policy/policy.ts';
import type { Member, Policy, PolicyCommand } from '../../policy/rules.ts';
import type { Watch } from '../../storage/watches.ts';
import type { MayRun } from './may-run.ts';

type Kind = Watch['kind'];

/** A watch shows what other commands show, so their rights are needed too. */
const needed: Readonly<Record<Kind, readonly PolicyCommand[]>> = {
  errors: [
    { path: 'watch', risk: 'named' },
    { path: 'logs', risk: 'read' },
  ],
  digest: [
    { path: 'digest', risk: 'named' },
    ...['themes show', 'backups list', 'timers', 'changes', 'status'].map((path) => ({ path, risk: 'read' }) as const),
  ],
};

/** The Slack user groups that decide whether somebody may watch an environment. */
export const groupsToWatch = (policy: Policy, kind: Kind): readonly string[] => [
  ...new Set(needed[kind].flatMap((right) => groupsAbout(policy, right))),
];

/** Whether the person may watch an environment in this way. */
export function mayWatch(policy: Policy, person: Member, target: Environment, kind: Kind): MayRun {
  const decisions = needed[kind].map((command) =>
    decideAccess(policy, person, { command, aims: [{ target, access: 'read' }] }),
  );
  const refused = decisions.filter((one) => one.kind === 'not allowed');
  if (refused.some((one) => unknownIn(one).length === 0)) return 'no';
  return refused.length === 0 ? 'yes' : [...new Set(refused.flatMap(unknownIn))];
}
