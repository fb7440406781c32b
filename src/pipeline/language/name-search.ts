import type { Domain, Environment, NamedSite } from '../../hosting/contract/target.ts';

/** Search in lists of names. The index is cached for each list, so that a keystroke costs one pass over it. */

export type Named = Environment | Domain | NamedSite;

/** Searches in a list of names. Results keep the order of the list within each rank. */
type Search<T> = {
  /** Names with exactly this id or name, regardless of case and Unicode form. */
  readonly exact: (typed: string) => readonly T[];
  /** At most `limit` names that contain the text: equal, starting with it, with a word starting with it, others. */
  readonly containing: (typed: string, limit: number) => readonly T[];
  /** Like `containing`, then names with its letters in order. Within each rank, ids in `first` come first. */
  readonly likely: (typed: string, limit: number, first: readonly string[]) => readonly T[];
};

// `normalize` does not change plain ASCII, and the test is faster.
const beyondAscii = /[^\u0000-\u007F]/;

/** The form in which names are compared: NFKC, in lower case. Look-alike letters stay different. */
export const folded = (name: string): string => (beyondAscii.test(name) ? name.normalize('NFKC') : name).toLowerCase();

/** Also without accents: for search only, never to identify a target. */
const withoutAccents = (name: string): string =>
  (beyondAscii.test(name) ? name.normalize('NFKD').replaceAll(/\p{M}/gu, '') : name).toLowerCase();

const searches = new WeakMap<readonly Named[], Search<Named>>();

/** The search for a list. Built on first use and cached. */
export function searchIn<T extends Named>(all: readonly T[]): Search<T>;
export function searchIn(all: readonly Named[]): Search<Named> {
  const known = searches.get(all);
  if (known) return known;
  const made = makeSearch(all);
  searches.set(all, made);
  return made;
}

function makeSearch(all: readonly Named[]): Search<Named> {
  const byKey = new Map<string, Named[]>();
  for (const one of all) {
    for (const key of new Set([folded(one.id), folded(one.name)])) {
      const same = byKey.get(key);
      if (same) same.push(one);
      else byKey.set(key, [one]);
    }
  }
  const names = indexNames(all);
  return {
    exact: (typed) => byKey.get(folded(typed)) ?? [],
    containing: (typed, limit) => {
      const wanted = withoutAccents(typed.trim());
      return containing(names, wanted, limit, () => true)
        .flat()
        .slice(0, limit);
    },
    likely: (typed, limit, first) => {
      const wanted = withoutAccents(typed.trim());
      const ids = new Set(first);
      // The few recent names are ranked one by one, so only the first few others of each rank matter.
      const recent = [...ids].flatMap((id) => (byKey.get(folded(id)) ?? []).filter((one) => one.id === id));
      const isOther = (one: Named): boolean => !ids.has(one.id);
      if (wanted === '') return [...recent, ...firstAccepted(all, limit, isOther)].slice(0, limit);
      const ranked = recent.map((one) => ({ one, rank: rankOf(withoutAccents(one.name), wanted) }));
      const found = containing(names, wanted, limit, isOther).flatMap((more, at) => [...ofRank(ranked, at), ...more]);
      if (found.length >= limit) return found.slice(0, limit);
      return [...found, ...ofRank(ranked, 4), ...inOrder(names, wanted, limit, isOther)].slice(0, limit);
    },
  };
}

/** Rank: 0 equal, 1 starts with the text, 2 has a word that does, 3 contains it, 4 has its letters in order. */
type Rank = 0 | 1 | 2 | 3 | 4;

function rankOf(text: string, wanted: string): Rank | undefined {
  const at = text.indexOf(wanted);
  if (at === -1) return hasLettersInOrder(text, wanted) ? 4 : undefined;
  if (at > 0) return hasWordFrom(text, wanted, at) ? 2 : 3;
  return text.length === wanted.length ? 0 : 1;
}

const ofRank = (
  ranked: readonly { readonly one: Named; readonly rank: Rank | undefined }[],
  at: number,
): readonly Named[] => ranked.filter(({ rank }) => rank === at).map(({ one }) => one);

function firstAccepted(all: readonly Named[], limit: number, accept: (one: Named) => boolean): readonly Named[] {
  const first: Named[] = [];
  for (const one of all) {
    if (first.length >= limit) break;
    if (accept(one)) first.push(one);
  }
  return first;
}

