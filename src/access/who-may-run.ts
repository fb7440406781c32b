import { groupIds, samePerson } from '../policy/memberships.ts';
import { decideAccess, groupsAbout, mayRead, whoMay } from '../policy/policy.ts';
import { say, type Text } from '../words/text.ts';
import { maxPeople, membersAmong, peopleOf, eachOnce } from './approver-lookup.ts';
import type { AccessContext } from './context.ts';
import { aboutOf } from './targets.ts';
import type { Resolved } from '../language/resolve.ts';
import { randomUUID } from 'node:crypto';
import { membersUnknownQuietly } from './unknown-groups.ts';

/** Who else may run a request, and in which order they are asked. */

/** People who may run a request that its asker may not run. */
export type Runners = {
  /** People who are known to be allowed, each once, in random order, so that everybody is asked equally often. */
  readonly people: readonly { readonly id: string; readonly name: string }[];
  /** Slack user groups with unknown members who may. */
  readonly unknown: readonly string[];
  /** Why more people may be allowed; undefined: there are no others. */
  readonly later: Text | undefined;
};

/** Finds those whom the rules let run it, other than `asker`. */
export async function whoMayRun(context: AccessContext, resolved: Resolved, asker: string): Promise<Runners> {
  const policy = context.policy();
  const { asked, target, alsoReads } = aboutOf(resolved, context.company());
  const targets = [target, ...alsoReads].filter((one) => one !== undefined);
  const { people: all, unknown } = await peopleOf(context, policy, groupsAbout(policy, asked.command));
  const sure = all.filter(
    (person) =>
      !samePerson(policy, person.id, asker) &&
      decideAccess(policy, person, asked).kind === 'allowed' &&
      targets.every((one) => mayRead(policy, person, one)),
  );
  const once = eachOnce(
    policy,
    sure.map(({ id }) => id),
  );
  const mixed = once.map((id) => ({ id, place: randomUUID() })).toSorted((a, b) => (a.place < b.place ? -1 : 1));
  const {
    people,
    names,
    unsure = [],
  } = await membersAmong(
    context,
    mixed.slice(0, maxPeople).map(({ id }) => id),
  );
  const ids = new Set(groupIds(policy, whoMay(policy, asked)));
  return {
    people: people.map((id, index) => ({ id, name: names[index] ?? id })),
    unknown: unknown.filter((group) => ids.has(group)),
    later:
      unknown.length > 0
        ? membersUnknownQuietly(unknown)
        : unsure.length > 0
          ? say`Slack doesn't answer about everybody who may.`
          : undefined,
  };
}
