import { touchChange, type Change, isPartOfBatch } from '../storage/changes.ts';
import { unowned } from '../storage/lease.ts';
import { askedPeople } from '../access/approver-lookup.ts';
import { askersMayClose, authorizationOf } from '../access/authorization.ts';
import { namesWith } from '../access/visibility.ts';
import { askAgain, pleaseCheck } from '../change/replies.ts';
import { tellingOf } from '../change/change-messages.ts';
import { wasUnknown } from '../change/told.ts';
import { reparse } from '../language/reparse.ts';
import { hourMs } from '../words/duration.ts';
import type { SendContext } from './context.ts';
import type { Tx } from '../storage/database.ts';
import { locksOf } from '../storage/locks.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { joined, say, type Text } from '../words/text.ts';
import { lockedName } from '../access/targets.ts';
import { evidence, noEvidence, stillUnknown, whoCloses } from '../change/unknown-replies.ts';
import { closersOf, endingOf, type Closers } from '../change/closers.ts';
import { readBack } from './follow.ts';
import { headingOf } from '../change/pin.ts';
import { decisionButtons } from '../change/buttons.ts';
import { nextReminderOfUnknown } from './reminders.ts';

/** Handles an unknown outcome until a person closes it: reads evidence and reminds people. */

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
  const now = await context.database.now();
  const reparsed = reparse(change, namesWith(context, change));
  const seen = await readBack(context, change, reparsed);
  const unknown: Closers = { people: [], byUnlock: false, anybody: undefined };
  const ending = reparsed && endingOf(change, reparsed, context.company(), now);
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
    ...(askersMayClose(change) ? [change.requester] : []),
  ]);
  return people.some((id) => told.has(id)) ? [] : people;
}

/** If no approval was needed and the requester can close it, only they are reminded: the others would be too many. */
const toRemind = (change: Change, { people }: Closers): readonly string[] =>
  askersMayClose(change) && people.includes(change.requester) ? [change.requester] : people;

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
