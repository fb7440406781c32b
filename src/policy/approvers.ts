import { inForce } from './approval-requirement.ts';
import { isOperator, type AskingCaller } from './callers.ts';
import type { AccessRequest } from './matching.ts';
import type { Member, Needed, Policy, Requirement } from './rules.ts';
import { canonicalId, dependsOn, groupIds, holds, isUserGroup, membershipsOf, samePerson } from './memberships.ts';
import { decideAccess, decideReading, denialOf, unknownIn, whoMay } from './policy.ts';

/** Whose approval of a change counts. */

/** Who asked for a change: its requester, whoever handed the request on (Slack ids), and the operators of its caller. */
export type Askers = {
  readonly requester: string;
  readonly handedOnBy?: string | null;
  /** Through which caller: its operators ask with it. */
  readonly caller?: AskingCaller | undefined;
};

/** How long a request has waited for its approval, in milliseconds; 0: it was not asked for yet. */
export type Waited = { readonly waited: number };

/** A change to approve: the request, its askers, and how long it has waited. */
export type ApprovalRequest = AccessRequest & Askers & Waited;

/** Whether the person is certainly one of the askers, with any of their ids. */
export const isAsker = (policy: Policy, person: Member, askers: Askers): boolean =>
  asks(policy, person, askers) === 'yes';

/** Whether they are or may be one (`yes`, or user groups): then they decide nothing about it. */
export const mayBeAsker = (policy: Policy, person: Member, askers: Askers): boolean =>
  asks(policy, person, askers).length > 0;

/** Whether they are one, or the Slack user groups with unknown members that decide that. Empty: no. */
export function asks(
  policy: Policy,
  person: Member,
  { requester, handedOnBy, caller }: Askers,
): 'yes' | readonly string[] {
  if ([requester, handedOnBy].some((id) => typeof id === 'string' && samePerson(policy, person.id, id))) return 'yes';
  return caller === undefined ? [] : isOperator(policy, person, caller);
}

/** What a vote counts towards. `perhaps`: requirements that it also meets if the person is in `groups`. */
type VoteWeight = Unsure &
  (
    | { readonly kind: 'counts'; readonly towards: readonly Requirement[] }
    | { readonly kind: 'does not count'; readonly why: 'yourself' | 'denied' | 'not named' | 'unknown' }
  );
type Unsure = { readonly perhaps: readonly Requirement[]; readonly groups: readonly string[] };

const sure: Unsure = { perhaps: [], groups: [] };

/**
 * Whether the person's approval counts, and towards what. It never counts on a change that they asked for, under any of
 * their ids, or whose caller's key they can use. Nor does it count if a rule denies them the change, or could through a group with unknown members.
 */
export function mayApprove(
  policy: Policy,
  person: Member,
  needed: Pick<Needed, 'requirements'>,
  asked: ApprovalRequest,
): VoteWeight {
  const not = (why: Extract<VoteWeight, { kind: 'does not count' }>['why'], unsure = sure): VoteWeight => ({
    kind: 'does not count',
    why,
    ...unsure,
  });
  const isAsking = asks(policy, person, asked);
  if (isAsking === 'yes') return not('yourself');
  if (isAsking.length > 0) return not('unknown', { perhaps: needed.requirements, groups: isAsking });
  const denyGroups = denialOf(policy, person, asked);
  if (denyGroups === 'denied') return not('denied');
  const towards: Requirement[] = [];
  const perhaps: Requirement[] = [];
  const groups = new Set<string>();
  for (const requirement of needed.requirements) {
    const is = canMeet(policy, person, requirement, asked, denyGroups);
    if (is === 'counts') towards.push(requirement);
    else if (is.length > 0) {
      perhaps.push(requirement);
      for (const group of is) groups.add(group);
    }
  }
  const unsure = { perhaps, groups: [...groups] };
  if (towards.length > 0) return { kind: 'counts', towards, ...unsure };
  return perhaps.length > 0 ? not('unknown', unsure) : not('not named');
}