/** The names of a list, without accents, joined by line breaks: one `indexOf` searches all of them. */
type NameIndex = {
  readonly all: readonly Named[];
  readonly text: string;
  /** Start of each name, plus one past the last. Each name ends one character before the next start. */
  readonly starts: Int32Array;
  /** The letters in each name, as a bit mask. Some characters share one. */
  readonly letters: Int32Array;
};

function indexNames(all: readonly Named[]): NameIndex {
  const texts = all.map(({ name }) => withoutAccents(name));
  const starts = new Int32Array(texts.length + 1);
  starts[0] = 1;
  for (const [at, text] of texts.entries()) starts[at + 1] = (starts[at] ?? 0) + text.length + 1;
  return { all, text: ['', ...texts, ''].join('\n'), starts, letters: Int32Array.from(texts, lettersOf) };
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Digits and signs share four bits, so that each Latin letter has one of its own.
    letters |= 1 << (code < 64 ? 28 + (code & 3) : code & 31);
  }
  return letters;
}

/** The names of each of the first four ranks for which `accept` is true, at most `limit` for each. */
function containing(
  names: NameIndex,
  wanted: string,
  limit: number,
  accept: (one: Named) => boolean,
): readonly (readonly Named[])[] {
  const [exact, starts]: [Named[], Named[]] = [[], []];
  const take = (into: Named[], index: number): boolean => {
    const one = names.all[index];
    if (one && accept(one)) into.push(one);
    return into.length < limit;
  };
  const isWhole = (index: number): boolean => lengthOf(names, index) === wanted.length;
  walk(names, `\n${wanted}\n`, 1, wanted.length, (index) => !isWhole(index) || take(exact, index));
  if (exact.length >= limit) return [exact];
  walk(names, `\n${wanted}`, 1, wanted.length, (index) => isWhole(index) || take(starts, index));
  if (wanted === '' || exact.length + starts.length >= limit) return [exact, starts];
  return [exact, starts, ...containingInside(names, wanted, take)];
}

/** Names that contain the text but do not start with it: at the start of a word, and elsewhere. */
function containingInside(
  names: NameIndex,
  wanted: string,
  take: (into: Named[], index: number) => boolean,
): readonly [readonly Named[], readonly Named[]] {
  const [words, contains]: [Named[], Named[]] = [[], []];
  // A name can contain the text several times. A later match may be at the start of a word.
  let [last, open, isFull] = [-1, false, false];
  const leave = (): void => {
    if (open && !isFull) isFull = !take(contains, last);
    open = false;
  };
  walk(names, wanted, 0, wanted.length, (index, at) => {
    if (index !== last) {
      leave();
      last = index;
      open = at !== names.starts[index];
    }
    if (!open || isLetter(names.text.charAt(at - 1))) return true;
    open = false;
    return take(words, index);
  });
  leave();
  return [words, contains];
}

/**
 * Visits each match of `sought` within one name. `ahead`: whether `sought` begins with a line break before the text, so
 * that only matches at the start of a name count. `length`: of the text. Ends when `visit` returns false.
 */
function walk(
  { text, starts }: NameIndex,
  sought: string,
  ahead: 0 | 1,
  length: number,
  visit: (index: number, at: number) => boolean,
): void {
  let index = 0;
  for (let found = text.indexOf(sought); found !== -1; found = text.indexOf(sought, found + 1)) {
    const at = found + ahead;
    while ((starts[index + 1] ?? Infinity) <= at) index += 1;
    // Names and typed text may contain line breaks, so a match could span two names.
    if (at + length >= (starts[index + 1] ?? 0) || (ahead === 1 && at !== starts[index])) continue;
    if (!visit(index, at)) return;
  }
}

const lengthOf = ({ starts }: NameIndex, index: number): number => (starts[index + 1] ?? 0) - (starts[index] ?? 0) - 1;

/** At most `limit` names that do not contain the text but have its letters in order. */
function inOrder(names: NameIndex, wanted: string, limit: number, accept: (one: Named) => boolean): readonly Named[] {
  const found: Named[] = [];
  const needed = lettersOf(wanted);
  for (let index = 0; index < names.all.length && found.length < limit; index += 1) {
    if (((names.letters[index] ?? 0) & needed) !== needed) continue;
    const one = names.all[index];
    const from = names.starts[index] ?? 0;
    const text = names.text.slice(from, from + lengthOf(names, index));
    if (one && hasLettersInOrder(text, wanted) && !text.includes(wanted) && accept(one)) found.push(one);
  }
  return found;
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

/** Indexes of the words that contain the text, at most `limit`; those that start with it first. */
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
