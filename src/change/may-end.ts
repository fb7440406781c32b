import { unlocking } from '../commands/rights.ts';
import { asks, mayApprove, namesOthers, type ApprovalRequest } from '../policy/approvers.ts';
import { byOne } from '../policy/approval-requirement.ts';
import { approvalOf, decideAccess, decideReading, unknownIn } from '../policy/policy.ts';
import type { Member, Needed, Policy } from '../policy/rules.ts';

/** Whether a person may end a change that is stuck: decline a waiting one, or close an unknown one. */
export type EndRight =
  | { readonly kind: 'may' }
  /** Through a right to unlock, and only if nobody `may`. `forced`: also if it is unknown whether anybody `may`. */
  | { readonly kind: 'if nobody may'; readonly forced: boolean }
  | { readonly kind: 'may not'; readonly why: 'yourself' | 'denied' | 'not named' }
  /** It depends on who is in these Slack user groups, and Slack doesn't say. */
  | { readonly kind: 'may not'; readonly why: 'unknown'; readonly groups: readonly string[] };

/** What the rules need to know about a change to decide who may end it. */
export type Ending = { readonly needed: 'none' | Needed; readonly asked: ApprovalRequest };

/** The same, with the person whose right is asked for. They carry the groups they are in now. */
export type EndingBy = Ending & { readonly policy: Policy; readonly by: Member };

/**
 * Whether a person may end it under today's rules. They may if they can approve it, by the requirement it was made with
 * or by today's; if either is `none`, also if they may run the command. If nobody may, the right to unlock is enough.
 * The askers of a change that needed approval never may, nor may people who can't read its targets.
 */
export const mayEnd = (ending: EndingBy): EndRight =>
  endingRight(ending, [ending.needed, approvalOf(ending.policy, ending.asked)]);

/**
 * The approval by which what was sent by break-glass is reviewed: the one that was skipped or, if the policy no longer
 * names anybody else for that, today's. One is enough. Undefined: it names nobody for either.
 */
export function reviewApproval(policy: Policy, { needed, asked }: Ending): Needed | undefined {
  const named = (one: 'none' | Needed): one is Needed => one !== 'none' && namesOthers(policy, one, asked);
  const approval = [needed, approvalOf(policy, asked)].find(named);
  return approval && byOne(approval);
}

/** Whether a person may review it: also those to whom it would have escalated. */
export function mayReview(ending: EndingBy): MayOrNot {
  const approval = reviewApproval(ending.policy, ending);
  const vote = votingRight({ ...ending, asked: { ...ending.asked, waited: Infinity } }, approval ? [approval] : []);
  return vote.kind === 'no vote' ? mayNot(vote.inDoubt, vote.why) : vote;
}

type MayOrNot = Exclude<EndRight, { readonly kind: 'if nobody may' }>;
type NoVote = { readonly kind: 'no vote'; readonly why: 'denied' | 'not named'; readonly inDoubt: readonly string[] };

/** Whether they may read it, are none of its askers, and their vote counts towards one of these approvals. */
function votingRight(
  { policy, needed, asked, by }: EndingBy,
  approvals: readonly ('none' | Needed)[],
): MayOrNot | NoVote {
  const unread = unreadBy(policy, by, asked);
  if (unread) return mayNot(unread, 'not named');
  const isOthers = needed !== 'none' || asked.caller !== undefined;
  const isAsking = isOthers ? asks(policy, by, asked) : [];
  if (isAsking === 'yes') return { kind: 'may not', why: 'yourself' };
  if (isAsking.length > 0) return mayNot(isAsking, 'not named');
  const votes = approvals.map((one) => (one === 'none' ? undefined : mayApprove(policy, by, one, asked)));
  if (votes.some((vote) => vote?.kind === 'counts')) return { kind: 'may' };
  const isDenied = votes.some((vote) => vote?.kind === 'does not count' && vote.why === 'denied');
  const inDoubt = votes.flatMap((vote) => vote?.groups ?? []);
  return { kind: 'no vote', why: isDenied ? 'denied' : 'not named', inDoubt };
}

function endingRight(ending: EndingBy, approvals: readonly ('none' | Needed)[]): EndRight {
  const vote = votingRight(ending, approvals);
  if (vote.kind !== 'no vote') return vote;
  const { policy, asked, by } = ending;
  const own = approvals.includes('none') ? [decideAccess(policy, by, asked)] : [];
  if (own.some(({ kind }) => kind === 'allowed')) return { kind: 'may' };
  const aims = asked.aims.filter(({ access }) => access === 'change');
  const forced = decideAccess(policy, by, { command: unlocking.forced, aims });
  const usual = decideAccess(policy, by, { command: unlocking.usual, aims });
  if (forced.kind === 'allowed') return { kind: 'if nobody may', forced: true };
  if (usual.kind === 'allowed') return { kind: 'if nobody may', forced: false };
  return mayNot([...vote.inDoubt, ...[...own, forced, usual].flatMap(unknownIn)], vote.why);
}

/** The Slack user groups that decide whether they may read all it is about; none: they may not. Undefined: they may. */
function unreadBy(policy: Policy, by: Member, { aims }: ApprovalRequest): readonly string[] | undefined {
  const reads = aims.map(({ target }) => decideReading(policy, by, target));
  const unread = reads.filter((one) => one.kind === 'not allowed');
  if (unread.length === 0) return undefined;
  return unread.some((one) => unknownIn(one).length === 0) ? [] : unread.flatMap(unknownIn);
}

/** The refusal: because these groups are unknown, if there are any; otherwise because of `why`. */
const mayNot = (groups: readonly string[], why: 'denied' | 'not named'): MayOrNot =>
  groups.length > 0 ? { kind: 'may not', why: 'unknown', groups: [...new Set(groups)] } : { kind: 'may not', why };

/** Whether this right is enough; `anybody`: whether anybody `may`; undefined: Slack doesn't say. */
export const isEnough = (right: EndRight, anybody: boolean | undefined): boolean =>
  right.kind === 'may' || (right.kind === 'if nobody may' && (right.forced ? anybody !== true : anybody === false));
