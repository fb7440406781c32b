import type { QueryService } from '../commands/kit/builtin.ts';
import { explainTo } from '../access/explain-access.ts';
import { membershipsOf, unknownGroups } from '../policy/memberships.ts';
import type { Policy } from '../policy/rules.ts';
import type { Person } from '../access/access-check.ts';
import type { Target } from '../hosting/contract/target.ts';
import { adminActions } from '../decide/admin-actions.ts';
import { buildInfoOf } from './build-info.ts';
import { commandsFor } from './command-help.ts';
import { forceUnlock } from '../decide/force-unlock.ts';
import { healthOf } from './health/health.ts';
import { queuesFor } from '../waiting/queue-list.ts';
import { bindingFor } from '../decide/channel-binding.ts';
import { changesFor, storyFor } from './change-history.ts';
import { statusFor } from './site-status.ts';
import { timersFor } from '../waiting/timer-list.ts';
import { timeLineServiceFor } from './time-line.ts';
import { watchServiceFor } from '../waiting/digest-service.ts';
import { auditServiceFor } from './audit-service.ts';
import { troubleText } from '../change/host-trouble.ts';
import type { Asking } from '../decide/admin-actions.ts';
import type { PipelineContext } from './context.ts';

/** What built-in commands can query, limited to what this person may read. */
export function queryServiceFor(context: PipelineContext, asking: Asking, now: number): QueryService {
  const { policy } = context;
  const { person, sight } = asking;
  return {
    person,
    now,
    commands: () => commandsFor(policy(), person),
    names: () => namesFor(context, asking),
    change: (number) => storyFor(context, sight.reader('change'), number),
    can: (words, id) => explainTo(context, person, words, id, asking.cardChannel),
    changes: (filter) => changesFor(context, asking, filter),
    ...timersFor(context, sight, now),
    ...watchServiceFor(context, asking),
    ...statusFor(context, asking, now),
    recent: async () => {
      const { environments } = context.names(person);
      const ids = await context.recent.of(person.id);
      return ids.flatMap((id) => environments.find((one) => one.id === id) ?? []);
    },
    standing: () => standingOf(policy(), person),
    health: () => healthOf({ ...context, read: (call) => context.read(call, person.id) }),
    buildInfo: () => buildInfoOf(context),
    ...adminActions(context, asking, sight),
    forceUnlock: (env) => forceUnlock(context, asking, env),
    ...queuesFor(context, asking),
    ...bindingFor(context, asking),
    ...auditServiceFor(context, asking),
    ...timeLineServiceFor(context, asking),
  };
}

function standingOf(policy: Policy, person: Person): ReturnType<QueryService['standing']> {
  const { own } = membershipsOf(policy, person);
  const groups = [...policy.groups.keys()].filter((name) => own.has(name));
  const everyone = policy.rules.some((rule) => rule.effect === 'allow' && rule.to === 'everyone');
  return { groups, known: everyone || groups.length > 0, unknown: unknownGroups(policy, person) };
}

/** What this person may list, and which of their environments a domain is for, as far as the host says so. */
function namesFor(context: PipelineContext, { person, sight }: Asking): ReturnType<QueryService['names']> {
  const { at, trouble, environmentsReadAt, environmentDomains } = context.listing();
  const { environments, domains } = context.names(person);
  const isListed = (target: Target): boolean => sight.may('environments', target) === 'yes';
  const mine = { environments: environments.filter(isListed), domains: domains.filter(isListed) };
  const ids = new Set(mine.environments.map(({ id }) => id));
  return {
    ...mine,
    domainHomes: environmentDomains.filter(({ environmentId }) => ids.has(environmentId)),
    at,
    isListed: environmentsReadAt !== undefined,
    trouble: trouble && troubleText(trouble),
  };
}
