import type { NewKinds } from '../commands/kit/log-query.ts';
import { watching } from '../hosting/contract/call.ts';
import { getLogs, logFiles } from '../hosting/contract/environment.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { countWaiting, type Watch } from '../storage/waiting.ts';
import { amount, say, time, type Text } from '../words/text.ts';
import { whyUnread } from '../hosting/host-trouble.ts';
import type { Note } from '../change/card.ts';
import type { SendContext } from '../send/context.ts';
import { waitingKind, type DueKind } from './due-turns.ts';
import * as notes from './watch-notes.ts';
import {
  heldIn,
  withTrouble,
  watchProgress,
  withKinds,
  type News,
  type Trouble,
  type WatchProgress,
} from './watch-limits.ts';
import { watchStanding, storedEnvironment } from './standing.ts';
import { dayMs, hourMs, minuteMs } from '../words/duration.ts';
import { type WatchStep, moveWatch, endLost, quietEnd } from './telling.ts';

/** Longer than a read with all of its retries, plus the analysis. */
const leaseMs = 240_000;
const maxAtOnce = 2;
/** How many reads all watches of all replicas may begin per minute. Each may take three tries; the host allows 35. */
const readsPerMinute = 8;
const minIntervalMs = 5 * minuteMs;
/** When a watch that has ended tries again to tell what it holds back. */
const laterMs = 15 * minuteMs;
const maxLines = 20_000;
/** How far before the last look a read begins, so that the lines are shown to cover 24 hours. */
const backMs = 36 * hourMs;
/** How late a line may arrive in the host's log. */
const lateMs = 10 * minuteMs;

/** The time between two looks of a watch (ms). It grows with the number of watches, so that all get their turn. */
export const intervalMs = (watches: number): number =>
  Math.max(minIntervalMs, Math.ceil((1.25 * watches * minuteMs) / readsPerMinute));

export const watchLooks = (context: SendContext): DueKind =>
  waitingKind(
    'watch',
    { what: 'watch', atOnce: maxAtOnce, perMinute: readsPerMinute, leaseMs, mayBegin: context.hasLogRoom },
    async (watch) => lookFor(context, watch),
  );

/** One look: checks the rights, reads the log, and tells what is new. A failed look is tried again at the next one. */
async function lookFor(context: SendContext, watch: Watch): Promise<void> {
  const now = await context.database.now();
  if (now >= watch.expires_at) return endInTime(context, watch, now);
  const standing = await watchStanding(context, watch);
  if (standing.kind === 'lost') return endLost(context, watch, standing);
  if (standing.kind === 'unsure') return pause(context, watch, standing.groups);
  if (standing.kind === 'later') return unread(context, watch, standing.why);
  const { env } = standing;
  const read = await readLog(context, watch, env, now);
  if ('why' in read) return unread(context, watch, read.why, env);
  await tellNew(context, watch, env, read, now);
}

type Unread = { readonly why: Text };

async function readLog(context: SendContext, watch: Watch, env: Environment, now: number): Promise<NewKinds | Unread> {
  const since = Math.floor(Math.max(watch.created_at, watch.read_to - lateMs) / 1_000) * 1_000;
  const from = new Date(since - backMs).toISOString();
  try {
    const call = getLogs({ env_id: env.id, file_name: logFiles.error, lines: maxLines, from });
    const text = await context.read(call, watching);
    const match = watch.match ?? undefined;
    const found = await context.logs.findNew({ text, wanted: maxLines, since, match, now });
    if (found.reaches === undefined && found.lines > 0)
      return { why: say`Its lines have no times that can be true, so I can't tell what is new.` };
    return found;
  } catch (error) {
    return { why: whyUnread(context, `looking for watch ${watch.id}`, error) };
  }
}