/** Whether the person can meet a requirement, or the user groups that decide that. Empty: no. */
function canMeet(
  policy: Policy,
  person: Member,
  requirement: Requirement,
  asked: ApprovalRequest,
  denyGroups: readonly string[],
): 'counts' | readonly string[] {
  const { by } = inForce(requirement, asked.waited);
  if (by === 'allowed') {
    const decision = decideAccess(policy, person, asked);
    return decision.kind === 'allowed' ? 'counts' : unknownIn(decision);
  }
  const memberships = membershipsOf(policy, person);
  if (holds(by, memberships, 'allow') === 'yes') return denyGroups.length === 0 ? 'counts' : denyGroups;
  const allowGroups = dependsOn([by], memberships, denyGroups);
  return allowGroups.length > 0 ? [...denyGroups, ...allowGroups] : [];
}

/**
 * What is still needed after these votes, each person counted once. Empty: approved. `certain` counts only known
 * memberships; `perhaps` assumes that every unknown one holds.
 */
export function outstanding(
  policy: Policy,
  needed: Needed,
  asked: ApprovalRequest,
  voters: readonly Member[],
  counting: 'certain' | 'perhaps' = 'certain',
): readonly Requirement[] {
  const votes = voters.map((voter) => {
    const weight = mayApprove(policy, voter, needed, asked);
    const towards = weight.kind === 'counts' ? weight.towards : [];
    return {
      who: canonicalId(policy, voter.id),
      towards: counting === 'certain' ? towards : [...towards, ...weight.perhaps],
    };
  });
  return needed.requirements.flatMap((requirement) => {
    const counted = votes.filter(({ towards }) => towards.includes(requirement));
    const left = requirement.count - new Set(counted.map(({ who }) => who)).size;
    return left > 0 ? [{ by: requirement.by, count: left }] : [];
  });
}

/** The first escalation after which a person's approval counts, in milliseconds after asking; Infinity: none. */
export function countsFrom(
  policy: Policy,
  person: Member,
  needed: Pick<Needed, 'requirements'>,
  asked: ApprovalRequest,
): number {
  const moments = needed.requirements.flatMap(({ escalate }) => (escalate ? [escalate.after] : []));
  const counts = (waited: number) => mayApprove(policy, person, needed, { ...asked, waited }).kind === 'counts';
  return Math.min(...moments.filter(counts));
}

/** The Slack user groups with unknown members that decide whether more of these votes count. */
export const groupsInDoubt = (
  policy: Policy,
  needed: Needed,
  asked: ApprovalRequest,
  voters: readonly Member[],
): readonly string[] => [...new Set(voters.flatMap((voter) => mayApprove(policy, voter, needed, asked).groups))];

/**
 * Whether the policy names anybody but the askers who could approve, now or later. Whoever may be in a Slack user group
 * counts, and so does a deactivated account: what Slack does not say proves nothing.
 */
export function namesOthers(policy: Policy, needed: Pick<Needed, 'requirements'>, asked: ApprovalRequest): boolean {
  const could = (id: string): boolean => {
    const person = { id, groups: [] };
    const vote = mayApprove(policy, person, needed, { ...asked, waited: Infinity });
    if (vote.kind !== 'counts' && vote.why !== 'unknown') return false;
    const reads = asked.aims.map(({ target }) => decideReading(policy, person, target));
    return reads.every((one) => one.kind === 'allowed' || unknownIn(one).length > 0);
  };
  // Nobody has this id: it stands for those whom no group names by theirs.
  return could('') || groupIds(policy, [...policy.groups.keys()]).some((id) => !isUserGroup(id) && could(id));
}

/** Names of the groups that can meet a requirement by now. `everyone` is returned as such. */
export function groupsForRequirement(
  policy: Policy,
  requirement: Requirement,
  asked: AccessRequest & Waited,
): readonly string[] {
  const { by } = inForce(requirement, asked.waited);
  return by === 'allowed' ? whoMay(policy, asked) : by;
}
