import { Refusal } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { samePerson } from '../../policy/people.ts';
import { findChange, holdChange, type Change } from '../../storage/changes.ts';
import type { Tx } from '../../storage/database.ts';
import { alone } from '../../storage/sql-dialect.ts';
import { closeInbox } from '../../storage/inbox.ts';
import { approvals, castVote, type Vote } from '../../storage/votes.ts';
import { scrub } from '../../secret.ts';
import { joined, say, type Text } from '../../text.ts';
import { LockHeld, type ChangeStore, type TransitionNote } from '../changes/change-store.ts';
import { mayEnd, rule, type VoteContext, type DecisionResult } from '../changes/approve.ts';
import type { ApproverContext } from '../access/approver-lookup.ts';
import { assertMember, type Person } from '../access/authorise.ts';
import { coolsDown } from '../changes/change.ts';
import { closersOf, endingOf } from '../changes/closers.ts';
import type { Bookkeeping } from './outcome.ts';
import { hiddenBy, namesWith, readerOf } from '../access/visibility.ts';
import { freshVoters, recheck, type Recheck } from '../changes/recheck.ts';
import type { ShownVersion, DecisionKind } from '../changes/card.ts';
import { restore, wordsOfChange, type Restored } from '../language/reparse.ts';
import { settleAccess } from '../changes/timed-access.ts';
import { approved, closed, counted, ended, lockedBy, markFor, nothingSent, notSent } from '../changes/replies.ts';
import { groupsOf, membersUnknown } from '../access/unknown-groups.ts';
import { readSetting } from '../../storage/kv.ts';
import { pauseKey } from './admin-actions.ts';

/** What decisions need: the rights and looks of just before a send, and the ledger. */
export type DecisionDesk = Recheck & ApproverContext & Bookkeeping & { readonly onSaved: () => void };

/** Somebody's decision, as it was delivered; believed no further than who pressed which button. */
export type Decided = ShownVersion & {
  readonly verdict: DecisionKind;
  readonly person: string;
  readonly team: string | undefined;
  readonly reason?: string | undefined;
  /** The delivery that this answers. */
  readonly inbox: string | undefined;
};

const maxReasonLength = 500;
/** Decisions that somebody may make whom nobody asked, where nobody else is left. */
const ends: ReadonlySet<DecisionKind> = new Set(['decline', 'happened', 'did not happen']);
/** How often the votes are read again because somebody voted meanwhile. */
const maxRecounts = 5;

/**
 * Decides: rights, target and drift asked afresh, then one transaction in which the database alone says who was first.
 * Resolves when it is saved; throws `Refusal` for whoever came too late, may not, or could not be checked.
 */
export async function decide(context: DecisionDesk, decided: Decided): Promise<void> {
  if (decided.verdict === 'decline' && !decided.reason?.trim()) {
    throw new Refusal('Declining needs a reason. Nothing was done.', { field: 'reason' });
  }
  const { by, change, restored } = await present(context, decided);
  const ending = endingOf(change, restored, context.company());
  const policy = context.policy();
  const isSpare = mayEnd({ ...ending, policy, by }).kind === 'if nobody may';
  const anybody = isSpare && ends.has(decided.verdict) ? (await closersOf(context, ending)).anybody : true;
  const ballot = { ...ending, policy, by, anybody };
  for (let tries = 0; tries < maxRecounts; tries += 1) {
    const votes = await approvals(context.database.db, change.number);
    const voters = await freshVoters(context, change, votes);
    if (voters === undefined) throw couldNotCheck(say`Slack does not tell me who the other approvers are right now.`);
    // Whoever may not is told so before the host is asked anything.
    rule(decided, { ...ballot, voters, change, now: await context.database.now() });
    if (tries === 0 && decided.verdict === 'approve') await refuseIfMovedOn(context, change, decided);
    failpoint('click checked', change.number);
    if (await commit(context, decided, { ...ballot, voters, votes, restored })) {
      failpoint('click saved', change.number);
      return context.onSaved();
    }
  }
  throw couldNotCheck(say`Others are voting at the same moment.`);
}

