import { parseStored } from '../storage/parse-json.ts';
import { type NewKind, readAsUtc, type NewKinds } from '../commands/kit/log-query.ts';
import type { Watch, Digest } from '../storage/waiting.ts';
import { hourMs, dayMs } from '../words/duration.ts';
import { counted } from '../commands/kit/page.ts';
import type { Environment } from '../hosting/contract/target.ts';
import { amount, bold, code, joined, list, say, time, typed, type Inline, type Text } from '../words/text.ts';
import { membersUnknownQuietly } from '../access/unknown-groups.ts';
import type { Note } from '../change/card.ts';
import { runButton, type Button } from '../change/buttons.ts';
import { namesIn, digestScope, storedEnvironment } from './standing.ts';

/**
 * What a watch tells: how much in a message and in an hour, what it holds back and remembers between two looks, and in
 * which words. They name people without mentions, so that nobody is notified.
 */

/** What a watch remembers. */
export type WatchProgress = {
  /** Kinds that were found, and when each was last seen (epoch ms), oldest first. */
  readonly found: readonly (readonly [key: string, last: number])[];
  /** The first kinds that are held back, and how many more there are. */
  readonly held: readonly NewKind[];
  readonly heldMore: number;
  /** The messages of the hour that began at `from` (epoch ms). */
  readonly hour: { readonly from: number; readonly messages: number };
  /** What keeps the watch from reading everything, since when (epoch ms), and for how many looks in a row. */
  readonly trouble?: Trouble | undefined;
};

/**
 * `unread`: the log could not be read this time. `gap`: the host no longer had all lines since the last look, so some
 * are never read. `unsure`: whether the owner may read the log is unknown.
 */
export type Trouble = {
  readonly kind: 'unread' | 'gap' | 'unsure';
  readonly since: number;
  readonly looks: number;
  /** What people were told since then. */
  readonly told: readonly Trouble['kind'][];
};

/** Kinds for one message, and how many more there are. `until`: how long later kinds are held back (epoch ms). */
export type News = {
  readonly kinds: readonly NewKind[];
  readonly more: number;
  readonly wereHeld: boolean;
  readonly until: number | undefined;
};

const maxKindsShown = 5;
const maxMessagesAnHour = 3;
const maxRemembered = 300;
/** After how many troubled looks in a row people are told about this kind of trouble. */
const looksUntilTold: Readonly<Record<Trouble['kind'], number>> = { unread: 3, gap: 1, unsure: 2 };

export const emptyProgress: WatchProgress = { found: [], held: [], heldMore: 0, hour: { from: 0, messages: 0 } };
export const watchProgress = ({ progress }: Pick<Watch, 'progress'>): WatchProgress => parseStored(progress);
export const heldIn = ({ held, heldMore }: WatchProgress): number => held.length + heldMore;

/**
 * Adds the kinds that a look found. `quietUntil`: the end of the quiet hours, if they are on now. `news`: what to tell
 * now. `due`: when held-back kinds can be told (epoch ms).
 */
export function withKinds(
  before: WatchProgress,
  kinds: readonly NewKind[],
  now: number,
  quietUntil: number | undefined,
): { readonly progress: WatchProgress; readonly news?: News; readonly due?: number } {
  const known = new Map(before.found);
  // Don't tell a kind again within a day, even if the read didn't go back far enough to show that it is old.
  const fresh = kinds.filter(({ key, first }) => (known.get(key) ?? -Infinity) <= first - dayMs);
  for (const { key, last } of kinds) {
    const seen = Math.max(last, known.get(key) ?? last);
    known.delete(key);
    known.set(key, seen);
  }
  const found = [...known].slice(-maxRemembered);
  const all = [...before.held, ...fresh];
  const [shown, more] = [all.slice(0, maxKindsShown), before.heldMore + Math.max(0, all.length - maxKindsShown)];
  const isOver = now - before.hour.from >= hourMs || now < before.hour.from;
  const hour = isOver ? { from: now, messages: 0 } : before.hour;
  const rest = { ...before, found, hour };
  if (all.length === 0) return { progress: rest };
  const due = quietUntil ?? (hour.messages >= maxMessagesAnHour ? hour.from + hourMs : undefined);
  if (due !== undefined) return { progress: { ...rest, held: shown, heldMore: more }, due };
  const counted = { from: hour.messages === 0 ? now : hour.from, messages: hour.messages + 1 };
  const until = counted.messages === maxMessagesAnHour ? counted.from + hourMs : undefined;
  return {
    progress: { ...rest, held: [], heldMore: 0, hour: counted },
    news: { kinds: shown, more, wereHeld: before.held.length > 0, until },
  };
}

/** Counts one more look with trouble. `since`: when this trouble began (epoch ms). `isNews`: people must be told. */
export function withTrouble(
  { trouble, ...rest }: WatchProgress,
  kind: Trouble['kind'],
  since: number,
): { readonly progress: WatchProgress & { readonly trouble: Trouble }; readonly isNews: boolean } {
  const before: Omit<Trouble, 'kind'> = trouble ?? { since, looks: 0, told: [] };
  const looks = before.looks + 1;
  const isNews = !before.told.includes(kind) && looks >= looksUntilTold[kind];
  const told = isNews ? [...before.told, kind] : before.told;
  return { progress: { ...rest, trouble: { kind, since: Math.min(before.since, since), looks, told } }, isNews };
}

const maxNames = 5;

export const stopButton = ({ id }: { readonly id: number }): Button =>
  runButton({ label: 'Stop', args: ['watch', 'stop', String(id)] });
const logButton = ({ id }: Environment): Button =>
  runButton({ label: 'Error log', args: ['logs', id, 'error', '--errors', '--since=24h'] });

