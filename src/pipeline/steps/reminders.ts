import { redrawTold } from '../../storage/message-edits.ts';
import { touchChange, type Change } from '../../storage/changes.ts';
import { unowned } from '../../storage/lease.ts';
import { listVotes } from '../../storage/votes.ts';
import { toldPeople } from '../access/approver-lookup.ts';
import { authorizationOf } from '../access/authorization.ts';
import { reminder } from '../changes/asked-in.ts';
import { hourMs } from '../../duration.ts';
import { idsOf } from '../../policy/people.ts';
import type { StepsContext } from './context.ts';

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

/** Reminds people who have not approved yet: directly, and in the thread without mentioning them again. */
export async function remind({ database, changeStore, policy }: StepsContext, change: Change): Promise<void> {
  await database.transaction(async (tx) => {
    const at = await database.now(tx);
    const due_at = nextReminder(change.created_at, change.expires_at, at);
    const touched = await touchChange(tx, change, { due_at, ...unowned });
    if (touched === undefined) return;
    const votes = await listVotes(tx, change.number);
    const voted = votes.flatMap(({ person }) => idsOf(policy(), person));
    const tell = toldPeople(authorizationOf(change)).filter((id) => !voted.includes(id));
    // Somebody may have lost the right to see their copy and the reminder before this one, or got it back.
    await redrawTold(tx, at, change.number);
    const note = { by: 'sitehand', at, reply: reminder(change, voted), tell };
    await changeStore.remark(tx, touched, 'reminded', note);
  });
}