type Present = { readonly by: Person; readonly change: Change; readonly restored: Restored };

/** Who decides of what, both as they are now. Whoever may not read the change gets the same words as if there were none. */
async function present(
  context: DecisionDesk,
  { installation, number, person, team, verdict }: Decided,
): Promise<Present> {
  if (installation !== context.database.installation) {
    throw new Refusal('This button belongs to another installation of me. Nothing was done.', {
      hint: 'Press the one that the other installation drew.',
    });
  }
  const change = await findChange(context.database.db, number);
  const role = ends.has(verdict) ? 'ender' : 'approver';
  const groups = change === undefined ? [] : groupsOf(context.policy(), change, role);
  const by = await context.whoIs(person, groups, team);
  if (by === undefined) throw couldNotCheck(say`Slack does not tell me right now who you are.`);
  assertMember(by);
  const mayRead = change !== undefined && readerOf(context, by)(change);
  const hidden = change === undefined || mayRead ? [] : hiddenBy(context, by, change);
  if (hidden.length > 0) throw couldNotCheck(membersUnknown(hidden));
  const restored = mayRead ? restore(change, namesWith(context, change)) : undefined;
  if (change === undefined || restored === undefined) {
    throw new Refusal(say`I know no change #${number} that you may read. Nothing was done.`);
  }
  return { by, change, restored };
}

const couldNotCheck = (why: Text): Refusal =>
  new Refusal(say`**I could not check this.** ${why} Nothing was sent, and nothing was changed by your click.`, {
    hint: 'Press it again in a minute.',
  });

/** Before an approval counts, everything it is about is asked once more; where that is not as it was, the change ends. */
async function refuseIfMovedOn(context: DecisionDesk, change: Change, { inbox }: Decided): Promise<void> {
  const checked = await recheck(context, change);
  if (checked.kind === 'as it was') return;
  if (checked.kind === 'later' || checked.kind === 'host trouble') throw couldNotCheck(checked.why);
  const kind = checked.kind === 'void' ? 'void' : 'supersede';
  const reply = notSent(checked.why, kind === 'void' ? undefined : wordsOfChange(change));
  const came = await context.database.transaction(async (tx) => {
    await alone(tx);
    // Where somebody was first, the person hears what came of that, and not what this would have been.
    if ((await holdChange(tx, change.number))?.version !== change.version) return 'second';
    const at = await context.database.now(tx);
    if (!(await answers(tx, inbox, at))) return 'too late';
    const note = { by: 'sitehand', at, reply, outcome: nothingSent(checked.why), tell: [change.asker] };
    await context.changeStore.advance(tx, change, { kind }, note);
    return 'first';
  });
  if (came === 'second') return;
  const says = say`**#${change.number} can no longer be approved.** ${nothingSent(checked.why)}`;
  throw came === 'first' ? new Ended(says) : new Refusal(says);
}

/** The click has ended the change, and its delivery is answered by that: whoever clicked is still to be told. */
export class Ended extends Refusal {}

/** Whether the delivery is still ours to answer: somebody may have been told already that nothing was done. */
const answers = async (tx: Tx, inbox: string | undefined, at: number): Promise<boolean> =>
  inbox === undefined || closeInbox(tx, inbox, at);

type Sitting = Omit<VoteContext, 'change' | 'now'> &
  Pick<Present, 'by' | 'restored'> & { readonly votes: readonly Vote[] };

/**
 * The one transaction: the change as it is now, and what the decision makes of it. False, with nothing written, where
 * somebody has voted since the votes were read: they have to be asked about first.
 */