/** Saves a look that read the log, and tells what it found. */
async function tellNew(
  context: SendContext,
  watch: Watch,
  env: Environment,
  read: NewKinds,
  now: number,
): Promise<void> {
  const { trouble, ...before } = watchProgress(watch);
  const { isResumed, still } = sureAgain(trouble);
  const gap = gapIn(watch, read);
  const taken = withKinds(before, read.kinds, now, quietEnd(watch, now));
  const after = gap && withTrouble({ ...taken.progress, trouble: still }, 'gap', watch.read_to);
  const lines: Note[] = [];
  if (isResumed) lines.push(notes.resumedNote(watch, env));
  if (after?.isNews && gap) lines.push(notes.unreadNote(watch, env, gap, after.progress.trouble.since));
  if (!gap && still && still.told.length > 0) lines.push(notes.readAgainNote(watch, env, still));
  if (taken.news) lines.push(notes.newsNote(watch, env, taken.news, read));
  await saveLook(context, watch, {
    progress: after?.progress ?? taken.progress,
    read_to: now,
    dueBy: taken.due,
    notes: lines,
    ...(isResumed && { event: 'watch_resume' }),
  });
}

/** The trouble without the doubt about rights, and whether there was that doubt. */
const sureAgain = (trouble: Trouble | undefined) => ({
  isResumed: trouble?.told.includes('unsure') ?? false,
  still: trouble && { ...trouble, told: trouble.told.filter((kind) => kind !== 'unsure') },
});

/** What to say if lines since the last look could not be read, because the host gives only the newest. */
const gapIn = ({ read_to }: Watch, { isCut, reaches, lines }: NewKinds): Text | undefined =>
  isCut && reaches !== undefined && reaches > read_to
    ? say`Its newest ${amount(lines)} lines only go back to ${time(reaches, 'date')}, which is after my last look. What was written before that is lost to me.`
    : undefined;

async function unread(context: SendContext, watch: Watch, why: Text, env = storedEnvironment(watch)): Promise<void> {
  const { progress, isNews } = withTrouble(watchProgress(watch), 'unread', await context.database.now());
  const { since } = progress.trouble;
  await saveLook(context, watch, { progress, notes: isNews ? [notes.unreadNote(watch, env, why, since)] : [] });
}

async function pause(context: SendContext, watch: Watch, groups: readonly string[]): Promise<void> {
  const { progress, isNews } = withTrouble(watchProgress(watch), 'unsure', await context.database.now());
  const note = notes.pausedNote(watch, storedEnvironment(watch), groups);
  await saveLook(context, watch, { progress, ...(isNews && { notes: [note], event: 'watch_pause' }) });
}

/** The result of a look. `dueBy`: the latest time of the next look (epoch ms). */
type LookResult = Pick<WatchStep, 'notes' | 'event'> & {
  readonly progress: WatchProgress;
  readonly read_to?: number;
  readonly dueBy?: number | undefined;
};

async function saveLook(
  context: SendContext,
  watch: Watch,
  { progress, read_to, dueBy = Infinity, ...about }: LookResult,
): Promise<void> {
  const { database } = context;
  const now = await database.now();
  const next = now + intervalMs(await countWaiting(database.db, 'watch'));
  const dueAt = Math.max(now, Math.min(next, watch.expires_at, dueBy));
  const patch = { progress: JSON.stringify(progress), ...(read_to && { read_to }) };
  await moveWatch(context, watch, { patch, dueAt, ...about });
}

/**
 * Ends a watch whose time is up. What it holds back is told after the quiet hours, with the rights of that moment. If
 * those can't be checked, it tries again until a day after its end.
 */
async function endInTime(context: SendContext, watch: Watch, now: number): Promise<void> {
  const progress = watchProgress(watch);
  const { held, heldMore } = progress;
  const isHolding = heldIn(progress) > 0;
  const quietUntil = isHolding ? quietEnd(watch, now) : undefined;
  if (quietUntil !== undefined) return moveWatch(context, watch, { dueAt: quietUntil });
  const standing = isHolding ? await watchStanding(context, watch) : undefined;
  if (standing?.kind === 'lost') return endLost(context, watch, standing);
  const isLater = standing !== undefined && standing.kind !== 'may' && now < watch.expires_at + dayMs;
  if (isLater) return moveWatch(context, watch, { dueAt: now + laterMs });
  const env = standing?.kind === 'may' ? standing.env : undefined;
  const isTold = env !== undefined && held.length > 0;
  const news: News | undefined = isTold ? { kinds: held, more: heldMore, wereHeld: true, until: undefined } : undefined;
  const untold = env === undefined ? heldIn(progress) : 0;
  const note = notes.overNote(watch, env ?? storedEnvironment(watch), news, untold);
  await moveWatch(context, watch, { notes: [note], event: 'watch_end' });
}
