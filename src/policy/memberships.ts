import { isUserGroup, mentionedGroups } from './people.ts';
import type { Audience, Person, Policy, Rule } from './rules.ts';

/** Who is in which group of the policy, where Slack does not tell everything: certain, or perhaps. */

/** How somebody stands to the groups of a policy, by their names. */
export type Memberships = {
  /** Those they are in with the id they act with: what an `allow` counts. */
  readonly own: ReadonlySet<string>;
  /** Those they are in with any id that is joined to it: what a `deny` reaches. */
  readonly any: ReadonlySet<string>;
  /** Those they may be in besides, each with the Slack user groups that would have to be known to tell. */
  readonly perhaps: ReadonlyMap<string, readonly string[]>;
};

type Named = Pick<Policy, 'groups'>;
const byId = new WeakMap<Policy['groups'], ReadonlyMap<string, readonly string[]>>();

/** The names of the groups that each Slack id stands in, turned around once for each policy. */
function groupsById({ groups }: Named): ReadonlyMap<string, readonly string[]> {
  const known = byId.get(groups);
  if (known) return known;
  const made = new Map<string, string[]>();
  for (const [name, ids] of groups)
    for (const id of ids) {
      const names = made.get(id);
      if (names) names.push(name);
      else made.set(id, [name]);
    }
  byId.set(groups, made);
  return made;
}

const worked = new WeakMap<Policy['groups'], WeakMap<Person, Memberships>>();

/** The groups of a person as rules count them; worked out once for each person and policy. */
export function membershipsOf(policy: Policy, person: Person): Memberships {
  const known = worked.get(policy.groups) ?? new WeakMap<Person, Memberships>();
  const found = known.get(person);
  if (found) return found;
  const made = workOut(policy, person);
  worked.set(policy.groups, known.set(person, made));
  return made;
}

function workOut(policy: Policy, person: Person): Memberships {
  const names = groupsById(policy);
  const namesOf = (ids: readonly string[]): readonly string[] => ids.flatMap((id) => names.get(id) ?? []);
  const own = new Set(namesOf([person.id, ...person.groups]));
  const joined = namesOf([...(policy.people.get(person.id) ?? []), ...(person.joinedGroups ?? [])]);
  const any = joined.length === 0 ? own : new Set([...own, ...joined]);
  const perhaps = new Map<string, string[]>();
  for (const group of unknownGroups(policy, person))
    for (const name of names.get(group) ?? [])
      if (!own.has(name)) perhaps.set(name, [...(perhaps.get(name) ?? []), group]);
  return { own, any, perhaps };
}

/** The Slack user groups of the policy of which it is not known whether the person is in them: not told, or not asked. */
export function unknownGroups(
  policy: Policy,
  { groups, joinedGroups = [], otherGroups = [] }: Person,
): readonly string[] {
  const known = new Set([...groups, ...joinedGroups, ...otherGroups]);
  return mentionedGroups(policy).filter((group) => !known.has(group));
}

/** Whether an audience holds the person: certainly, not, or as it turns out; of a deny with any of their ids. */
export function holds(to: Audience, of: Memberships, effect: Rule['effect']): 'yes' | 'no' | 'perhaps' {
  if (to === 'everyone') return 'yes';
  const certain = effect === 'allow' ? of.own : of.any;
  let is: 'no' | 'perhaps' = 'no';
  for (const name of to) {
    if (certain.has(name)) return 'yes';
    if (of.perhaps.has(name)) is = 'perhaps';
  }
  return is;
}

/** The Slack user groups on which it depends whether these audiences hold the person, each once; without some of them. */
export function dependsOn(
  audiences: readonly Audience[],
  { perhaps }: Memberships,
  without: readonly string[] = [],
): readonly string[] {
  const groups = new Set<string>();
  // In loops: a decision on somebody of whom nothing is known comes through here for most rules.
  for (const to of audiences) {
    if (to === 'everyone') continue;
    for (const name of to) for (const group of perhaps.get(name) ?? []) groups.add(group);
  }
  for (const group of without) groups.delete(group);
  return [...groups];
}

const groupsByName = new WeakMap<Policy['groups'], ReadonlyMap<string, readonly string[]>>();

/** The Slack user groups in these audiences; looked for in each group once for each policy. */
export function userGroupsIn({ groups }: Named, audiences: readonly Audience[]): readonly string[] {
  const known =
    groupsByName.get(groups) ?? new Map([...groups].map(([name, ids]) => [name, [...ids].filter(isUserGroup)]));
  groupsByName.set(groups, known);
  const names = audiences.flatMap((to) => (to === 'everyone' ? [] : to));
  return [...new Set(names.flatMap((name) => known.get(name) ?? []))];
}