const footOf = ({ id, match, requester_name: owner, expires_at: until }: Watch): Text =>
  joined(
    [say`Watch #${id} of ${owner}, until ${time(until, 'date')}`, match === null ? undefined : say`only “${match}”`],
    ', ',
  );

export function newsNote(
  watch: Watch,
  env: Environment,
  news: News,
  { isZoneless }: Pick<NewKinds, 'isZoneless'>,
): Note {
  const zone = isZoneless ? readAsUtc : undefined;
  return {
    text: joined([newsText(env, news), zone, footOf(watch)], '\n'),
    buttons: [logButton(env), stopButton(watch)],
  };
}

function newsText(env: Environment, { kinds, more, wereHeld, until }: News): Text {
  const [certain, others] = [kinds.filter(isNew), kinds.filter((kind) => !isNew(kind))];
  const far = Math.max(...others.map(({ reaches }) => reaches));
  const held = wereHeld ? ' Some were held back until now.' : '';
  return joined(
    [
      certain.length > 0 &&
        say`**${counted(certain.length, 'new kind')} of errors in ${env.name}**, not seen in the 24 hours before.${held}`,
      ...certain.map(lineOf),
      others.length > 0 &&
        say`**${counted(others.length, 'kind')} of errors in ${env.name}, first seen in the lines I could read** since ${time(far, 'date')}. They don't go back 24 hours, so I can't say that ${others.length === 1 ? 'it is' : 'they are'} new.${certain.length > 0 ? '' : held}`,
      ...others.map(lineOf),
      more > 0 && say`And ${counted(more, 'more kind')}.`,
      until !== undefined &&
        say`That's ${maxMessagesAnHour} messages within an hour, so I'll hold further ones back until ${time(until)}.`,
    ].map((line): Inline => line || undefined),
    '\n',
  );
}

const lineOf = ({ count, says, first }: NewKind): Text =>
  say`• ${bold(`${amount(count)}×`)} ${code(says || 'an empty line')} · first ${time(first, 'date')}`;

/** Whether the lines that were read go back 24 hours before the first error, so that it is known to be new. */
const isNew = ({ first, reaches }: NewKind): boolean => reaches <= first - dayMs;

export const startedNote = (watch: Watch, env: Environment, quiet: Text | undefined): Note => ({
  text: joined([
    say`**${watch.requester_name} watches the error log of ${env.name} here** until ${time(watch.expires_at, 'date')}: I post new kinds of errors${watch.match === null ? '' : say` with “${watch.match}”`} and skip known ones.`,
    quiet,
  ]),
  buttons: [stopButton(watch)],
});

/** What a watch or a digest is about, as of its start. */
export const aboutThen = (watch: Watch | Digest): Inline =>
  watch.kind === 'digest' ? list(namesIn(digestScope(watch)), maxNames) : storedEnvironment(watch).name;

const numbered = ({ kind, id }: Watch | Digest): string => `${kind === 'digest' ? 'Digest' : 'Watch'} #${id}`;
const titleOf = (watch: Watch | Digest, about: Inline): Text => say`${numbered(watch)} of ${about}`;

/** What whoever may no longer see what it was about is told of its end. */
export const endUnnamed = (watch: Watch | Digest): Text =>
  say`**${numbered(watch)} has ended.** You may no longer see what it was about.`;

export const stoppedNote = (watch: Watch | Digest, about: Inline, by: string): Note => ({
  text: say`**${titleOf(watch, about)} was stopped** by ${by}.`,
  hidden: endUnnamed(watch),
});

/** `untold`: how many kinds were held back and can't be told. */
export function overNote(watch: Watch, env: Environment, news: News | undefined, untold: number): Note {
  const again = say`**Watch #${watch.id} of ${env.name} is over:** its time is up. I read the log up to ${time(watch.read_to, 'date')}. ${typed(`watch ${env.name} error`)} starts another one.`;
  const lost =
    untold > 0 &&
    say`I held back ${counted(untold, 'new kind')} of errors, and can't show them, because I can't check who may read them.`;
  return { text: joined([news && newsText(env, news), again, lost || undefined], '\n'), hidden: endUnnamed(watch) };
}

export const endedNote = (watch: Watch | Digest, why: Text): Note => ({
  text: say`**${titleOf(watch, aboutThen(watch))} has ended:** ${why}`,
  hidden: endUnnamed(watch),
});

export const unreadNote = (watch: Watch, env: Environment, why: Text, since: number): Note => ({
  text: say`⚠️ **I can't read all of the error log of ${env.name}** since ${time(since, 'date')}. ${why} So silence of watch #${watch.id} doesn't mean that there are no errors. I keep trying, and say when I can.`,
  buttons: [stopButton(watch)],
});

export const readAgainNote = (watch: Watch, env: Environment, { told, since }: Trouble): Note => ({
  text: joined([
    told.includes('gap')
      ? say`**I can read all of the error log of ${env.name} again.** I missed a part of what was written since ${time(since, 'date')}.`
      : say`**I can read the error log of ${env.name} again**, and looked at what was written since ${time(since, 'date')}.`,
    say`Watch #${watch.id} goes on.`,
  ]),
});

export const pausedNote = (watch: Watch, env: Environment, groups: readonly string[]): Note => ({
  text: say`**Watch #${watch.id} of ${env.name} is paused:** I can't tell whether ${watch.requester_name} may still read it. ${membersUnknownQuietly(groups)} I go on once I can.`,
  buttons: [stopButton(watch)],
});

export const resumedNote = (watch: Watch, env: Environment): Note => ({
  text: say`**Watch #${watch.id} of ${env.name} goes on:** ${watch.requester_name} may still read it.`,
});
