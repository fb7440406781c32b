import { touchChange, type Change, isPartOfBatch } from '../storage/changes.ts';
import { unowned } from '../storage/lease.ts';
import { listVotes } from '../storage/votes.ts';
import { toldPeople, whomToAsk, askedPeople } from '../access/approver-lookup.ts';
import { askersOf, authorizationOf, type Authorization } from '../access/authorization.ts';
import { enoughApprove, tooFewApprove } from '../access/nobody-approves.ts';
import { namesWith } from '../access/visibility.ts';
import { approvalRequest, reminder } from '../change/asked-in.ts';
import { opsIfTooFew, askAgain, pleaseCheck } from '../change/replies.ts';
import { enqueueCopies, tellingOf, wasUnknown } from '../change/change-messages.ts';
import { reparse } from '../language/reparse.ts';
import { hourMs } from '../words/duration.ts';
import { idsOf } from '../policy/memberships.ts';
import type { SendContext } from './context.ts';
import type { Tx } from '../storage/database.ts';
import { locksOf } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { joined, say, type Text } from '../words/text.ts';
import { lockedName } from '../access/targets.ts';
import { evidence, noEvidence, stillUnknown, whoCloses } from '../change/unknown-replies.ts';
import { closersOf, endingOf, type Closers } from '../change/closers.ts';
import { readBack } from './follow.ts';
import { headingOf } from '../change/freeze.ts';
import { decisionButtons } from '../change/buttons.ts';

/** Changes that wait for people: when they are reminded, and what is read meanwhile of an unknown outcome. */

const lastMinutesMs = 10 * 60_000;

/** When a waiting change is due: at half its time, ten minutes before its end (reminders), and at its end. Epoch ms. */
export function nextReminder(asked: number, expires: number, now: number): number {
  const half = asked + Math.floor((expires - asked) / 2);
  const moments = [half, expires - lastMinutesMs].filter((at) => at >= half && at > now);
  return Math.min(expires, ...moments);
}

/** Delays between reminders of an unknown outcome; the last one repeats. */
const remindAfterMs = [hourMs, 4 * hourMs, 12 * hourMs, 24 * hourMs];

/** When the next reminder of an unknown outcome is due after this many, epoch ms. Counted from now, so downtime adds no reminders. */
export const nextReminderOfUnknown = (reminders: number, now: number): number =>
  now + (remindAfterMs[Math.min(reminders, remindAfterMs.length - 1)] ?? hourMs);

/** How often somebody is looked for who can approve what nobody can. Slack says anew who is a member once a minute. */
const lookAgainMs = 60_000;

/** When a waiting change is due, epoch ms: for a reminder, its end, or to see whether somebody can approve it by now. */
export const nextLook = (
  { created_at, expires_at }: Pick<Change, 'created_at' | 'expires_at'>,
  { asks }: Pick<Authorization, 'asks'>,
  now: number,
): number =>
  tooFewApprove(asks) === undefined
    ? nextReminder(created_at, expires_at, now)
    : Math.min(expires_at, now + lookAgainMs);

/**
 * Reminds people who have not approved yet: directly, and in the thread without mentioning them again. If enough people
 * can approve now and could not before, or the reverse, it asks anew, or says so.
 */
export async function remind(context: SendContext, change: Change): Promise<void> {
  const { database, changeStore, policy } = context;
  const before = authorizationOf(change);
  const now = (await askedAnew(context, change, before)) ?? before;
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const due_at = nextLook(change, now, at);
    const touched = await touchChange(tx, change, { authorization: JSON.stringify(now), due_at, ...unowned });
    if (touched === undefined) return;
    if (now !== before) {
      await enqueueCopies(tx, touched, at);
      const reply = { text: approvalRequest(touched) };
      const note = { by: 'sitehand', at, reply, details: { asks: now.asks }, ...opsIfTooFew(touched) };
      return changeStore.remark(tx, touched, 'asked_anew', note);
    }
    if (tooFewApprove(now.asks)) return;
    const votes = await listVotes(tx, change.number);
    const voted = votes.flatMap(({ person }) => idsOf(policy(), person));
    const tell = toldPeople(now).filter((id) => !voted.includes(id));
    await changeStore.remark(tx, touched, 'reminded', { by: 'sitehand', at, reply: reminder(change, voted), tell });
  });
}

/** Whom to ask from now on, if it is certain that enough people can approve now and too few could, or the reverse. */
async function askedAnew(
  context: SendContext,
  change: Change,
  before: Authorization,
): Promise<Authorization | undefined> {
  const reparsed = before.approval === 'none' ? undefined : reparse(change, namesWith(context, change));
  if (before.approval === 'none' || reparsed === undefined) return undefined;
  const now = await whomToAsk(context, before.approval, reparsed.resolved, askersOf(change));
  const isMoved = tooFewApprove(before.asks) ? enoughApprove(now.asks) : tooFewApprove(now.asks) !== undefined;
  return isMoved ? { ...before, ...now } : undefined;
}

