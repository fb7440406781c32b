import { heldAs } from '../access/authorization.ts';
import { Refusal } from '../base/errors.ts';
import { failpoint } from '../base/failpoints.ts';
import type { TransitionNote } from '../change/change-messages.ts';
import type { PostReview } from '../change/post-review.ts';
import { noteUndone } from '../change/undo.ts';
import { samePerson } from '../policy/memberships.ts';
import { findChange, findChangeForUpdate, touchChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { acquireGlobalLock } from '../storage/sql-dialect.ts';
import { readTimeline } from '../storage/timeline.ts';
import { listVotes, castVote, type Vote } from '../storage/votes.ts';
import { say, type Text } from '../words/text.ts';
import { LockHeld } from '../change/change-store.ts';
import { lockRefusal } from '../change/lock-in-the-way.ts';
import { decisionResult, type VoteContext } from '../change/approve.ts';
import { mayEnd } from '../change/may-end.ts';
import { assertMember, type Person } from '../access/access-check.ts';
import { whoCloses } from '../change/unknown-replies.ts';
import { closersOf, endingOf } from '../change/closers.ts';
import { hiddenBy, namesWith, readerOf } from '../access/visibility.ts';
import { recheck } from '../change/recheck.ts';
import { freshVoters } from '../change/voters.ts';
import { type DecisionKind, refuseUnlessOurs } from '../change/buttons.ts';
import { reparse, type Reparsed } from '../language/reparse.ts';
import { settleAccess } from '../change/timed-access.ts';
import { endsUnsent, nothingSent } from '../change/replies.ts';
import { groupsOf, membersUnknown } from '../access/unknown-groups.ts';
import { pauseOf } from '../storage/kv.ts';
import type { SendContext } from '../send/context.ts';
import { handleSetBack, isSameTimeline } from '../send/failover-and-restore.ts';
import { claimDelivery, requestDetails } from './claim-delivery.ts';
import { applyBatchDecision } from './decide-batch.ts';
import { noteFor, decisionWords, type DeliveredDecision } from './decision-note.ts';
import { endTwins } from '../send/follow.ts';
import { markLost } from '../send/lost-commit.ts';

/** Decisions that somebody with the right to unlock may make if nobody else can. */
const ends: ReadonlySet<DecisionKind> = new Set(['decline', 'happened', 'did_not_happen']);
/** What is said of a decision that has to be made in words, without any. */
const wordless: Readonly<Partial<Record<DecisionKind, string>>> = {
  decline: 'Declining needs a reason',
  reviewed: 'A review needs words',
};

export const needsWords = (verdict: DecisionKind): boolean => wordless[verdict] !== undefined;

/** Throws `Refusal` if the decision needs words and has none. */
export function refuseWithoutWords(verdict: DecisionKind, words: string | undefined): void {
  const says = wordless[verdict];
  if (says !== undefined && !words?.trim()) throw new Refusal(`${says}. Nothing was done.`, { field: 'reason' });
}

/** How often the votes are read at most while others vote. */
const maxRecounts = 5;

/**
 * Applies a decision: checks rights, target and drift again, then commits in one transaction, so that the first of
 * several clicks wins. Resolves when saved. Throws `Refusal` if it is too late, not allowed, or can't be checked.
 */
export async function decide(context: SendContext, decided: DeliveredDecision): Promise<void> {
  refuseWithoutWords(decided.verdict, decided.reason);
  // After a failover a sent change may look unsent; check before ending it.
  await handleSetBack(context);
  const { change, voting } = await votingOf(context, decided);
  for (let attempt = 0; attempt < maxRecounts; attempt += 1) {
    const votes = await listVotes(context.database.db, change.number);
    const voters = await freshVoters(context, change, votes);
    if (voters === undefined) throw couldNotCheck(say`Slack doesn't tell me right now who the other approvers are.`);
    // Refuse before the host is asked anything.
    decisionResult(decided, { ...voting, voters, change });
    if (attempt === 0 && decided.verdict === 'approve') await endIfOutdated(context, change, decided);
    failpoint('click checked', change.number);
    if (await commit(context, decided, { ...voting, voters, votes })) {
      failpoint('click saved', change.number);
      return context.onSaved();
    }
  }
  throw couldNotCheck(say`Others are voting at the same moment.`);
}

/** Throws `Refusal` if this person may not decide so now: before a form asks them for a reason or a note. */
export async function refuseUnlessDecides(
  context: SendContext,
  decided: Omit<DeliveredDecision, 'inbox'>,
): Promise<void> {
  const { change, voting } = await votingOf(context, decided);
  decisionResult(decided, { ...voting, voters: [], change });
}

/** The change, and what decides whether this person's decision about it counts; without the other voters. */
async function votingOf(context: SendContext, decided: Omit<DeliveredDecision, 'inbox'>) {
  const { by, change, reparsed } = await loadPresent(context, decided);
  const now = await context.database.now();
  const ending = endingOf(change, reparsed, context.company(), now);
  const policy = context.policy();
  const isOthers = ends.has(decided.verdict) && mayEnd({ ...ending, policy, by }).kind !== 'may';
  if (!isOthers) return { change, voting: { ...ending, policy, by, now, anybody: true } };
  const closers = await closersOf(context, ending);
  const who = decided.verdict === 'decline' ? undefined : whoCloses(change, closers);
  return { change, voting: { ...ending, policy, by, now, anybody: closers.anybody, whoCloses: who } };
}

type Present = { readonly by: Person; readonly change: Change; readonly reparsed: Reparsed };

/** The person and the change as they are now. An unreadable change is refused as if it were missing. */
async function loadPresent(
  context: SendContext,
  { installation, number, person, team, caller, verdict }: Omit<DeliveredDecision, 'inbox'>,
): Promise<Present> {
  await refuseUnlessOurs(context.database, installation);
  const change = await findChange(context.database.db, number);
  const role = ends.has(verdict) ? 'ender' : 'approver';
  const groups = change === undefined ? [] : groupsOf(context.policy(), change, role);
  const known = await context.whoIs(person, groups, team);
  if (known === undefined) throw couldNotCheck(say`Slack doesn't tell me right now who you are.`);
  const by = caller ? { ...known, caller } : known;
  assertMember(by);
  const mayRead = change !== undefined && readerOf(context, by)(change);
  const hidden = change === undefined || mayRead ? [] : hiddenBy(context, by, change);
  if (hidden.length > 0) throw couldNotCheck(membersUnknown(hidden));
  const reparsed = mayRead ? reparse(change, namesWith(context, change)) : undefined;
  if (change === undefined || reparsed === undefined) {
    throw new Refusal(say`I can't find #${number} among the changes you can see. Nothing was done.`);
  }
  return { by, change, reparsed };
}

const couldNotCheck = (why: Text): Refusal =>
  new Refusal(say`**I couldn't check this.** ${why} Nothing was sent, and nothing was changed.`, {
    hint: 'Please try again in a minute.',
  });

/** Rechecks everything before an approval counts. If something changed, ends the change and throws `Refusal`. */
async function endIfOutdated(context: SendContext, change: Change, { inbox }: DeliveredDecision): Promise<void> {
  const checked = await recheck(context, change);
  if (checked.kind === 'as it was') return;
  if (checked.kind === 'later' || checked.kind === 'host trouble') throw couldNotCheck(checked.why);
  if (checked.kind === 'in freeze')
    throw new Refusal(say`${checked.why} Your approval was not counted.`, {
      hint:
        (checked.until ?? 0) >= change.expires_at
          ? 'The freeze outlasts it: ask for it anew, for a time after the freeze, or by whoever is excepted.'
          : 'Approve it when the freeze is over, if it is still open then; or whoever is excepted asks for it anew.',
    });
  const kind = checked.kind === 'invalidated' ? 'invalidated' : 'supersede';
  const isEnded = await context.database.transaction(async (tx) => {
    await acquireGlobalLock(tx);
    // If somebody else was first, the next `decisionResult` tells the person what they did.
    const held = await findChangeForUpdate(tx, change.number);
    if (held?.version !== change.version || (await isSetBack(context, tx, held))) return false;
    const at = await context.database.now(tx);
    if (!(await claimDelivery(tx, inbox, at))) throw tooLate();
    const note = { by: 'sitehand', at, details: requestDetails(inbox), ...endsUnsent(change, kind, checked.why) };
    await context.changeStore.advance(tx, change, { kind }, note);
    return true;
  });
  if (!isEnded) return;
  throw new EndedByClick(say`**#${change.number} can no longer be approved.** ${nothingSent(change, checked.why)}`);
}

/** The click ended the change and its delivery is answered, but the person still has to be told. */
export class EndedByClick extends Refusal {}

type Session = Omit<VoteContext, 'change' | 'now'> & Pick<Present, 'by'> & { readonly votes: readonly Vote[] };

/**
 * Applies the decision in one transaction. False, with nothing written, if somebody voted since the votes were read:
 * the new voter has to be checked first.
 */
async function commit(context: SendContext, decided: DeliveredDecision, session: Session): Promise<boolean> {
  const { database } = context;
  try {
    return await database.transaction(async (tx) => {
      // Before the row lock, as in every move of a change, to avoid deadlocks.
      await acquireGlobalLock(tx);
      const change = await findChangeForUpdate(tx, decided.number);
      const now = await database.now(tx);
      if (change === undefined || (await isSetBack(context, tx, change))) throw new SetBack();
      if (!(await claimDelivery(tx, decided.inbox, now))) throw tooLate();
      const votes = await listVotes(tx, change.number);
      if (votes.length !== session.votes.length) throw new VotesChanged();
      await apply(context, tx, change, decided, session, now);
      return true;
    });
  } catch (error) {
    if (error instanceof VotesChanged) return false;
    if (error instanceof SetBack) throw await setBack(context, decided);
    if (!(error instanceof LockHeld)) throw error;
    const says = lockRefusal(error.held, await database.now());
    throw new Refusal(say`${says} Your approval was not counted.`, {
      hint: 'Please approve it again when the lock is gone.',
    });
  }
}

class VotesChanged extends Error {}

const tooLate = (): Refusal => new Refusal('I was delayed and have already told you so. Nothing was done.');

/** The database may lack that this change was sent. */
class SetBack extends Error {}

/** Call it while the row is locked, so that nobody can move the change in between. */
const isSetBack = async ({ history }: SendContext, tx: Tx, change: Change): Promise<boolean> =>
  history.newerThan(change) !== undefined || !isSameTimeline(history, await readTimeline(tx));

/** Marks the change unknown if it may have been sent, and returns the refusal. */
async function setBack(context: SendContext, { number }: DeliveredDecision): Promise<Refusal> {
  await handleSetBack(context);
  const change = await findChange(context.database.db, number);
  const known = change && context.history.newerThan(change);
  if (known) await markLost(context, change, known);
  return couldNotCheck(say`My database was set back, or may have been.`);
}

async function apply(
  context: SendContext,
  tx: Tx,
  change: Change,
  decided: DeliveredDecision,
  session: Session,
  at: number,
): Promise<void> {
  const ruling = decisionResult(decided, { ...session, change, now: at });
  const { changeStore } = context;
  const { person, verdict } = decided;
  // A repeated vote is refused unless it now completes the approval.
  if (ruling.kind === 'vote' && session.votes.some((vote) => samePerson(session.policy, vote.person, person))) {
    throw new Refusal(say`You've already approved #${change.number}. Nothing was changed.`);
  }
  const note = { ...noteFor(change, decided, session, ruling, await pauseOf(tx, heldAs(change))), at };
  if (verdict === 'approve') await castVote(tx, { change: change.number, person, at });
  if (ruling.kind === 'vote') return changeStore.remark(tx, change, 'vote', note);
  if (ruling.kind === 'reviewed')
    return saveReview(context, tx, change, { ...note, says: decisionWords(decided) ?? '' });
  const { without = [], ...more } = await applyBatchDecision(context, tx, change, decided, {
    name: session.by.name,
    at,
  });
  const details = { ...note.details, ...(without.length > 0 && { without }) };
  const moved = await changeStore.advance(tx, change, ruling.event, { ...note, ...more, details });
  if (moved === undefined || ruling.event.kind !== 'confirmed_happened') return;
  await endTwins(context, tx, moved, at);
  await settleAccess(tx, changeStore, moved, at, { isProven: true });
  await noteUndone(tx, moved, at);
}

/** Keeps what was said of a change that was sent by break-glass. */
async function saveReview(
  { changeStore }: SendContext,
  tx: Tx,
  change: Change,
  { says, ...note }: TransitionNote & Pick<PostReview, 'says'>,
): Promise<void> {
  const review: PostReview = { by: note.by, at: note.at, says };
  const reviewed = await touchChange(tx, change, { post_review: JSON.stringify(review) });
  if (reviewed) await changeStore.remark(tx, reviewed, 'post_review', note);
}