async function commit(context: DecisionDesk, decided: Decided, sitting: Sitting): Promise<boolean> {
  const { database, changeStore } = context;
  try {
    return await database.transaction(async (tx) => {
      // Before the row, as everybody who moves a change does: nobody waits for another in a circle.
      await alone(tx);
      const change = await holdChange(tx, decided.number);
      const now = await database.now(tx);
      if (change === undefined || !(await answers(tx, decided.inbox, now))) return true;
      const votes = await approvals(tx, change.number);
      if (votes.length !== sitting.votes.length) throw new Recount();
      await apply(tx, changeStore, change, decided, sitting, now);
      return true;
    });
  } catch (error) {
    if (error instanceof Recount) return false;
    if (!(error instanceof LockHeld)) throw error;
    const says = lockedBy(error.lock, error.target);
    throw new Refusal(say`${says} Your approval was not counted.`, { hint: 'Approve it when it is free.' });
  }
}

class Recount extends Error {}

async function apply(
  tx: Tx,
  changeStore: ChangeStore,
  change: Change,
  decided: Decided,
  sitting: Sitting,
  at: number,
): Promise<void> {
  const ruling = rule(decided, { ...sitting, change, now: at });
  const { person, verdict, reason } = decided;
  // Said again it changes nothing, unless votes that did not count for a while do so again: then it is the last one.
  if (ruling.kind === 'vote' && sitting.votes.some((vote) => samePerson(sitting.policy, vote.person, person))) {
    throw new Refusal(say`You have approved #${change.number} already. Nothing was changed by your click.`);
  }
  const isPaused = (await readSetting(tx, pauseKey)) !== undefined;
  const note = { ...sayingOf(change, decided, sitting.by, ruling, isPaused), at };
  if (verdict === 'approve') {
    await castVote(tx, { change: change.number, person, verdict, reason: reason ?? null, version: change.version, at });
  }
  if (ruling.kind === 'vote') return changeStore.remark(tx, change, 'vote', { ...note, redraw: true });
  const moved = await changeStore.advance(tx, change, ruling.event, note);
  if (moved && ruling.event.kind === 'affirm') await settleAccess(tx, changeStore, moved, at, { isProven: true });
}

function sayingOf(
  change: Change,
  decided: Decided,
  by: Person,
  ruling: DecisionResult,
  isPaused: boolean,
): Omit<TransitionNote, 'at'> {
  // Everybody reads it, and it is kept: a key that somebody pasted must not be in it.
  const reason = decided.reason && scrub(decided.reason).slice(0, maxReasonLength);
  const base = { by: by.id, details: { name: by.name, verdict: decided.verdict, reason } };
  switch (decided.verdict) {
    case 'approve': {
      if (ruling.kind === 'move') {
        return { ...base, reply: approved(change, by.id, isPaused), decide: coolsDown(change), tell: [change.asker] };
      }
      const left = ruling.left.reduce((sum, { count }) => sum + count, 0);
      return { ...base, reply: counted(by.id, left, ruling.unknown) };
    }
    case 'decline':
      return { ...base, ...endedBy(change, ended('Declined', by.id, reason)) };
    case 'cancel':
      return { ...base, ...endedBy(change, ended('Cancelled', by.id)) };
    case 'stop':
      return { ...base, ...endedBy(change, ended('Stopped', by.id)) };
    case 'happened':
    case 'did not happen': {
      const happened = decided.verdict === 'happened';
      const says = closed(happened, by.id);
      const text = joined([markFor[happened ? 'affirm' : 'deny'], says]);
      const again = happened ? [] : notSent(says, wordsOfChange(change)).buttons;
      return { ...base, reply: { text, buttons: again ?? [] }, outcome: says, ops: true };
    }
  }
}

function endedBy(change: Change, says: Text): Pick<TransitionNote, 'reply' | 'outcome' | 'tell'> {
  const { buttons = [] } = notSent(says, wordsOfChange(change));
  return { reply: { text: say`⛔ ${says}`, buttons }, outcome: says, tell: [change.asker] };
}
