import { parseStored } from '../storage/parse-json.ts';
import { asks, countsFrom, groupsInDoubt, isAsker, mayApprove, outstanding, type Askers } from '../policy/approvers.ts';
import { isOperator } from '../policy/callers.ts';
import { samePerson } from '../policy/memberships.ts';
import type { Member, Policy, Needed } from '../policy/rules.ts';
import { Refusal } from '../base/errors.ts';
import type { Change } from '../storage/changes.ts';
import { code, joined, mention, say, time, type Text } from '../words/text.ts';
import { stateLabel, states } from '../words/states.ts';
import { closableFrom, closableMinute, type ChangeEvent } from './change.ts';
import { skippedBy } from '../access/authorization.ts';
import { isEnough, mayEnd, mayReview, type EndingBy } from './may-end.ts';
import { mayBeStopped, type DecisionKind } from './buttons.ts';
import { isToReview, postReviewOf } from './post-review.ts';
import { membersUnknown } from '../access/unknown-groups.ts';
import { notYet } from '../access/escalation.ts';

/** A click on a decision button → the next state. Pure: the caller gathers fresh facts first. */

/** A decision, and the version of the change that the person saw. */
export type Decision = { readonly verdict: DecisionKind; readonly version: number };

/** A change and its approvers at this moment. People carry the groups they are in now. */
export type VoteContext = EndingBy & {
  readonly change: Change;
  /** Who has approved so far. */
  readonly voters: readonly Member[];
  /** Whether anybody `may` end it under today's rules; undefined: Slack doesn't say. */
  readonly anybody: boolean | undefined;
  /** A sentence that says who can close it, for somebody who can't. */
  readonly whoCloses?: Text | undefined;
  /** Epoch milliseconds, the database's clock. */
  readonly now: number;
};

export type DecisionResult =
  | { readonly kind: 'move'; readonly event: ChangeEvent }
  /** The vote counts and `left` more are needed, perhaps fewer once the members of the `unknown` groups are known. */
  | {
      readonly kind: 'vote';
      readonly left: readonly { readonly count: number }[];
      readonly unknown?: readonly string[];
    }
  /** It moves nothing: what they say of it is kept. */
  | { readonly kind: 'reviewed' };

/** What the decision does. If it does nothing, throws `Refusal` with the reason. */
export function decisionResult(decision: Decision, voting: VoteContext): DecisionResult {
  switch (decision.verdict) {
    case 'approve':
      return approve(decision, voting);
    case 'decline':
      refuseIfStale(decision, voting, 'waiting');
      refuseUnlessEnder(voting, 'decline');
      return move({ kind: 'decline' });
    case 'cancel':
      refuseUnlessIn(voting, ['waiting', 'approved']);
      refuseUnlessCancels(voting);
      return move({ kind: 'cancel' });
    case 'stop':
      // Anyone who can read the change may stop it: if that was a mistake, the change can be asked for again.
      refuseUnlessIn(voting, ['approved']);
      if (!mayBeStopped(voting.change)) throw refusal(voting, say`There's nothing to stop.`);
      return move({ kind: 'cancel' });
    case 'happened':
    case 'did_not_happen':
      return close(decision, voting);
    case 'reviewed':
      refuseUnlessReviews(voting);
      return { kind: 'reviewed' };
    case 'halt':
      // As for *stop*: anyone who can read the batch may halt it.
      refuseUnlessIn(voting, ['running']);
      return move({ kind: 'halt' });
    case 'end':
      refuseIfStale(decision, voting, 'stopped');
      if (!isAsker(voting.policy, voting.by, voting.asked)) refuseUnlessLetsGoOn(voting, 'end it');
      return move({ kind: 'end' });
    case 'go_on':
    case 'retry':
      refuseIfStale(decision, voting, 'stopped');
      refuseIfOver(voting);
      refuseUnlessLetsGoOn(voting, 'let it go on');
      return move({ kind: 'go_on' });
  }
}

