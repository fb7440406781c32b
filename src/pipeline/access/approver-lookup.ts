import type { Target } from '../../hosting/contract/target.ts';
import { groupsForRequirement, mayApprove } from '../../policy/approvers.ts';
import type { Needed } from '../../policy/approval-requirement.ts';
import { canonicalId, idsIn, idsOf, isUserGroup } from '../../policy/people.ts';
import { groupsApproving, reading } from '../../policy/policy.ts';
import type { Member, Policy } from '../../policy/rules.ts';
import { bold, joined, person as mention, say, userGroup, type Text } from '../../text.ts';
import { aboutOf } from './targets.ts';
import type { AskedRequirement, Authorization } from './authorization.ts';
import type { Resolved } from '../language/resolve.ts';
import type { AccessContext } from './context.ts';

/** Who is asked to approve a change, and the words for it. */

type Asking = Pick<AccessContext, 'policy' | 'company' | 'personOf' | 'membersOf'>;

/** The most people asked for one requirement. */
const maxPeople = 25;
const maxNamed = 5;

/**
 * Whom to ask for approval of this request by `requester`, for each requirement: people whose click would count now or, if
 * a membership is unknown, might. A Slack user group with unknown members is asked as a group.
 */
export async function whomToAsk(
  context: Asking,
  needed: Needed,
  parsed: Resolved,
  requester: string,
): Promise<readonly AskedRequirement[]> {
  const policy = context.policy();
  const { asked, target, alsoReads } = aboutOf(parsed, context.company());
  const targets = [target, ...alsoReads].filter((one) => one !== undefined);
  const { people: all, unknown } = await peopleOf(context, policy, groupsApproving(policy, asked.command, needed));
  const readers = all.filter((person) => readsAll(policy, person, targets));
  return Promise.all(
    needed.requirements.map(async (requirement) => {
      const groups = groupsForRequirement(policy, requirement, asked);
      const ids = new Set(idsIn(policy, groups));
      const people = readers.filter((person) => {
        const vote = mayApprove(policy, person, { ...needed, requirements: [requirement] }, { ...asked, requester });
        return belongsTo(ids, person) && (vote.kind === 'counts' || vote.why === 'unknown');
      });
      // A person with several ids is asked by the first.
      const canonical = people.map(({ id }) => canonicalId(policy, id));
      const once = people.filter((_, index) => canonical.indexOf(canonical[index] ?? '') === index).map(({ id }) => id);
      const userGroups = unknown.filter((group) => ids.has(group));
      const asks = { count: requirement.count, groups, people: await membersAmong(context, once.slice(0, maxPeople)) };
      return userGroups.length > 0 ? { ...asks, userGroups } : asks;
    }),
  );
}

/** Keeps only members of the workspace: guests learn nothing about sites, even if a group contains them. */
async function membersAmong({ personOf }: Asking, ids: readonly string[]): Promise<readonly string[]> {
  const people = await Promise.all(ids.map((id) => personOf(id, [])));
  return ids.filter((_, index) => people[index]?.standing === 'member');
}

/** Everybody whom the policy names by id or by one of these Slack user groups, and the groups with unknown members. */
export async function peopleOf(
  { membersOf }: Pick<AccessContext, 'membersOf'>,
  policy: Policy,
  groups: readonly string[],
) {
  const lists = await Promise.all(groups.map(async (group) => [group, await membersOf(group)] as const));
  const answered = lists.flatMap(([group, members]) => (members ? [[group, new Set(members)] as const] : []));
  const named = idsIn(policy, [...policy.groups.keys()]).filter((id) => !isUserGroup(id));
  const people = [...new Set([...named, ...answered.flatMap(([, members]) => [...members])])].map((id): Member => {
    const ids = idsOf(policy, id);
    const byWhom = Map.groupBy(answered, ([, members]) =>
      members.has(id) ? 'own' : ids.some((one) => members.has(one)) ? 'joined' : 'others',
    );
    const those = (whose: 'own' | 'joined' | 'others') => (byWhom.get(whose) ?? []).map(([group]) => group);
    return { id, groups: those('own'), joinedGroups: those('joined'), otherGroups: those('others') };
  });
  return { people, unknown: lists.flatMap(([group, members]) => (members ? [] : [group])) };
}

const belongsTo = (ids: ReadonlySet<string>, { id, groups }: Member): boolean =>
  ids.has(id) || groups.some((group) => ids.has(group));
/** May read every target, or might: if not, a refusal after the click says so. */
const readsAll = (policy: Policy, person: Member, targets: readonly Target[]): boolean =>
  targets.every((target) => {
    const decision = reading(policy, person, target);
    return decision.kind === 'allowed' || decision.why.kind === 'unknown';
  });

/** Everybody who was asked to approve, each once. */
export const askedPeople = ({ asks = [] }: Authorization): readonly string[] => [
  ...new Set(asks.flatMap(({ people }) => people)),
];

/** `@Chi or @Dee`; `2 of @Chi, @Dee, @leads`; names of groups if none of their members is known. */
export const whoIsAsked = (asks: readonly AskedRequirement[], without: readonly string[] = []): Text =>
  joined(
    asks.map(({ count, people, groups, userGroups = [] }) => {
      const left = people.filter((id) => !without.includes(id));
      const named = left.slice(0, maxNamed).map((id): Text => [mention(id)]);
      const more = left.length > maxNamed ? [say`${left.length - maxNamed} more`] : [];
      const some = [...named, ...more, ...userGroups.map((group) => [userGroup(group)])];
      const who = some.length > 0 ? some : groups.map((group) => [bold(group)]);
      const needed = count - (people.length - left.length);
      return needed > 1 ? joined([`${needed} of`, joined(who, ', ')]) : joined(who, ' or ');
    }),
    ', and ',
  );
