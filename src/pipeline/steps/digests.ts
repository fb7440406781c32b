import { mondaysAround } from '../../commands/kit/values/times.ts';
import { exclusiveTransaction } from '../../storage/exclusive-transaction.ts';
import { isAnyDue } from '../../storage/lease.ts';
import { enqueueMessage } from '../../storage/messages.ts';
import type { Tx } from '../../storage/tx.ts';
import { claimDigest, noteWatch, type Onward, type Watch } from '../../storage/watches.ts';
import { plain, type Text } from '../../text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../changes/card.ts';
import { createPoller, type Poller } from '../messages/poller.ts';
import * as notes from './digest-notes.ts';
import { readDigest } from './digest-reading.ts';
import { digestStanding, namesIn, digestScope } from './digest-standing.ts';
import { isDirect, type WatchChecks } from './watch-standing.ts';
import { auditDetails, enqueueNote } from './watches.ts';

const pollMs = 5_000;
/** Longer than all reads of a digest. */
const leaseMs = 240_000;
/** What can't be checked on Monday is tried again so often, for so long. */
const retryMs = 15 * 60_000;
const givesUpAfterMs = 24 * 3_600_000;

/** Creates what tells digests that are due, one at a time. `onNote` is called when there may be messages to post. */
export function createDigester(context: WatchChecks, onNote: () => void): Poller {
  const { database, owner } = context;
  const stopping = new AbortController();
  const onTrouble = (error: unknown): void => context.onTrouble('telling a digest', error);
  const look = async (): Promise<void> => {
    if (!(await isAnyDue(database, ['watches'], await database.now()))) return;
    const watch = await exclusiveTransaction(database, (tx, now) => claimDigest(tx, { owner, now, leaseMs }));
    if (watch === undefined) return;
    await tellDigest(context, watch, stopping.signal);
    onNote();
  };
  const poller = createPoller({ everyMs: pollMs, look, onTrouble });
  const stop = (): Promise<void> => {
    stopping.abort();
    return poller.stop();
  };
  return { ...poller, stop };
}

/** The next Monday after `now`, but no later than the end of the digest (epoch ms). */
export const nextDue = ({ zone, ends_at }: Pick<Watch, 'zone' | 'ends_at'>, now: number): number =>
  Math.min(mondaysAround(now, zone).next, ends_at);

async function tellDigest(context: WatchChecks, watch: Watch, stopping: AbortSignal): Promise<void> {
  const now = await context.database.now();
  if (now >= watch.ends_at)
    return move(context, watch, {
      onward: { endedAt: now, why: 'over' },
      note: notes.digestOverNote(watch),
      event: 'digest_end',
    });
  const standing = await digestStanding(context, watch);
  if (standing.kind === 'lost')
    return move(context, watch, {
      onward: { endedAt: now, why: standing.reason },
      note: notes.digestEndedNote(watch, standing.why),
      event: 'digest_end',
      why: standing.why,
      ...(standing.reason === 'no_channel' && { to: 'owner' }),
    });
  if (standing.kind === 'later') return later(context, watch, standing.why, now);
  if (standing.kind === 'unsure') return later(context, watch, membersUnknownQuietly(standing.groups), now);
  const { last, next } = mondaysAround(now, watch.zone);
  const findings = await readDigest(context, standing.owner, standing.envs, { now, stopping });
  // What was cut short by the stop of this process is read by the next one.
  if (stopping.aborted) return move(context, watch, { onward: { dueAt: now } });
  await move(context, watch, {
    onward: { dueAt: Math.min(next, watch.ends_at) },
    note: notes.digestNote(watch, standing, findings, now),
    event: 'digest_told',
    week: last.day,
  });
}

async function later(context: WatchChecks, watch: Watch, why: Text, now: number): Promise<void> {
  const { last, next } = mondaysAround(now, watch.zone);
  const since = watch.tried_at ?? now;
  if (now < since + givesUpAfterMs) return move(context, watch, { onward: { dueAt: now + retryMs }, since });
  await move(context, watch, {
    onward: { dueAt: Math.min(next, watch.ends_at) },
    note: notes.digestSkippedNote(watch, why, next),
    event: 'digest_skip',
    why,
    week: last.day,
  });
}

/** `week`: the Monday that is told with it, as `2026-11-23`. `since`: since when it can't be told (epoch ms). */
type Move = {
  readonly since?: number;
  readonly onward: Onward;
  readonly note?: Note;
  readonly event?: string;
  readonly why?: Text;
  readonly to?: 'owner';
  readonly week?: string;
};

/** Nothing is told or recorded if the digest was stopped or claimed by another replica meanwhile. */
async function move(context: WatchChecks, watch: Watch, of: Move): Promise<void> {
  const { onward, note, event, why, to, week, since = null } = of;
  await exclusiveTransaction(context.database, async (tx, at) => {
    const moved = await noteWatch(tx, watch, { tried_at: since }, onward);
    if (moved === undefined || event === undefined) return;
    if (note) await (week ? enqueueWeekly(tx, watch, note, week, at) : enqueueNote(tx, watch, note, at, to));
    const details = { about: namesIn(digestScope(watch)).join(', '), ...auditDetails(watch) };
    await context.changeStore.note(tx, {
      event,
      by: 'sitehand',
      at,
      details: { ...details, ...(week && { week }), ...(why && { reason: plain(why) }) },
    });
  });
}

/** One message for a channel and week: another digest in the same week edits it, so a clock set back adds none. */
const enqueueWeekly = (tx: Tx, watch: Watch, note: Note, day: string, at: number) =>
  enqueueMessage(tx, {
    key: `digest:${watch.channel}:${day}`,
    kind: isDirect(watch) ? 'direct' : 'notice',
    recipient: watch.channel,
    body: JSON.stringify(note),
    at,
  });