function approve(decision: Decision, voting: VoteContext): DecisionResult {
  const { policy, asked, by, voters, change, now } = voting;
  if (change.settled_at === null && change.state === 'approved') {
    const isTwice = voters.some(({ id }) => samePerson(policy, id, by.id));
    const already = skippedBy(change) ? "It doesn't wait for approval." : "It's already approved.";
    throw refusal(voting, say`${isTwice ? "You've already approved it." : already}`);
  }
  refuseIfStale(decision, voting, 'waiting');
  if (now >= change.expires_at) {
    throw refusal(voting, say`The time to approve it ended at ${time(change.expires_at)}.`);
  }
  const needed = neededOf(voting);
  const everybody = [...voters, by];
  const left = outstanding(policy, needed, asked, everybody);
  if (left.length === 0) return move({ kind: 'approve' });
  const unknown = groupsInDoubt(policy, needed, asked, everybody);
  return unknown.length > 0 ? { kind: 'vote', left, unknown } : { kind: 'vote', left };
}

function close(decision: Decision, voting: VoteContext): DecisionResult {
  const { change, now } = voting;
  refuseIfStale(decision, voting, 'unknown');
  refuseUnlessEnder(voting, 'close');
  const from = closableFrom(change);
  if (now < from) {
    throw refusal(
      voting,
      say`It could still reach the host until ${time(closableMinute(change))}, so I haven't closed it. Please press again after that.`,
    );
  }
  return move({ kind: decision.verdict === 'happened' ? 'confirmed_happened' : 'confirmed_not' });
}

/** Throws `Refusal` unless it is over and unreviewed, and this person could have approved it. */
function refuseUnlessReviews(voting: VoteContext): void {
  const { change } = voting;
  const review = postReviewOf(change);
  if (review) throw refusal(voting, say`${mention(review.by)} has already reviewed it: “${review.says}”`);
  if (change.post_review === null) throw refusal(voting, say`There's nothing to review.`);
  if (!isToReview(change)) throw refusal(voting, say`It isn't over yet. Please review it when its outcome is known.`);
  const right = mayReview(voting);
  if (right.kind === 'may') return;
  if (right.why === 'unknown') throw refusal(voting, couldNotCheck(right.groups, 'review this'));
  throw refusal(voting, refusalText(voting, right.why, 'review'));
}

function refuseIfOver(voting: VoteContext): void {
  const { change, now } = voting;
  if (now < change.expires_at) return;
  throw refusal(voting, say`Its time ended at ${time(change.expires_at)}. Please ask for the rest anew.`);
}

/**
 * Throws `Refusal` unless the person may approve the batch or, if it needed no approval, asked for it. If a caller did,
 * it takes somebody else who may run it.
 */
function refuseUnlessLetsGoOn(voting: VoteContext, verb: string): void {
  const { policy, needed, asked, by } = voting;
  if (needed === 'none') {
    if (asked.caller ? mayEnd(voting).kind === 'may' : isAsker(policy, by, asked)) return;
    if (asked.caller)
      throw refusal(
        voting,
        say`${code(asked.caller.name)} asked for it, so somebody who may run it and can't use its key has to ${verb}.`,
      );
    throw refusal(voting, say`Only ${mention(asked.requester)} can ${verb}.`);
  }
  const vote = mayApprove(policy, by, needed, asked);
  if (vote.kind === 'counts') return;
  if (vote.why === 'unknown') throw refusal(voting, couldNotCheck(vote.groups, verb));
  throw refusal(voting, say`It needed an approval, so somebody who may approve it has to ${verb}.`);
}

/** The refusal of a click while the right to make it is unknown. */
const couldNotCheck = (groups: readonly string[], verb: string): Text =>
  say`**I couldn't check whether you may ${verb}.** ${membersUnknown(groups)} Please try again in a minute.`;

/** The approval that the change needs. Throws `Refusal` if this person's doesn't count. */
function neededOf(voting: VoteContext): Needed {
  const { policy, needed, asked, by, change } = voting;
  if (needed === 'none') throw refusal(voting, refusalText(voting, undefined, 'approve'));
  const vote = mayApprove(policy, by, needed, asked);
  if (vote.kind === 'counts') return needed;
  throw refusal(
    voting,
    vote.why === 'unknown'
      ? couldNotCheck(vote.groups, 'approve this')
      : joined([refusalText(voting, vote.why, 'approve'), notYet(change, countsFrom(policy, by, needed, asked))]),
  );
}

