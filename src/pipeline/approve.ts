import { doubted, mayApprove, outstanding, type Asked } from '../policy/approvers.ts';
import type { Needed } from '../policy/needed.ts';
import { samePerson } from '../policy/people.ts';
import { decide, unknownIn } from '../policy/policy.ts';
import type { Person, Policy } from '../policy/rules.ts';
import { Refusal } from '../errors.ts';
import type { Change } from '../storage/changes.ts';
import { person as mention, say, time, type Text } from '../text.ts';
import { closableFrom, coolsDown, type Happening } from './change.ts';
import { standing, type Verdict } from './render.ts';
import { notTold } from './unknown-groups.ts';

/** A click on a decision button → the next state. Pure: what it looks at was asked afresh by whoever calls it. */

/** Which decision, of which change, and which version of it the person saw. */
export type Decision = { readonly verdict: Verdict; readonly version: number };

/** A change and its approvers as they are at this moment; people with the groups they are in now. */
export type Ballot = {
  readonly change: Pick<
    Change,
    'number' | 'state' | 'settled_at' | 'outcome' | 'version' | 'expires_at' | 'risk' | 'target_live' | 'sent_at'
  >;
  readonly policy: Policy;
  readonly needed: 'none' | Needed;
  readonly asked: Asked;
  readonly by: Person;
  /** Who has approved so far. */
  readonly voters: readonly Person[];
  /** Epoch milliseconds, the database's clock. */
  readonly now: number;
};

export type Ruling =
  | { readonly kind: 'move'; readonly happening: Happening }
  /** The vote counts, and more are needed; fewer, if it were known who is in these Slack user groups. */
  | {
      readonly kind: 'vote';
      readonly left: readonly { readonly count: number }[];
      readonly unknown?: readonly string[];
    };

/** What the decision does; throws `Refusal` where it does nothing, and says why. */
export function rule(decision: Decision, ballot: Ballot): Ruling {
  switch (decision.verdict) {
    case 'approve':
      return approve(decision, ballot);
    case 'decline':
      seenAsItIs(decision, ballot, 'waiting');
      refuseUnlessApprover(ballot, 'decline');
      return move({ kind: 'decline' });
    case 'cancel':
      inState(ballot, ['waiting', 'approved']);
      if (!samePerson(ballot.policy, ballot.by.id, ballot.asked.asker)) {
        throw refusal(ballot, say`Only ${mention(ballot.asked.asker)} can cancel it.`);
      }
      return move({ kind: 'cancel' });
    case 'stop':
      // Whoever may read it may stop it: one push too few can be made up for.
      inState(ballot, ['approved']);
      if (!coolsDown(ballot.change)) throw refusal(ballot, say`There is nothing to stop.`);
      return move({ kind: 'cancel' });
    case 'happened':
    case 'did not happen':
      return close(decision, ballot);
  }
}

function approve(decision: Decision, ballot: Ballot): Ruling {
  const { policy, needed, asked, by, voters, change, now } = ballot;
  seenAsItIs(decision, ballot, 'waiting');
  if (now >= change.expires_at) {
    throw refusal(ballot, say`It could be approved until ${time(change.expires_at)}.`);
  }
  refuseUnlessApprover(ballot, 'approve');
  if (needed === 'none') throw refusal(ballot, say`It needs no approval.`);
  const everybody = [...voters, by];
  const left = outstanding(policy, needed, asked, everybody);
  if (left.length === 0) return move({ kind: 'approve' });
  const unknown = doubted(policy, needed, asked, everybody);
  return unknown.length > 0 ? { kind: 'vote', left, unknown } : { kind: 'vote', left };
}

/** Says what came of it; whoever could have approved it may, and where no approval was needed, whoever may do it. */
function close(decision: Decision, ballot: Ballot): Ruling {
  const { change, needed, policy, by, asked, now } = ballot;
  seenAsItIs(decision, ballot, 'unknown');
  if (needed !== 'none') refuseUnlessApprover(ballot, 'say what came of');
  else refuseUnlessAllowed(ballot, decide(policy, by, asked));
  const from = closableFrom(change);
  if (now < from) {
    throw refusal(
      ballot,
      say`It can still arrive at the host; nobody can know before ${time(from)}. Press again then.`,
    );
  }
  return move({ kind: decision.verdict === 'happened' ? 'affirm' : 'deny' });
}

function refuseUnlessAllowed(ballot: Ballot, decision: ReturnType<typeof decide>): void {
  if (decision.kind === 'allowed') return;
  const unknown = unknownIn(decision);
  throw refusal(ballot, unknown.length > 0 ? notKnown(unknown, 'do') : say`You may not do this yourself.`);
}

/** Nothing is decided by a click of which it is not known whether it may. */
const notKnown = (groups: readonly string[], verb: string): Text =>
  say`**I could not check whether you may ${verb} this.** ${notTold(groups)} Press it again in a minute.`;

function refuseUnlessApprover(ballot: Ballot, verb: string): void {
  const { policy, needed, asked, by } = ballot;
  const voice = needed === 'none' ? undefined : mayApprove(policy, by, needed, asked);
  if (voice?.kind === 'counts') return;
  throw refusal(ballot, voice?.why === 'unknown' ? notKnown(voice.groups, verb) : refused(voice?.why, verb));
}

function refused(
  why: Exclude<Extract<ReturnType<typeof mayApprove>, { kind: 'does not count' }>['why'], 'unknown'> | undefined,
  verb: string,
): Text {
  switch (why) {
    case 'yourself':
      return say`**It is your own change**, and nobody may ${verb} their own.`;
    case 'denied':
      return say`A rule forbids you this command here, so you may not ${verb} it.`;
    case 'not named':
    case undefined:
      return say`You are not among those who may ${verb} it.`;
  }
}

/** The button was pressed on what the change still is; throws `Refusal`. */
function seenAsItIs({ version }: Decision, ballot: Ballot, state: Change['state']): void {
  inState(ballot, [state]);
  if (version !== ballot.change.version) throw refusal(ballot, say`It has moved on since this was drawn. Look again.`);
}

function inState(ballot: Ballot, states: readonly Change['state'][]): void {
  const { change } = ballot;
  if (change.settled_at === null && states.includes(change.state)) return;
  throw refusal(ballot, say`It is too late for that. By now: ${standing(change)}`);
}

const refusal = ({ change }: Ballot, why: Text): Refusal =>
  new Refusal(say`#${change.number}: ${why} Nothing was changed by your click.`);

const move = (happening: Happening): Ruling => ({ kind: 'move', happening });
