import { commandAt } from '../commands/index.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Member, Policy } from '../policy/rules.ts';
import { allOf, type MayRun } from './may-run.ts';
import { mayShow } from './visibility.ts';
import { groupsToAsk } from './unknown-groups.ts';

/** Each is started by the command of that name. */
type Kind = 'watch' | 'digest';

const watching = (kind: Kind) => ({ path: kind, command: commandAt(kind) });

/** The Slack user groups that decide whether somebody may watch an environment. */
export const groupsToWatch = (policy: Policy, kind: Kind): readonly string[] => groupsToAsk(policy, watching(kind));

/** Whether the person may watch an environment in this way: a watch needs the rights to all that it shows. */
export function mayWatch(policy: Policy, person: Member, target: Environment, kind: Kind): MayRun {
  const { path, command } = watching(kind);
  return allOf([path, ...(command.shows ?? [])].map((one) => mayShow(policy, person, one, target)));
}