function refuseUnlessCancels(voting: VoteContext): void {
  const { policy, by, asked } = voting;
  const isAsking = asks(policy, by, asked);
  if (isAsking === 'yes') return;
  if (isAsking.length > 0) throw refusal(voting, couldNotCheck(isAsking, 'cancel this'));
  const operators = asked.caller && say`and whoever can use the key of ${code(asked.caller.name)}`;
  throw refusal(voting, joined(['Only', say`${mention(asked.requester)}`, operators, 'can cancel it.']));
}

function refuseUnlessEnder(voting: VoteContext, verb: string): void {
  const right = mayEnd(voting);
  if (isEnough(right, voting.anybody)) return;
  if (right.kind === 'if nobody may' && voting.anybody === undefined) {
    throw refusal(
      voting,
      say`Slack isn't answering right now, so I couldn't check who can ${verb} it. Please try again in a minute.`,
    );
  }
  if (right.kind === 'may not' && right.why === 'unknown')
    throw refusal(voting, couldNotCheck(right.groups, `${verb} this`));
  const own = say`The rules don't let you do this yourself, so you can't ${verb} it.`;
  const others = refusalText(voting, right.kind === 'may not' ? right.why : undefined, verb);
  const isOwn = voting.needed === 'none' && voting.asked.caller === undefined;
  throw refusal(voting, joined([isOwn ? own : others, voting.whoCloses]));
}

function refusalText(
  { policy, by, asked }: VoteContext,
  why: 'yourself' | 'denied' | 'not named' | undefined,
  verb: string,
): Text {
  switch (why) {
    case 'yourself': {
      const instead = verb === 'decline' ? say`To take it back, press **Cancel**.` : undefined;
      return joined([say`${whyOwn(policy, by, asked)} has to ${verb} it.`, instead]);
    }
    case 'denied':
      return say`A rule denies you this command here, so you can't ${verb} it.`;
    case 'not named':
    case undefined:
      return say`You're not among the people who can ${verb} it.`;
  }
}

/** Throws `Refusal` unless the change is still in the state and version that the person saw. */
function refuseIfStale({ version }: Decision, voting: VoteContext, state: Change['state']): void {
  refuseUnlessIn(voting, [state]);
  if (version !== voting.change.version) throw refusal(voting, say`It has changed since you saw it. Look again.`);
}

function refuseUnlessIn(voting: VoteContext, states: readonly Change['state'][]): void {
  const { change } = voting;
  if (change.settled_at === null && states.includes(change.state)) return;
  const note = change.last_note === null ? undefined : parseStored<Text>(change.last_note);
  throw refusal(voting, joined([alreadyText(change), note]));
}

/** Why a click comes too late or too early. For a closed change, its last note says how it was closed. */
function alreadyText({ state, last_note: note, lost_at }: VoteContext['change']): string {
  const { already, isUnsent } = states[state];
  if (already !== undefined) return already;
  if (note !== null) return "It's already closed.";
  if (!isUnsent) return `It's already closed: ${stateLabel(state)}.`;
  return `It's already ${state}.${lost_at === null ? ' Nothing was sent.' : ''}`;
}

const refusal = ({ change }: VoteContext, why: Text): Refusal =>
  new Refusal(say`#${change.number}: ${why} Nothing was changed.`);

const move = (event: ChangeEvent): DecisionResult => ({ kind: 'move', event });

/** Why a change counts as theirs, up to who decides instead. */
function whyOwn(policy: Policy, by: Member, { requester, caller }: Askers): Text {
  if (samePerson(policy, by.id, requester)) return say`**This is your own change**, so somebody else`;
  if (caller && isOperator(policy, by, caller) === 'yes')
    return say`**${code(caller.name)} asked for this, and you can use its key,** so it counts as yours too. Somebody else`;
  return say`**You handed this on, so it counts as yours too.** Somebody else`;
}
