import { counted } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import type { Digest } from '../storage/waiting.ts';
import { inline, joined, list, plain, say, time, typed, type Inline, type Text } from '../words/text.ts';
import type { Note } from '../change/card.ts';
import type { DigestFindings } from './digest-reading.ts';
import type { DigestStanding } from './digest-standing.ts';
import { aboutThen, endUnnamed, stopButton } from './watch-notes.ts';

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

export const digestOverNote = (digest: Digest): Note => ({
  text: say`**Digest #${digest.id} of ${aboutThen(digest)} is over:** its time is up. ${typed('digest')} starts another one.`,
  hidden: endUnnamed(digest),
});

export const digestSkippedNote = (digest: Digest, why: Text, next: number): Note => ({
  text: say`**There's no digest of ${aboutThen(digest)} this week.** ${why} I tried for a day, and can't tell whether anything needs a look. The next one comes ${time(next, 'date')}.`,
  buttons: [stopButton(digest)],
});
