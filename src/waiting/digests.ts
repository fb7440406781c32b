import { weeklyAround } from '../commands/kit/values/times.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { exclusiveTransaction } from '../storage/exclusive-transaction.ts';
import { isAnyDue } from '../storage/lease.ts';
import { claimDigest, type Watch } from '../storage/watches.ts';
import type { Text } from '../words/text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../change/card.ts';
import { createPoller, type Poller } from '../post/poller.ts';
import type { SendContext } from '../send/context.ts';
import * as notes from './digest-notes.ts';
import { readDigest } from './digest-reading.ts';
import { digestStanding } from './digest-standing.ts';
import { endLost, moveWatch } from './watches.ts';
import { hourMs } from '../words/duration.ts';

/** When digests are told, in the time zone of their owner. */
const toldAt = { weekday: 1, clock: '09:00' } as const;
const pollMs = 5_000;
/** Longer than all reads of a digest. */
const leaseMs = 240_000;
/** If the checks can't be made on Monday, they are retried this often, for this long. */
const retryMs = 15 * 60_000;
const givesUpAfterMs = 24 * hourMs;

/** Creates what tells digests that are due, one at a time. `onNote` is called when there may be messages to post. */
export function createDigester(context: SendContext, onNote: () => void): Poller {
  const { database, owner } = context;
  const onTrouble = (error: unknown): void => context.onTrouble('telling a digest', error);
  const look = async (stopping: AbortSignal): Promise<void> => {
    if (!(await isAnyDue(database, ['watches'], await database.now()))) return;
    const watch = await exclusiveTransaction(database, (tx, now) => claimDigest(tx, { owner, now, leaseMs }));
    if (watch === undefined) return;
    await tellDigest(context, watch, stopping);
    onNote();
  };
  return createPoller({ everyMs: pollMs, look, onTrouble });
}

/** The next Monday after `now`, or the end of the digest if that comes first (epoch ms). */
export const nextDue = ({ zone, ends_at }: Pick<Watch, 'zone' | 'ends_at'>, now: number): number =>
  Math.min(weeklyAround(toldAt, now, zone).next, ends_at);

async function tellDigest(context: SendContext, watch: Watch, stopping: AbortSignal): Promise<void> {
  const now = await context.database.now();
  if (now >= watch.ends_at)
    return moveWatch(context, watch, {
      onward: { endedAt: now, why: 'over' },
      notes: [notes.digestOverNote(watch)],
      event: 'digest_end',
    });
  const standing = await digestStanding(context, watch);
  if (standing.kind === 'lost') return endLost(context, watch, standing, now);
  if (standing.kind === 'later') return later(context, watch, standing.why, now);
  if (standing.kind === 'unsure') return later(context, watch, membersUnknownQuietly(standing.groups), now);
  const findings = await readDigest(context, standing.owner, standing.envs, { now, stopping });
  // If this process is stopping, the next one reads everything again.
  if (stopping.aborted) return moveWatch(context, watch, { patch: { tried_at: null }, onward: { dueAt: now } });
  const note = notes.digestNote(watch, standing, findings, now);
  await moveWatch(context, watch, { ...weekly(watch, note, now, standing.envs), event: 'digest_told' });
}

async function later(context: SendContext, watch: Watch, why: Text, now: number): Promise<void> {
  const since = watch.tried_at ?? now;
  if (now < since + givesUpAfterMs)
    return moveWatch(context, watch, { patch: { tried_at: since }, onward: { dueAt: now + retryMs } });
  const note = notes.digestSkippedNote(watch, why, weeklyAround(toldAt, now, watch.zone).next);
  await moveWatch(context, watch, { ...weekly(watch, note, now), event: 'digest_skip', why });
}

/** One message per channel and week: another digest in the same week edits it, so a clock set back adds no message. */
function weekly(watch: Watch, note: Note, now: number, about?: readonly Environment[]) {
  const week = weeklyAround(toldAt, now, watch.zone).last.day;
  const place = { key: `digest:${watch.channel}:${week}`, ...(about && { about }) };
  return { patch: { tried_at: null }, onward: { dueAt: nextDue(watch, now) }, notes: [note], place, details: { week } };
}