const evidenceWithinMs = hourMs;
const evidenceAgainMs = 15_000;

/** One step of an unknown change: evidence first, reminders later. */
export const reconcile = (context: SendContext, change: Change): Promise<void> =>
  change.reminders === null ? gatherEvidence(context, change) : remindOfUnknown(context, change);

/** Posts what can be read, but doesn't act on it. If the host can't be read, tries again later. */
async function gatherEvidence(context: SendContext, change: Change): Promise<void> {
  const { seen, closers } = await lookAgain(context, change);
  await context.database.transaction(async (tx) => {
    const at = await context.database.now(tx);
    const isLater =
      (seen.proof ?? seen.traces) === 'trouble' && at - (change.sent_at ?? change.created_at) < evidenceWithinMs;
    const next = isLater ? { due_at: at + evidenceAgainMs } : { due_at: nextReminderOfUnknown(0, at), reminders: 0 };
    const touched = await touchChange(tx, change, { ...next, ...unowned });
    if (touched === undefined || isLater) return;
    const toTell = notYetTold(touched, closers);
    const who = toTell.length > 0 || closers.people.length === 0 ? whoCloses(touched, closers) : undefined;
    const text = joined([shownBy(seen) ?? noEvidence, who]);
    // The ops channel has the alarm, so it hears only of what adds something to that.
    const ops = shownBy(seen) !== undefined || who !== undefined;
    const note = { by: 'sitehand', at, reply: { text }, ops, details: { ...seen, closers } };
    await context.changeStore.remark(tx, touched, 'evidence', note);
    // For a part of a batch, the batch tells people.
    for (const person of isPartOfBatch(touched) ? [] : toTell) await tellCloser(context, tx, touched, person, text, at);
  });
}

/** Reminds in the thread, in the ops channel, and those who can close it. */
async function remindOfUnknown(context: SendContext, change: Change): Promise<void> {
  const { seen, closers } = await lookAgain(context, change);
  await context.database.transaction(async (tx) => {
    const at = await context.database.now(tx);
    const reminders = (change.reminders ?? 0) + 1;
    const due_at = nextReminderOfUnknown(reminders, at);
    const touched = await touchChange(tx, change, { due_at, reminders, ...unowned });
    if (touched === undefined) return;
    const locks = await locksOf(tx, touched.number, at);
    const locked = locks.map((lock) => ({ name: lockedName(touched, lock), until: lock.until }));
    const again = askAgain(touched);
    const text = stillUnknown(touched, { at, locked, shown: shownBy(seen), closers, again: again.says });
    const note = { by: 'sitehand', at, reply: { text, buttons: again.buttons }, decide: true, ops: true };
    const about = { tell: toRemind(touched, closers), details: { reminders, closers } };
    await context.changeStore.remark(tx, touched, 'unknown_reminded', { ...note, ...about });
  });
}

/** What can be read, and who can close it. If the arguments can't be parsed any more, that is unknown. */
async function lookAgain(context: SendContext, change: Change) {
  const reparsed = reparse(change, namesWith(context, change));
  const seen = await readBack(context, change, reparsed);
  const unknown: Closers = { people: [], byUnlock: false, anybody: undefined };
  const ending = reparsed && endingOf(change, reparsed, context.company());
  return { seen, closers: ending ? await closersOf(context, ending) : unknown };
}

const shownBy = ({ proof, traces }: Awaited<ReturnType<typeof readBack>>): Text | undefined => {
  if (proof && proof !== 'trouble') return evidence(proof);
  return traces === 'trouble' ? undefined : traces;
};

/** The closers, if none of them got the first alarm: some approvers of that time may have lost the right. */
function notYetTold(change: Change, { people }: Closers): readonly string[] {
  const told = new Set([
    ...askedPeople(authorizationOf(change)),
    ...(neededNoApproval(change) ? [change.requester] : []),
  ]);
  return people.some((id) => told.has(id)) ? [] : people;
}

/** If no approval was needed and the requester can close it, only they are reminded: the others would be too many. */
const toRemind = (change: Change, { people }: Closers): readonly string[] =>
  neededNoApproval(change) && people.includes(change.requester) ? [change.requester] : people;

const neededNoApproval = (change: Change): boolean => authorizationOf(change).approval === 'none';

/** Sends a closer the decision buttons: the first alarm went to the approvers only. */
async function tellCloser(context: SendContext, tx: Tx, change: Change, recipient: string, says: Text, at: number) {
  const under = (says: Text): Text => say`${headingOf(change)}\n${says}`;
  const telling = tellingOf(change, {
    text: under(say`⚠️ **Outcome unknown.** ${says} ${pleaseCheck(change)}`),
    lasting: under(wasUnknown),
    buttons: decisionButtons(change, context.database.installation),
  });
  const key = `${change.number}:closer:${change.version}:${recipient}`;
  await enqueueMessage(tx, { ...telling, key, kind: 'direct', recipient, at, decides: true });
}
