import type { Policy } from './rules.ts';

/**
 * Every Slack id of the same person, as `people:` joins them, in the same order for each of them. Limits for one person
 * count all of these.
 */
export function idsOf(policy: Policy, id: string): readonly string[] {
  return policy.people.get(id) ?? [id];
}

/** The id that represents a person: the first of those that `people:` joins. */
export function canonicalId(policy: Policy, id: string): string {
  return idsOf(policy, id)[0] ?? id;
}

/** Whether two ids belong to one person. */
export function samePerson(policy: Policy, one: string, other: string): boolean {
  return canonicalId(policy, one) === canonicalId(policy, other);
}

/** The Slack ids (people and user groups) in these groups, each once. */
export function idsIn(policy: Policy, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [...(policy.groups.get(name) ?? [])]))];
}

/** Whether an id names a Slack user group rather than a person. */
export const isUserGroup = (id: string): boolean => id.startsWith('S');

const mentioned = new WeakMap<Policy['groups'], readonly string[]>();

/** Every Slack user group in the file. Cached for each policy. */
export function mentionedGroups(policy: Policy): readonly string[] {
  const known = mentioned.get(policy.groups);
  if (known) return known;
  const made = idsIn(policy, [...policy.groups.keys()]).filter(isUserGroup);
  mentioned.set(policy.groups, made);
  return made;
}
