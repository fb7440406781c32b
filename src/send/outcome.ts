import { parseStored } from '../storage/parse-json.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { failpoint } from '../base/failpoints.ts';
import { linesOfChanges } from '../storage/audit.ts';
import { findChange, touchChange, type Change } from '../storage/changes.ts';
import type { Tx } from '../storage/database.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';
import { unowned } from '../storage/lease.ts';
import { code, joined, say, type Text } from '../words/text.ts';
import type { TransitionNote } from '../change/change-messages.ts';
import { eventOf, isSameSend, lateEvent, tookNothing, type Outcome } from '../change/write-result.ts';
import { move, type ChangeEvent } from '../change/change.ts';
import { pinnedCardOf } from '../change/pin.ts';
import { lostCommitOf, pauseAfterLoss } from './lost-commit.ts';
import {
  againButton,
  alarm,
  answered,
  endsUnsent,
  forgotten,
  tryingAgain,
  unknownAfterLoss,
} from '../change/replies.ts';
import type { SendContext } from './context.ts';

/** Delays between attempts to save a receipt. The lease may end before the last one, after which it becomes unknown. */
const saveAgainAfterMs = [100, 400, 1_500, 5_000, 10_000, 15_000, 30_000];

/** The delay before another try if *sending* was not saved. */
const notBegunRetryMs = 5_000;

/** Saves an outcome, whatever state the row has now. One that can't move the change is noted in the thread and for ops. */
export async function saveOutcome(context: SendContext, sent: Change, outcome: Outcome): Promise<void> {
  const { number, version, request } = sent;
  context.onAnswer({ ...(request && { request }), change: number, version, outcome });
  if (tookNothing(outcome)) context.history.tookNothing(sent.number);
  failpoint('answered', sent.number);
  for (const afterMs of [0, ...saveAgainAfterMs]) {
    if (afterMs > 0) await wait(afterMs, undefined, { ref: false });
    try {
      // Serialized with all other moves.
      const row = await exclusiveTransaction(context.database, (tx, at) =>
        applyOutcome(context, tx, sent, outcome, at),
      );
      if (row) context.history.believe(row);
      failpoint('answer saved', sent.number);
      return;
    } catch (error) {
      context.onTrouble(`saving what came of #${sent.number}`, error);
    }
  }
}

/** Resolves with the new row, or undefined if there is no row. */
async function applyOutcome(context: SendContext, tx: Tx, sent: Change, outcome: Outcome, at: number) {
  const found = await findChange(tx, sent.number);
  if (found === undefined) {
    await reportMissing(context, tx, sent, outcome, at);
    return undefined;
  }
  if (outcome.kind === 'not sent' && isNotBegun(found, sent)) {
    await touchChange(tx, found, { due_at: at + notBegunRetryMs, ...unowned });
    return found;
  }
  if (wentOn(found, sent, outcome)) return found;
  const isOurs = isSameSend(found, sent);
  if (!isOurs && (await isRecorded(tx, sent, outcome))) return found;
  const isSetBack = disproves(outcome, found);
  const isSentAnew = found.state === 'sending' && !isOurs;
  if (isSetBack || isSentAnew) await pauseAfterLoss(context, tx, at, lostCommitOf(found));
  const row = isSetBack ? await markLost(context, tx, found, sent, outcome, at) : found;
  if (isSetBack && outcome.kind === 'unknown') return row;
  const event = isOurs ? eventOf(outcome) : await lateUnlessSetBack(tx, row, sent, outcome);
  return applyAnswer(context, tx, row, outcome, { event, isOurs }, at);
}

/** The row says unsent, and this says that it was or may have been sent. */
const disproves = (outcome: Outcome, { state }: Change): boolean =>
  (state === 'waiting' || state === 'approved') && !tookNothing(outcome);

/** Moves the row, or leaves a remark if it can't be moved. */
async function applyAnswer(
  { changeStore }: SendContext,
  tx: Tx,
  row: Change,
  outcome: Outcome,
  answered: Answered,
  at: number,
): Promise<Change> {
  const note = noteFor(row, outcome, answered, at);
  const moved = answered.event && (await changeStore.advance(tx, row, answered.event, note));
  if (moved === undefined) await changeStore.remark(tx, row, 'late_answer', note);
  return moved ?? row;
}

/** Whether the commit of *sending* failed: the row is unchanged and still ours. */
const isNotBegun = (found: Change, sent: Change): boolean =>
  found.state === 'approved' && found.version === sent.version - 1 && found.owner === sent.owner;

/** Somebody else has moved the change; ignore this answer. */
const wentOn = (found: Change, sent: Change, outcome: Outcome): boolean =>
  outcome.kind === 'not sent' && outcome.isBegun === 'not known' && found.sent_at !== sent.sent_at;

/**
 * As `lateEvent`. If a failover or a restore made the change unknown, a later send may be lost, so this unsent
 * attempt doesn't end it.
 */
async function lateUnlessSetBack(
  tx: Tx,
  row: Change,
  sent: Change,
  outcome: Outcome,
): Promise<ChangeEvent | undefined> {
  const event = lateEvent(outcome, row, sent);
  if (event?.kind !== 'send_aborted_late') return event;
  const lost = await linesOfChanges(tx, [sent.number], { events: ['outcome_lost'] });
  const isSetBack = lost.some(({ details }) => parseStored<{ readonly found?: unknown }>(details).found !== undefined);
  return isSetBack ? undefined : event;
}

