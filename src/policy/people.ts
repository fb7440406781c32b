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

/**
 * Whether a rule's audience holds the person. An `allow` counts the id they act with; a `deny` reaches every id that
 * is joined to it, so that nobody steps around it with a second account.
 */
export function belongs(policy: Policy, person: Person, to: Audience, effect: 'allow' | 'deny'): boolean {
  if (to === 'everyone') return true;
  const own = effect === 'deny' ? idsOf(policy, person.id) : [person.id];
  return to.some((name) => {
    const members = policy.groups.get(name);
    return members !== undefined && [...own, ...person.groups].some((id) => members.has(id));
  });
}

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
