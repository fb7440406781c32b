import type { Audience, Person, Policy } from './rules.ts';

/** Every Slack id of the person behind this one, as `people:` joins them; the first stands for all. */
function idsOf(policy: Policy, id: string): readonly string[] {
  return policy.people.get(id) ?? [id];
}

/** The one id that stands for a person, whichever of theirs is given. */
export function canonicalId(policy: Policy, id: string): string {
  return idsOf(policy, id)[0] ?? id;
}

/** Whether two ids are one person. */
export function samePerson(policy: Policy, one: string, other: string): boolean {
  return canonicalId(policy, one) === canonicalId(policy, other);
}

/** Names of the groups that somebody is in: with the id they act with, and with any id that is joined to it. */
export type Memberships = Readonly<Record<'allow' | 'deny', ReadonlySet<string>>>;

const namesById = new WeakMap<Policy['groups'], ReadonlyMap<string, readonly string[]>>();

/** The groups of each Slack id, turned around once for each policy. */
function groupsById({ groups }: Policy): ReadonlyMap<string, readonly string[]> {
  const known = namesById.get(groups);
  if (known) return known;
  const made = new Map<string, string[]>();
  for (const [name, ids] of groups)
    for (const id of ids) {
      const names = made.get(id);
      if (names) names.push(name);
      else made.set(id, [name]);
    }
  namesById.set(groups, made);
  return made;
}

/**
 * The groups of a person as rules count them. An `allow` counts the id they act with; a `deny` reaches every id that
 * is joined to it, so that nobody steps around it with a second account.
 */
export function membershipsOf(policy: Policy, { id, groups }: Person): Memberships {
  const byId = groupsById(policy);
  const allow = new Set<string>();
  for (const own of [id, ...groups]) for (const name of byId.get(own) ?? []) allow.add(name);
  const joined = policy.people.get(id);
  if (joined === undefined) return { allow, deny: allow };
  return { allow, deny: new Set([...joined, ...groups].flatMap((own) => byId.get(own) ?? [])) };
}

/** Whether a rule's audience holds the person, by the groups they are in. */
export const reaches = (to: Audience, groups: ReadonlySet<string>): boolean =>
  to === 'everyone' || to.some((name) => groups.has(name));

/** Whether a rule's audience holds the person; `membershipsOf` says by which of their ids. */
export const belongs = (policy: Policy, person: Person, to: Audience, effect: 'allow' | 'deny'): boolean =>
  to === 'everyone' || reaches(to, membershipsOf(policy, person)[effect]);

/** The Slack ids (people and user groups) behind names of groups, each once. */
export function idsIn(policy: Policy, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [...(policy.groups.get(name) ?? [])]))];
}

/** Whether an id names a Slack user group rather than a person. */
export const isUserGroup = (id: string): boolean => id.startsWith('S');

/** Every Slack user group the file mentions: whose members have to be known before a question can be answered. */
export function mentionedGroups(policy: Policy): readonly string[] {
  return idsIn(policy, [...policy.groups.keys()]).filter(isUserGroup);
}
