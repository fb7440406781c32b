import type { Company, Target } from '../../hosting/contract/target.ts';
import { groupsForRequirement, mayApprove } from '../../policy/approvers.ts';
import type { Needed } from '../../policy/approval-requirement.ts';
import { canonicalId, idsIn, idsOf, isUserGroup } from '../../policy/people.ts';
import { groupsApproving, reading } from '../../policy/policy.ts';
import type { Person, Policy } from '../../policy/rules.ts';
import { bold, joined, person as mention, say, userGroup, type Text } from '../../text.ts';
import { aboutOf } from './targets.ts';
import type { Ask, Permit } from './permit.ts';
import type { Person as Known } from './authorise.ts';
import type { Resolved } from '../language/resolve.ts';

/** Who is asked to approve a change, and how that is said. */

export type AskingDesk = {
  readonly policy: () => Policy;
  readonly company: () => Company;
  /** Slack user ids in a Slack user group; undefined: Slack did not tell. */
  readonly membersOf: (group: string) => Promise<readonly string[] | undefined>;
  /** Who somebody is, and in which of these user groups, as Slack told not long ago; undefined: it did not tell. */
  readonly personOf: (id: string, groups: readonly string[]) => Promise<Known | undefined>;
};

/** More are not written to. */
const maxPeople = 25;
const maxNamed = 5;

/**
 * Who can approve this wish of `asker`, for each thing the rules want: those whose click would count right now, as far as
 * that is known. A Slack user group whose members are not known is asked itself.
 */
export async function whomToAsk(
  context: AskingDesk,
  needed: Needed,
  parsed: Resolved,
  asker: string,
): Promise<readonly Ask[]> {
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
        const messenger = mayApprove(policy, person, { ...needed, requirements: [requirement] }, { ...asked, asker });
        return belongsTo(ids, person) && (messenger.kind === 'counts' || messenger.why === 'unknown');
      });
      // Of several ids of one person the first is written to.
      const known = people.map(({ id }) => canonicalId(policy, id));
      const once = people.filter((_, index) => known.indexOf(known[index] ?? '') === index).map(({ id }) => id);
      const userGroups = unknown.filter((group) => ids.has(group));
      const asks = { count: requirement.count, groups, people: await membersAmong(context, once.slice(0, maxPeople)) };
      return userGroups.length > 0 ? { ...asks, userGroups } : asks;
    }),
  );
}

/** Those who are members of the workspace: a guest hears nothing of a site, whatever group they are in. */
async function membersAmong({ personOf }: AskingDesk, ids: readonly string[]): Promise<readonly string[]> {
  const people = await Promise.all(ids.map((id) => personOf(id, [])));
  return ids.filter((_, index) => people[index]?.standing === 'member');
}

/** Everybody whom the policy names, by themselves or by one of these Slack user groups, and those that are not told. */
export async function peopleOf(
  { membersOf }: AskingDesk,
  policy: Policy,
  groups: readonly string[],
): Promise<{ readonly people: readonly Person[]; readonly unknown: readonly string[] }> {
  const lists = await Promise.all(groups.map(async (group) => [group, await membersOf(group)] as const));
  const told = lists.flatMap(([group, members]) => (members ? [[group, new Set(members)] as const] : []));
  const named = idsIn(policy, [...policy.groups.keys()]).filter((id) => !isUserGroup(id));
  const people = [...new Set([...named, ...told.flatMap(([, members]) => [...members])])].map((id): Person => {
    const ids = idsOf(policy, id);
    const joined = told.filter(([, members]) => !members.has(id) && ids.some((one) => members.has(one)));
    const own = told.filter(([, members]) => members.has(id));
    const others = told.filter(([, members]) => !ids.some((one) => members.has(one)) && !members.has(id));
    const [groups = [], joinedGroups = [], otherGroups = []] = [own, joined, others].map((those) =>
      those.map(([group]) => group),
    );
    return { id, groups, joinedGroups, otherGroups };
  });
  return { people, unknown: lists.flatMap(([group, members]) => (members ? [] : [group])) };
}

const belongsTo = (ids: ReadonlySet<string>, { id, groups }: Person): boolean =>
  ids.has(id) || groups.some((group) => ids.has(group));
/** Reads every target, as far as is known: whoever cannot is told so when they click. */
const readsAll = (policy: Policy, person: Person, targets: readonly Target[]): boolean =>
  targets.every((target) => {
    const decision = reading(policy, person, target);
    return decision.kind === 'allowed' || decision.why.kind === 'unknown';
  });

/** Everybody who is asked, each once. */
export const askedPeople = ({ asks = [] }: Permit): readonly string[] => [
  ...new Set(asks.flatMap(({ people }) => people)),
];

/** `@Chi or @Dee`; `2 of @Chi, @Dee, @leads`; names of groups where nobody of theirs is known. */
export const whoIsAsked = (asks: readonly Ask[], without: readonly string[] = []): Text =>
  joined(
    asks.map(({ count, people, groups, userGroups = [] }) => {
      const left = people.filter((id) => !without.includes(id));
      const named = left.slice(0, maxNamed).map((id) => inText(id));
      const more = left.length > maxNamed ? [say`${left.length - maxNamed} more`] : [];
      const some = [...named, ...more, ...userGroups.map((group) => [userGroup(group)])];
      const who = some.length > 0 ? some : groups.map((group) => [bold(group)]);
      const needed = count - (people.length - left.length);
      return needed > 1 ? joined([`${needed} of`, joined(who, ', ')]) : joined(who, ' or ');
    }),
    ', and ',
  );

const inText = (id: string): Text => [mention(id)];
