import { touchChange, type Change } from '../storage/changes.ts';
import { unowned } from '../storage/lease.ts';
import { listVotes } from '../storage/votes.ts';
import { eachOnce, toldPeople, whomToAsk } from '../access/approver-lookup.ts';
import { askersOf, authorizationOf, waitedUntil, type Authorization } from '../access/authorization.ts';
import { enoughApprove, tooFewApprove } from '../access/nobody-approves.ts';
import { namesWith } from '../access/visibility.ts';
import { approvalRequest, escalation, reminder } from '../change/asked-in.ts';
import { opsIfTooFew } from '../change/replies.ts';
import { enqueueCopies } from '../change/change-messages.ts';
import { heldByFreeze } from '../change/recheck.ts';
import { reparse } from '../language/reparse.ts';
import { hourMs } from '../words/duration.ts';
import { idsOf } from '../policy/memberships.ts';
import { lookAgainInFreeze } from './held-by-freeze.ts';
import type { SendContext } from './context.ts';

/** When people are reminded of what waits for them, and reminding those who have not approved. */

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

/**
 * When a waiting change is due, epoch ms: for a reminder, its end, to ask those to whom it escalates, or to see whether
 * somebody can approve it by now.
 */
export function nextLook(
  { created_at, expires_at }: Pick<Change, 'created_at' | 'expires_at'>,
  { asks = [] }: Pick<Authorization, 'asks'>,
  now: number,
): number {
  const isInVain = tooFewApprove(asks) !== undefined;
  const next = isInVain ? now + lookAgainMs : nextReminder(created_at, expires_at, now);
  return Math.min(expires_at, next, ...escalationsOf({ created_at }, { asks }).filter((at) => at > now));
}

/** When it escalates, as far as that was not followed yet, epoch ms. */
export const escalationsOf = (
  { created_at }: Pick<Change, 'created_at'>,
  { asks = [] }: Pick<Authorization, 'asks'>,
): readonly number[] => asks.flatMap(({ escalate }) => (escalate ? [created_at + escalate.after] : []));

/**
 * Reminds people who have not approved yet: directly, and in the thread without mentioning them again. If enough people
 * can approve now and could not before, or the reverse, it asks anew, or says so. Once it escalates, it asks whoever can
 * approve it from then on. Nobody is asked for an approval that a freeze would refuse: that waits for its end.
 */
export async function remind(context: SendContext, change: Change): Promise<void> {
  const { database, changeStore, policy } = context;
  const held = await heldByFreeze(context, change);
  if (held)
    return database.transaction(async (tx) => {
      const due_at = lookAgainInFreeze(change, held)(await database.now(tx));
      await touchChange(tx, change, { due_at, ...unowned });
    });
  const before = authorizationOf(change);
  // A moment that comes meanwhile is not missed: the change is due again at once.
  const asOf = await database.now();
  const now = (await askedAnew(context, change, before, asOf)) ?? before;
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const due_at = nextLook(change, now, asOf);
    const touched = await touchChange(tx, change, { authorization: JSON.stringify(now), due_at, ...unowned });
    if (touched === undefined) return;
    if (now !== before) {
      await enqueueCopies(tx, touched, at);
      const isInVain = [before.asks, now.asks].some((asks) => tooFewApprove(asks) !== undefined);
      const reply = { text: isInVain ? approvalRequest(touched) : escalation(touched, before.asks) };
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

/**
 * Whom to ask from now on (epoch ms), if it has escalated since, or if it is certain that enough people can approve now
 * and too few could, or the reverse.
 */
async function askedAnew(
  context: SendContext,
  change: Change,
  before: Authorization,
  at: number,
): Promise<Authorization | undefined> {
  const { waited } = waitedUntil(change, at);
  const reparsed = before.approval === 'none' ? undefined : reparse(change, namesWith(context, change));
  if (before.approval === 'none' || reparsed === undefined) return undefined;
  const now = await whomToAsk(context, before.approval, reparsed.resolved, { ...askersOf(change), waited });
  const isEscalated = before.asks?.some(({ escalate }) => escalate && waited >= escalate.after);
  const isMoved = tooFewApprove(before.asks) ? enoughApprove(now.asks) : tooFewApprove(now.asks) !== undefined;
  if (isMoved) return { ...before, ...now };
  // Whoever was told already goes on being reminded, also if Slack doesn't say right now who they are.
  const told = eachOnce(context.policy(), [...toldPeople(before), ...now.told]);
  return isEscalated ? { ...before, ...now, told } : undefined;
}
