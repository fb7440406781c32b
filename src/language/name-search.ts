import { cached } from '../base/caches.ts';
import type { Domain, Environment, NamedSite } from '../hosting/contract/target.ts';
import { comparableName } from '../policy/pattern.ts';

/** Searches lists of names: one pass over a list for each keystroke. */

export type NamedItem = Environment | Domain | NamedSite;

/** Searches in a list of names. Results keep the order of the list within each rank. */
type Search<T> = {
  /** Names with exactly this id or name, regardless of case and Unicode form. */
  readonly exact: (typed: string) => readonly T[];
  /** At most `limit` names that contain the text. Order: equal, starting with it, with a word starting with it, others. */
  readonly containing: (typed: string, limit: number) => readonly T[];
  /** Like `containing`, then names that have its letters in order. Within each rank, ids in `first` come first. */
  readonly likely: (typed: string, limit: number, first: readonly string[]) => readonly T[];
};

// `normalize` does not change plain ASCII, and the test is faster.
const beyondAscii = /[^\u0000-\u007F]/;

/** The name without accents: for search only, never to identify a target. */
const withoutAccents = (name: string): string =>
  (beyondAscii.test(name) ? name.normalize('NFKD').replaceAll(/\p{M}/gu, '') : name).toLowerCase();

/** A list prepared for comparison: its names by id or name, and the text of each without accents. */
type Index = { readonly byKey: ReadonlyMap<string, readonly NamedItem[]>; readonly texts: readonly string[] };

/** The index of a list. Cached, so that a keystroke does not normalize every name again. */
const indexOf = cached((all: readonly NamedItem[]): Index => {
  const byKey = new Map<string, NamedItem[]>();
  for (const one of all) {
    for (const key of new Set([comparableName(one.id), comparableName(one.name)]))
      byKey.set(key, [...(byKey.get(key) ?? []), one]);
  }
  return { byKey, texts: all.map(({ name }) => withoutAccents(name)) };
});

export function searchIn<T extends NamedItem>(all: readonly T[]): Search<T>;
export function searchIn(all: readonly NamedItem[]): Search<NamedItem> {
  const { byKey, texts } = indexOf(all);
  const exact = (typed: string): readonly NamedItem[] => byKey.get(comparableName(typed)) ?? [];
  return {
    exact,
    containing: (typed, limit) => byRank(all, texts, typed).slice(0, 4).flat().slice(0, limit),
    likely: (typed, limit, first) => {
      const recent = first.flatMap((id) => exact(id).filter((one) => one.id === id));
      const ranks = byRank(all, texts, typed);
      return ranks.flatMap((rank) => withFirst(rank, recent, limit)).slice(0, limit);
    },
  };
}

/** The first `limit` names, or a few more, with the `recent` ones first. */
const withFirst = (names: readonly NamedItem[], recent: readonly NamedItem[], limit: number): readonly NamedItem[] => [
  ...new Set([...recent.filter((one) => names.includes(one)), ...names.slice(0, limit + recent.length)]),
];

/** The matching names, one list per rank. */
function byRank(all: readonly NamedItem[], texts: readonly string[], typed: string): readonly (readonly NamedItem[])[] {
  const wanted = withoutAccents(typed.trim());
  const ranks: Record<Rank, NamedItem[]> = [[], [], [], [], []];
  for (let at = 0; at < texts.length; at += 1) {
    const rank = rankOf(texts[at] ?? '', wanted);
    const one = all[at];
    if (rank !== undefined && one) ranks[rank].push(one);
  }
  return Object.values(ranks);
}

/** Rank: 0 equal, 1 starts with the text, 2 has a word that does, 3 contains it, 4 has its letters in order. */
type Rank = 0 | 1 | 2 | 3 | 4;

function rankOf(text: string, wanted: string): Rank | undefined {
  const at = text.indexOf(wanted);
  if (at === -1) return hasLettersInOrder(text, wanted) ? 4 : undefined;
  if (at > 0) return hasWordFrom(text, wanted, at) ? 2 : 3;
  return text.length === wanted.length || wanted === '' ? 0 : 1;
}

const isLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Whether a word of the text starts with `wanted`, which first occurs at `first`. */
function hasWordFrom(text: string, wanted: string, first: number): boolean {
  for (let at = first; at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (!isLetter(text.charAt(at - 1))) return true;
  }
  return false;
}

function hasLettersInOrder(text: string, wanted: string): boolean {
  let at = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** Indexes of the words that contain the text, at most `limit`; words that start with it come first. */
export function likelyWords(words: readonly string[], typed: string, limit: number): readonly number[] {
  const wanted = withoutAccents(typed.trim());
  const [starts, contains]: [number[], number[]] = [[], []];
  for (const [index, word] of words.entries()) {
    const at = withoutAccents(word).indexOf(wanted);
    if (at !== -1) (at === 0 ? starts : contains).push(index);
    if (starts.length === limit) break;
  }
  return [...starts, ...contains].slice(0, limit);
}
