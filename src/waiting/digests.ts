import { weeklyAround } from '../commands/kit/values/times.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Digest } from '../storage/waiting.ts';
import type { Text } from '../words/text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../change/card.ts';
import type { SendContext } from '../send/context.ts';
import * as notes from './digest-notes.ts';
import { readDigest } from './digest-reading.ts';
import { digestStanding } from './digest-standing.ts';
import { waitingKind, type DueKind } from './due-turns.ts';
import { endLost, moveWatch } from './watches.ts';
import { hourMs } from '../words/duration.ts';

/** When digests are told, in the time zone of their owner. */
const toldAt = { weekday: 1, clock: '09:00' } as const;
/** Longer than all reads of a digest. */
const leaseMs = 240_000;
/** If the checks can't be made on Monday, they are retried this often, for this long. */
const retryMs = 15 * 60_000;
const givesUpAfterMs = 24 * hourMs;

/** Tells digests, one at a time. */
export const digestTelling = (context: SendContext): DueKind =>
  waitingKind('digest', { what: 'digest', atOnce: 1, leaseMs }, async (digest, stopping) =>
    tellDigest(context, digest, stopping),
  );

/** The next Monday after `now`, or the end of the digest if that comes first (epoch ms). */
export const nextDue = ({ zone, expires_at }: Pick<Digest, 'zone' | 'expires_at'>, now: number): number =>
  Math.min(weeklyAround(toldAt, now, zone).next, expires_at);

async function tellDigest(context: SendContext, digest: Digest, stopping: AbortSignal): Promise<void> {
  const now = await context.database.now();
  if (now >= digest.expires_at)
    return moveWatch(context, digest, {
      notes: [notes.digestOverNote(digest)],
      event: 'digest_end',
    });
  const standing = await digestStanding(context, digest);
  if (standing.kind === 'lost') return endLost(context, digest, standing);
  if (standing.kind === 'later') return later(context, digest, standing.why, now);
  if (standing.kind === 'unsure') return later(context, digest, membersUnknownQuietly(standing.groups), now);
  const findings = await readDigest(context, standing.owner, standing.envs, { now, stopping });
  // If this process is stopping, the next one reads everything again.
  if (stopping.aborted) return moveWatch(context, digest, { patch: { tried_at: null }, dueAt: now });
  const note = notes.digestNote(digest, standing, findings, now);
  await moveWatch(context, digest, { ...weekly(digest, note, now, standing.envs), event: 'digest_told' });
}

async function later(context: SendContext, digest: Digest, why: Text, now: number): Promise<void> {
  const since = digest.tried_at ?? now;
  if (now < since + givesUpAfterMs)
    return moveWatch(context, digest, { patch: { tried_at: since }, dueAt: now + retryMs });
  const note = notes.digestSkippedNote(digest, why, weeklyAround(toldAt, now, digest.zone).next);
  await moveWatch(context, digest, { ...weekly(digest, note, now), event: 'digest_skip', why });
}

/** One message per channel and week: another digest in the same week edits it, so a clock set back adds no message. */
function weekly(digest: Digest, note: Note, now: number, about?: readonly Environment[]) {
  const week = weeklyAround(toldAt, now, digest.zone).last.day;
  const place = { key: `digest:${digest.channel}:${week}`, ...(about && { about }) };
  return { patch: { tried_at: null }, dueAt: nextDue(digest, now), notes: [note], place, details: { week } };
}
