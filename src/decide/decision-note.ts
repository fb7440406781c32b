import { samePerson } from '../policy/memberships.ts';
import type { Calling, Policy } from '../policy/rules.ts';
import { scrub } from '../base/secret.ts';
import { isBatch, type Change } from '../storage/changes.ts';
import type { PauseScope } from '../storage/kv.ts';
import { joined, mention, named, say, through } from '../words/text.ts';
import type { Person } from '../access/access-check.ts';
import type { DecisionResult } from '../change/approve.ts';
import { stoppedReplyKey } from '../change/batch-card.ts';
import type { DecisionKind, ShownVersion } from '../change/buttons.ts';
import { coolsDown } from '../change/change.ts';
import type { TransitionNote } from '../change/change-messages.ts';
import { maxReasonLength } from '../access/reason.ts';
import { reviewed } from '../change/glass-replies.ts';
import { approvalCounted, approved, closed, ended, notSent } from '../change/replies.ts';
import { markFor } from '../change/states-and-events.ts';
import { argsToAskAgain } from '../language/reparse.ts';
import { requestDetails } from './claim-delivery.ts';

/** What goes with a decision about a change: its audit line, and the messages about it. Pure. */

/** A decision as delivered. It is trusted only for who pressed which button. */
export type DeliveredDecision = ShownVersion & {
  readonly verdict: DecisionKind;
  readonly person: string;
  readonly team: string | undefined;
  /** The program through which they decide. */
  readonly caller?: Calling;
  /** Why it is declined, or a note with an approval. */
  readonly reason?: string | undefined;
  /** Ids of environments that a batch leaves out. */
  readonly leaveOut?: readonly string[];
  /** The inbox row that this answers. */
  readonly inbox: string | undefined;
};

/** What they said with it. It is public and stored, so pasted keys are removed. */
export const decisionWords = ({ reason }: Pick<DeliveredDecision, 'reason'>): string | undefined =>
  reason && scrub(reason).slice(0, maxReasonLength);

export function noteFor(
  change: Change,
  decided: DeliveredDecision,
  { by, policy }: { readonly by: Person; readonly policy: Policy },
  ruling: DecisionResult,
  paused: PauseScope | undefined,
): Omit<TransitionNote, 'at'> {
  const reason = decisionWords(decided);
  const calling = by.caller && { caller: by.caller.name, request: by.caller.as };
  const base = {
    by: by.id,
    details: { name: by.name, verdict: decided.verdict, reason, ...calling, ...requestDetails(decided.inbox) },
  };
  const tell = requesterUnless(change, policy, by.id);
  switch (decided.verdict) {
    case 'approve':
      return { ...base, ...approvedBy(change, by.name, ruling, paused, reason) };
    case 'decline':
      return { ...base, ...endedBy(change, 'Declined', by, reason), tell };
    case 'cancel':
      return { ...base, ...endedBy(change, 'Cancelled', by), tell };
    case 'stop':
      return { ...base, ...endedBy(change, 'Stopped', by), tell };
    case 'reviewed':
      return { ...base, reply: reviewed(by.name, reason ?? ''), tell, ops: true };
    case 'halt':
    case 'go_on':
    case 'retry':
    case 'end':
      return base;
    case 'happened':
    case 'did_not_happen':
      return { ...base, ...closedBy(change, decided.verdict === 'happened', by), tell };
  }
}

function approvedBy(
  change: Change,
  name: string,
  ruling: DecisionResult,
  paused: PauseScope | undefined,
  reason: string | undefined,
): Pick<TransitionNote, 'reply' | 'replyKey' | 'decide' | 'tell'> {
  if (ruling.kind !== 'vote') {
    const reply = approved(change, name, paused, reason);
    // The reply about a stop of a batch replaces this one; its card keeps the names of who approved.
    const replyKey = isBatch(change) ? { replyKey: stoppedReplyKey(change) } : {};
    return { reply, ...replyKey, decide: coolsDown(change), tell: [change.requester] };
  }
  const left = ruling.left.reduce((sum, { count }) => sum + count, 0);
  return { reply: approvalCounted(name, { left, unknown: ruling.unknown, note: reason }) };
}

function closedBy(change: Change, happened: boolean, by: Person): Pick<TransitionNote, 'reply' | 'lastNote' | 'ops'> {
  const says = closed(happened, named(by.name));
  const text = joined([markFor[happened ? 'confirmed_happened' : 'confirmed_not'], says]);
  const again = happened ? [] : notSent(change, says, argsToAskAgain(change)).buttons;
  return { reply: { text, buttons: again ?? [] }, lastNote: closed(happened, mention(by.id)), ops: true };
}

/** Their own click notifies nobody of themselves: the reply names them, and the card mentions them. */
function endedBy(
  change: Change,
  how: Parameters<typeof ended>[1],
  by: Person,
  reason?: string,
): Pick<TransitionNote, 'reply' | 'lastNote'> {
  const says = ended(change, how, through(by.caller?.name, named(by.name)), reason);
  const { buttons = [] } = notSent(change, says, argsToAskAgain(change));
  const lastNote = ended(change, how, through(by.caller?.name, mention(by.id)), reason);
  return { reply: { text: say`⛔ ${says}`, buttons }, lastNote };
}

/** The requester, to be told of a decision, unless it is their own, by any of their accounts. */
export const requesterUnless = ({ requester }: Change, policy: Policy, decidedBy: string): readonly string[] =>
  samePerson(policy, requester, decidedBy) ? [] : [requester];
