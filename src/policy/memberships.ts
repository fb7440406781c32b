import { cached } from '../base/caches.ts';
import { callerPrefix, type Calling, type Policy, type Audience, type Member, type Rule } from './rules.ts';

/**
 * Who a person is to the policy: all of their Slack ids, and the groups that they are in, certainly or, where Slack
 * gives no answer, perhaps.
 */

/**
 * Every Slack id of the same person, as `people:` joins them, in the same order for each id. Limits for one person
 * count all of these ids.
 */
export function idsOf(policy: Policy, id: string): readonly string[] {
  return policy.people.get(id) ?? [id];
}

/** Under which ids somebody finds what is their own, as `idsOf`: nothing of its person is a program's own. */
export const ownIdsOf = (policy: Policy, { id, caller }: Member): readonly string[] =>
  caller ? [] : idsOf(policy, id);

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

/** A person's policy groups, by name. */
export type Memberships = {
  /** Groups that hold the id they act with: an `allow` counts these. */
  readonly own: ReadonlySet<string>;
  /** Groups that hold any of their joined ids: a `deny` counts these. */
  readonly any: ReadonlySet<string>;
  /** Other groups they may be in, each with the Slack user groups whose members are unknown. */
  readonly perhaps: ReadonlyMap<string, readonly string[]>;
  /** These are those of a caller, not of the person for whom it asks. */
  readonly isCaller?: true;
};

/**
 * What rules name a caller by. Nothing, if the policy no longer has it with this key, for this person. Whether the key
 * has expired is asked where there is a clock: at the door, and before it is sent.
 */
export function membershipsOfCaller(policy: Policy, { id, caller }: Member): Memberships {
  const own = new Set(caller && isKnown(policy, id, caller) ? [`${callerPrefix}${caller.name}`] : []);
  return { own, any: own, perhaps: new Map(), isCaller: true };
}

function isKnown({ callers }: Policy, id: string, { name, key }: Calling): boolean {
  const found = callers.get(name);
  return found?.for === id && found.keys.has(key);
}

/** Slack id → its groups. */
const groupsById = cached(({ groups }: Policy) => {
  const all = [...groups].flatMap(([name, ids]) => [...ids].map((id) => ({ id, name })));
  return Map.groupBy(all, ({ id }) => id);
});

const membershipsBy = cached((policy: Policy) => cached((person: Member) => computeMemberships(policy, person)));
/** The groups of a person as rules count them. */
export const membershipsOf = (policy: Policy, person: Member): Memberships => membershipsBy(policy)(person);

function computeMemberships(policy: Policy, person: Member): Memberships {
  const groups = groupsById(policy);
  const namesOf = (ids: readonly string[]): readonly string[] =>
    ids.flatMap((id) => groups.get(id) ?? []).map(({ name }) => name);
  const own = new Set(namesOf([person.id, ...person.groups]));
  const joined = namesOf([...(policy.people.get(person.id) ?? []), ...(person.joinedGroups ?? [])]);
  const any = joined.length === 0 ? own : new Set([...own, ...joined]);
  const perhaps = new Map<string, string[]>();
  for (const group of unknownGroups(policy, person))
    for (const name of namesOf([group])) if (!own.has(name)) perhaps.set(name, [...(perhaps.get(name) ?? []), group]);
  return { own, any, perhaps };
}

/** The policy's Slack user groups that may have the person: Slack gave no answer or was not asked. */
export function unknownGroups(
  policy: Policy,
  { groups, joinedGroups = [], otherGroups = [] }: Member,
): readonly string[] {
  const known = new Set([...groups, ...joinedGroups, ...otherGroups]);
  return mentionedGroups(policy).filter((group) => !known.has(group));
}

/** Whether an audience includes the person. A `deny` counts all of their joined ids. */
export function holds(to: Audience, memberships: Memberships, effect: Rule['effect']): 'yes' | 'no' | 'perhaps' {
  // What denies everyone denies the person for whom a caller asks.
  if (to === 'everyone') return memberships.isCaller ? 'no' : 'yes';
  const certain = effect === 'allow' ? memberships.own : memberships.any;
  let is: 'no' | 'perhaps' = 'no';
  for (const name of to) {
    if (certain.has(name)) return 'yes';
    if (memberships.perhaps.has(name)) is = 'perhaps';
  }
  return is;
}

/** The Slack user groups that decide whether these audiences include the person, each once, except those in `without`. */
export function dependsOn(
  audiences: readonly Audience[],
  { perhaps }: Memberships,
  without: readonly string[] = [],
): readonly string[] {
  const groups = new Set<string>();
  // Plain loops for speed: if nothing is known about a person, most rules are checked here.
  for (const to of audiences) {
    if (to === 'everyone') continue;
    for (const name of to) for (const group of perhaps.get(name) ?? []) groups.add(group);
  }
  for (const group of without) groups.delete(group);
  return [...groups];
}

/** Name of a group → the Slack user groups in it. */
const userGroupsByName = cached(
  ({ groups }: Policy) => new Map([...groups].map(([name, ids]) => [name, [...ids].filter(isUserGroup)])),
);

/** The Slack user groups in these audiences. */
export function userGroupsIn(policy: Policy, audiences: readonly Audience[]): readonly string[] {
  const known = userGroupsByName(policy);
  const names = audiences.flatMap((to) => (to === 'everyone' ? [] : to));
  return [...new Set(names.flatMap((name) => known.get(name) ?? []))];
}
