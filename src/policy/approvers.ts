import { dependsOn, holds, membershipsOf } from './memberships.ts';
import type { Needed, Requirement } from './approval-requirement.ts';
import { canonicalId, samePerson } from './people.ts';
import { decide, denialOf, unknownIn, whoMay, type AccessRequest } from './policy.ts';
import type { Person, Policy } from './rules.ts';

/** A change as approvers see it: who asks, for what. */
export type ApprovalRequest = AccessRequest & { readonly asker: string };

/** What somebody's approval is worth; `perhaps`: what it would count towards besides, if it were known who is in `groups`. */
export type VoteWeight = Doubt &
  (
    | { readonly kind: 'counts'; readonly towards: readonly Requirement[] }
    | { readonly kind: 'does not count'; readonly why: 'yourself' | 'denied' | 'not named' | 'unknown' }
  );
type Doubt = { readonly perhaps: readonly Requirement[]; readonly groups: readonly string[] };

const noDoubt: Doubt = { perhaps: [], groups: [] };

/**
 * Whether the person's approval counts, and towards what. Nobody approves their own change, with whichever of their
 * ids; nor does anybody approve what a rule denies them, or would if they were in a group of which that is not known.
 */
export function mayApprove(policy: Policy, person: Person, needed: Needed, asked: ApprovalRequest): VoteWeight {
  const not = (why: Extract<VoteWeight, { kind: 'does not count' }>['why'], doubt = noDoubt): VoteWeight => ({
    kind: 'does not count',
    why,
    ...doubt,
  });
  if (samePerson(policy, person.id, asked.asker)) return not('yourself');
  const shut = denialOf(policy, person, asked);
  if (shut === 'denied') return not('denied');
  const towards: Requirement[] = [];
  const perhaps: Requirement[] = [];
  const groups = new Set<string>();
  for (const requirement of needed.requirements) {
    const is = standing(policy, person, requirement, asked, shut);
    if (is === 'counts') towards.push(requirement);
    else if (is.length > 0) {
      perhaps.push(requirement);
      for (const group of is) groups.add(group);
    }
  }
  const doubt = { perhaps, groups: [...groups] };
  if (towards.length > 0) return { kind: 'counts', towards, ...doubt };
  return perhaps.length > 0 ? not('unknown', doubt) : not('not named');
}

/** Whether somebody is one of those whom a requirement looks to, or the user groups on which that depends. */
function standing(
  policy: Policy,
  person: Person,
  { by }: Requirement,
  asked: ApprovalRequest,
  shut: readonly string[],
): 'counts' | readonly string[] {
  if (by === 'allowed') {
    const decision = decide(policy, person, asked);
    return decision.kind === 'allowed' ? 'counts' : unknownIn(decision);
  }
  const of = membershipsOf(policy, person);
  if (holds(by, of, 'allow') === 'yes') return shut.length === 0 ? 'counts' : shut;
  const open = dependsOn([by], of, shut);
  return open.length > 0 ? [...shut, ...open] : [];
}

/**
 * What is still needed once these people have approved, each person counted once; empty: approved. `certain` counts
 * only what is known; `perhaps` also what would count if every unknown membership turned out well.
 */
export function outstanding(
  policy: Policy,
  needed: Needed,
  asked: ApprovalRequest,
  voters: readonly Person[],
  counting: 'certain' | 'perhaps' = 'certain',
): readonly Requirement[] {
  const voices = voters.map((voter) => {
    const messenger = mayApprove(policy, voter, needed, asked);
    const towards = messenger.kind === 'counts' ? messenger.towards : [];
    return {
      who: canonicalId(policy, voter.id),
      towards: counting === 'certain' ? towards : [...towards, ...messenger.perhaps],
    };
  });
  return needed.requirements.flatMap((requirement) => {
    const counted = voices.filter(({ towards }) => towards.includes(requirement));
    const left = requirement.count - new Set(counted.map(({ who }) => who)).size;
    return left > 0 ? [{ by: requirement.by, count: left }] : [];
  });
}

/** The Slack user groups of which it would have to be known whether more of these approvals count. */
export const doubted = (
  policy: Policy,
  needed: Needed,
  asked: ApprovalRequest,
  voters: readonly Person[],
): readonly string[] => [...new Set(voters.flatMap((voter) => mayApprove(policy, voter, needed, asked).groups))];

/** Names of the groups that a requirement looks to; `everyone` stands for itself. */
export function lookedTo(policy: Policy, { by }: Requirement, parsed: AccessRequest): readonly string[] {
  return by === 'allowed' ? whoMay(policy, parsed) : by;
}
