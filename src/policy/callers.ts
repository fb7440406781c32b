import { cached } from '../base/caches.ts';
import { groupIds, isUserGroup, samePerson } from './memberships.ts';
import type { Caller, Member, Policy } from './rules.ts';

/** Programs that ask: which key is whose, and who can use it. */

/** The caller whose key has this hash (SHA-256, hex). Whether it has expired is asked where there is a clock. */
export const callerByKey = (policy: Policy, hash: string): Caller | undefined => byKey(policy).get(hash);

const byKey = cached(
  ({ callers }: Policy) => new Map([...callers.values()].flatMap((one) => [...one.keys].map((key) => [key, one]))),
);

/** The policy as this person may be told of it: a program hears of no other one. */
export const callersKnownTo = (policy: Policy, { caller: own }: Member): Policy =>
  own ? { ...policy, callers: new Map([...policy.callers].filter(([name]) => name === own.name)) } : policy;

/** A caller that asked, and the Slack ids (people and user groups) of its operators at that time. */
export type AskingCaller = { readonly name: string; readonly operators: readonly string[] };

/** The Slack ids of a caller's operators today. */
export const operatorIds = (policy: Policy, name: string): readonly string[] =>
  (policy.callers.get(name)?.operators ?? []).flatMap((one) =>
    policy.groups.has(one) ? groupIds(policy, [one]) : [one],
  );

/** Who could use its keys when it asked, and who can today. */
const allOperators = (policy: Policy, { name, operators }: AskingCaller): readonly string[] => [
  ...new Set([...operators, ...operatorIds(policy, name)]),
];

/** The Slack user groups that decide who can use its keys. */
export const operatorGroups = (policy: Policy, caller: AskingCaller | undefined): readonly string[] =>
  caller ? allOperators(policy, caller).filter(isUserGroup) : [];

/** Whether the person can or could use its keys, or the Slack user groups that decide that. Empty: no. */
export function isOperator(policy: Policy, person: Member, caller: AskingCaller): 'yes' | readonly string[] {
  const { groups, joinedGroups = [], otherGroups = [] } = person;
  const own = new Set([...groups, ...joinedGroups]);
  if (allOperators(policy, caller).some((id) => own.has(id) || samePerson(policy, person.id, id))) return 'yes';
  return operatorGroups(policy, caller).filter((group) => !otherGroups.includes(group));
}