/** The row says unsent, and the answer disproves that: mark it unknown before applying the answer. */
async function markLost(
  context: SendContext,
  tx: Tx,
  row: Change,
  { sent_at }: Change,
  outcome: Outcome,
  at: number,
): Promise<Change> {
  const sentAt = sent_at ?? at;
  const messages =
    outcome.kind === 'unknown'
      ? alarm({ ...row, sent_at: sentAt }, unknownAfterLoss(sentAt))
      : { reply: { text: forgotten(sentAt) } };
  const note = { by: 'sitehand', at, details: { receipt: outcome }, ...messages };
  return (await context.changeStore.advance(tx, row, { kind: 'commit_lost', sentAt }, note)) ?? row;
}

/** The database was set back to before this change, so there is no thread; tells the ops channel. */
async function reportMissing(context: SendContext, tx: Tx, sent: Change, outcome: Outcome, at: number): Promise<void> {
  const { title } = pinnedCardOf(sent);
  const came = outcome.kind === 'not sent' ? say`Nothing was written.` : answered(outcome, sent);
  // There is no `change <n>` that could name it.
  const operation =
    outcome.kind === 'accepted' && outcome.operation ? say`It is ${code(outcome.operation)} there.` : [];
  const says = joined([say`It no longer knows #${sent.number} (${title}). ${came}`, operation]);
  await pauseAfterLoss(context, tx, at, { key: `${sent.number}:0`, says });
}

/** Whether an earlier attempt to save was committed: saving again would repeat the answer as a late one. */
async function isRecorded(tx: Tx, sent: Change, outcome: Outcome): Promise<boolean> {
  const events = [eventOf(outcome).kind, 'accept_late', 'reject_late', 'send_aborted_late', 'late_answer'];
  const answer = JSON.stringify(outcome.kind === 'not sent' ? undefined : outcome);
  return (await linesOfChanges(tx, [sent.number], { events })).some(({ details }) => {
    const { version, receipt } = parseStored<{ readonly version: number; readonly receipt?: unknown }>(details);
    return version > sent.version && JSON.stringify(receipt) === answer;
  });
}

/** `isOurs`: the answer belongs to the send that the row records. */
type Answered = { readonly event: ChangeEvent | undefined; readonly isOurs: boolean };

function noteFor(change: Change, outcome: Outcome, { event, isOurs }: Answered, at: number): TransitionNote {
  const base = { by: 'sitehand', at };
  if (outcome.kind === 'not sent') return unsentNote(change, event, at, say`I wrote nothing: ${outcome.why}.`);
  const text = answered(outcome, change);
  const note = { ...base, details: { receipt: outcome }, also: { receipt: JSON.stringify(outcome) } };
  if (outcome.kind === 'throttled') {
    const attempted = event ? retryNote(change, event, at, text) : { ...base, reply: { text } };
    return { ...note, ...attempted, details: { ...attempted.details, ...note.details } };
  }
  if (event === undefined && outcome.kind !== 'unknown') {
    const reply = { text: say`⚠️ **The host answered after this had ended here.** ${text}` };
    return { ...note, reply, ops: true, tell: [change.requester] };
  }
  const isLate = event?.kind.endsWith('late') === true;
  const says = isLate ? say`${answeredLate} ${text}` : text;
  // A routine change gets one reply, at its end; until then its card shows the send.
  if (isOurs && event?.kind === 'accept' && change.risk === 'routine') return note;
  if (outcome.kind === 'accepted') return { ...note, ...acceptedNote(change, says, isLate) };
  if (outcome.kind === 'unknown') return { ...note, ...alarm(change, text) };
  const reply = { text: joined(['❌', says]), buttons: [againButton(change)] };
  return { ...note, reply, lastNote: text, tell: [change.requester] };
}

const answeredLate = say`The answer came late.`;

/** Whoever was alarmed hears of a late answer. */
const acceptedNote = (change: Change, text: Text, isLate: boolean): Pick<TransitionNote, 'reply' | 'tell'> =>
  isLate ? { reply: { text, lasting: answeredLate }, tell: [change.requester] } : { reply: { text } };

function unsentNote(change: Change, event: ChangeEvent | undefined, at: number, why: Text): TransitionNote {
  if (event === undefined) return { by: 'sitehand', at, reply: { text: why } };
  return event.kind === 'send_aborted_late' ? endedLate(change, event, at, why) : retryNote(change, event, at, why);
}

/** The ops channel was told that it is unknown. */
function endedLate(change: Change, event: ChangeEvent, at: number, why: Text): TransitionNote {
  const late = say`${why} I couldn't save that in time, so it was unknown until now.`;
  return { ...retryNote({ ...change, lost_at: null }, event, at, late), ops: true };
}

/** The note for an attempt that sent nothing: when the next attempt is, or that there is none. */
export function retryNote(change: Change, event: ChangeEvent, at: number, why: Text): TransitionNote {
  const next = move(change, event, at)?.patch;
  const base = { by: 'sitehand', at, details: { why } };
  if (next?.state === 'approved') return { ...base, reply: { text: tryingAgain(why, next.due_at ?? at) } };
  return { ...base, ...endsUnsent(change, 'expire', why) };
}
