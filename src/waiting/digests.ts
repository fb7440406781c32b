import { weeklyAround } from '../words/zoned-time.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Digest } from '../storage/waiting.ts';
import { type Text, inline, joined, list, plain, say, time, typed, type Inline } from '../words/text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../change/card.ts';
import type { SendContext } from '../send/context.ts';
import { readDigest, type DigestFindings } from './digest-reading.ts';
import { digestStanding, type DigestStanding } from './standing.ts';
import { waitingKind, type DueKind } from './due-turns.ts';
import { endLost, moveWatch } from './telling.ts';
import { hourMs } from '../words/duration.ts';
import { counted } from '../commands/kit/page.ts';
import { aboutThen, endUnnamed, stopButton } from './watch-notes.ts';

/** Digests: when each is told, and its messages. */

/** When digests are told, in the time zone of their owner. */
const toldAt = { weekday: 1, time: 9 * hourMs } as const;
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
      notes: [digestOverNote(digest)],
      event: 'digest_end',
    });
  const standing = await digestStanding(context, digest);
  if (standing.kind === 'lost') return endLost(context, digest, standing);
  if (standing.kind === 'later') return later(context, digest, standing.why, now);
  if (standing.kind === 'unsure') return later(context, digest, membersUnknownQuietly(standing.groups), now);
  const findings = await readDigest(context, standing.owner, standing.envs, { now, stopping });
  // If this process is stopping, the next one reads everything again.
  if (stopping.aborted) return moveWatch(context, digest, { patch: { tried_at: null }, dueAt: now });
  const note = digestNote(digest, standing, findings, now);
  await moveWatch(context, digest, { ...weekly(digest, note, now, standing.envs), event: 'digest_told' });
}

async function later(context: SendContext, digest: Digest, why: Text, now: number): Promise<void> {
  const since = digest.tried_at ?? now;
  if (now < since + givesUpAfterMs)
    return moveWatch(context, digest, { patch: { tried_at: since }, dueAt: now + retryMs });
  const note = digestSkippedNote(digest, why, weeklyAround(toldAt, now, digest.zone).next);
  await moveWatch(context, digest, { ...weekly(digest, note, now), event: 'digest_skip', why });
}

/** One message per channel and week: another digest in the same week edits it, so a clock set back adds no message. */
function weekly(digest: Digest, note: Note, now: number, about?: readonly Environment[]) {
  const week = weeklyAround(toldAt, now, digest.zone).last.day;
  const place = { key: `digest:${digest.channel}:${week}`, ...(about && { about }) };
  return { patch: { tried_at: null }, dueAt: nextDue(digest, now), notes: [note], place, details: { week } };
}

/** The messages of a digest. They name people without mentions, so that nobody is notified. */

const maxNames = 5;
/** How many lines one part may have: the first number that leaves room for all parts is used. */
const lineCounts = [5, 2, 1, 0];
/** The most characters, fewer than a message takes. */
const maxLength = 2_500;

type MayTell = Extract<DigestStanding, { readonly kind: 'may' }>;

export function digestNote(digest: Digest, standing: MayTell, { found, unread }: DigestFindings, now: number): Note {
  const { envs, about, missing, hidden, tooMany, trouble } = standing;
  const gaps: readonly Text[] = [
    ...(trouble ? [say`The host's list of sites: ${trouble}`] : []),
    ...(missing.length > 0 ? [say`The host doesn't list ${list(missing, maxNames)} right now.`] : []),
    ...(hidden > 0 ? [say`${counted(hidden, 'environment')} that ${digest.requester_name} may not read.`] : []),
    ...(tooMany > 0 ? [say`${counted(tooMany, 'more environment')} than one digest has room for.`] : []),
    ...unread,
  ];
  const told = Object.entries(found).filter(([, lines]) => lines.length > 0);
  const isQuiet = told.length === 0;
  const nothing = gaps.length === 0 ? 'nothing needs a look' : 'nothing needs a look in what I could read';
  const title = say`**Digest of ${list(about, maxNames)}, ${time(now, 'date')}**${isQuiet ? `: ${nothing}` : ''} · ${namesOf(envs)}`;
  const textWith = (most: number): Text => {
    const lines: readonly Inline[] = [
      title,
      gaps.length > 0 && section('❔ Not read', gaps, most),
      ...told.map(([part, lines]) => section(part, lines, most)),
      !isQuiet && say`Digest #${digest.id} of ${digest.requester_name}`,
    ].map((line): Inline => line || undefined);
    return joined(lines, '\n');
  };
  const text = lineCounts.map(textWith).find((one) => plain(one).length <= maxLength) ?? textWith(0);
  return { text, buttons: [stopButton(digest)] };
}

const namesOf = (envs: readonly Environment[]): Text =>
  say`${counted(envs.length, 'environment')}: ${list(
    envs.map(({ name }) => name),
    2 * maxNames,
  )}`;

function section(title: string, lines: readonly Text[], most: number): Text {
  const more = lines.length - most;
  return joined(
    [
      say`**${title}**`,
      ...lines.slice(0, most).map((line) => say`• ${line}`),
      more > 0 ? inline(most === 0 ? `• ${more}, too many for one message` : `• and ${more} more`) : undefined,
    ],
    '\n',
  );
}

export const digestStartedNote = (digest: Digest, next: number): Note => ({
  text: say`**${digest.requester_name} turned on a weekly digest of ${aboutThen(digest)} here**, every Monday at 09:00 (${digest.zone}) until ${time(digest.expires_at, 'date')}. The first one, in your own time zone: ${time(next, 'date')}.`,
  buttons: [stopButton(digest)],
});

const digestOverNote = (digest: Digest): Note => ({
  text: say`**Digest #${digest.id} of ${aboutThen(digest)} is over:** its time is up. ${typed('digest')} starts another one.`,
  hidden: endUnnamed(digest),
});

const digestSkippedNote = (digest: Digest, why: Text, next: number): Note => ({
  text: say`**There's no digest of ${aboutThen(digest)} this week.** ${why} I tried for a day, and can't tell whether anything needs a look. The next one comes ${time(next, 'date')}.`,
  buttons: [stopButton(digest)],
});
