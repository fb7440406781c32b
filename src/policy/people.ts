import { cached } from './cached.ts';
import type { Policy } from './rules.ts';

/**
 * Every Slack id of the same person, as `people:` joins them, in the same order for each id. Limits for one person
 * count all of these ids.
 */
export function idsOf(policy: Policy, id: string): readonly string[] {
  return policy.people.get(id) ?? [id];
}

/** The id that represents a person: the first one in their entry of `people:`. */
export function canonicalId(policy: Policy, id: string): string {
  return idsOf(policy, id)[0] ?? id;
}

/** Whether two ids belong to one person. */
export function samePerson(policy: Policy, one: string, other: string): boolean {
  return canonicalId(policy, one) === canonicalId(policy, other);
}

/** The Slack ids (people and user groups) in these groups, each once. */
export function groupIds(policy: Policy, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [...(policy.groups.get(name) ?? [])]))];
}

/** Whether an id names a Slack user group rather than a person. */
export const isUserGroup = (id: string): boolean => id.startsWith('S');

/** Every Slack user group in the file. */
export const mentionedGroups = cached((policy: Policy): readonly string[] =>
  groupIds(policy, [...policy.groups.keys()]).filter(isUserGroup),
);
