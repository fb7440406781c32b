import { parseStored } from '../storage/parse-json.ts';
import { type NewKind } from '../commands/kit/log-query.ts';
import type { Watch } from '../storage/waiting.ts';
import { hourMs, dayMs } from '../words/duration.ts';

/** How much a watch tells in a message and in an hour, and what it holds back and remembers between two looks. */

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
export const maxMessagesAnHour = 3;
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
