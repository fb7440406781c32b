import type { Domain, Environment, NamedSite } from '../../hosting/contract/target.ts';

/** Names as people look for them: worked out once for each list, so that a keystroke costs no more than a look through it. */

export type Named = Environment | Domain | NamedSite;

/** What can be asked of a list of names; every answer is in the order of the list. */
type Search<T> = {
  /** Those of that very id or name; case and the form of letters do not matter. */
  readonly exact: (typed: string) => readonly T[];
  /** At most `most` with that text in them: those that are it, begin so, have a word that begins so, contain it. */
  readonly containing: (typed: string, most: number) => readonly T[];
  /** The same and then those with its letters in turn; of each kind those whose id is among `first` come first. */
  readonly likely: (typed: string, most: number, first: readonly string[]) => readonly T[];
};

// Of plain ASCII there is one form alone, and it is known faster than it is made.
const beyondAscii = /[^\u0000-\u007F]/;

/** Names are compared without case and in one Unicode form; what merely looks alike is not the same. */
export const folded = (name: string): string => (beyondAscii.test(name) ? name.normalize('NFKC') : name).toLowerCase();

/** Without accents too: for looking, never for deciding. */
const bare = (name: string): string =>
  (beyondAscii.test(name) ? name.normalize('NFKD').replaceAll(/\p{M}/gu, '') : name).toLowerCase();

const searches = new WeakMap<readonly Named[], Search<Named>>();

/** The search through a list, made at the first question. */
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
  const row = rowOf(all);
  return {
    exact: (typed) => byKey.get(folded(typed)) ?? [],
    containing: (typed, most) => {
      const wanted = bare(typed.trim());
      return holding(row, wanted, most, () => true)
        .flat()
        .slice(0, most);
    },
    likely: (typed, most, first) => {
      const wanted = bare(typed.trim());
      const ids = new Set(first);
      // A handful, and looked at each by itself: so of all others only the first few of each kind of fit matter.
      const recent = [...ids].flatMap((id) => (byKey.get(folded(id)) ?? []).filter((one) => one.id === id));
      const isOther = (one: Named): boolean => !ids.has(one.id);
      if (wanted === '') return [...recent, ...firstOf(all, most, isOther)].slice(0, most);
      const early = recent.map((one) => ({ one, fit: fitOf(bare(one.name), wanted) }));
      const found = holding(row, wanted, most, isOther).flatMap((late, at) => [...earlyOf(early, at), ...late]);
      if (found.length >= most) return found.slice(0, most);
      return [...found, ...earlyOf(early, 4), ...inTurn(row, wanted, most, isOther)].slice(0, most);
    },
  };
}

/** How well a name fits: 0 is the text, 1 begins so, 2 has a word that begins so, 3 contains it, 4 has its letters in turn. */
type Fit = 0 | 1 | 2 | 3 | 4;

function fitOf(text: string, wanted: string): Fit | undefined {
  const at = text.indexOf(wanted);
  if (at === -1) return hasInTurn(text, wanted) ? 4 : undefined;
  if (at > 0) return hasWordFrom(text, wanted, at) ? 2 : 3;
  return text.length === wanted.length ? 0 : 1;
}

const earlyOf = (
  early: readonly { readonly one: Named; readonly fit: Fit | undefined }[],
  at: number,
): readonly Named[] => early.filter(({ fit }) => fit === at).map(({ one }) => one);

function firstOf(all: readonly Named[], most: number, counts: (one: Named) => boolean): readonly Named[] {
  const first: Named[] = [];
  for (const one of all) {
    if (first.length >= most) break;
    if (counts(one)) first.push(one);
  }
  return first;
}

/** The bare names of a list in one text, a line break around each: one look goes through all of them. */
type Row = {
  readonly all: readonly Named[];
  readonly text: string;
  /** Where each begins, and, one further, where another would: each ends one before the next begins. */
  readonly starts: Int32Array;
  /** Which letters each has in it, as bits that several letters share. */
  readonly letters: Int32Array;
};

function rowOf(all: readonly Named[]): Row {
  const texts = all.map(({ name }) => bare(name));
  const starts = new Int32Array(texts.length + 1);
  starts[0] = 1;
  for (const [at, text] of texts.entries()) starts[at + 1] = (starts[at] ?? 0) + text.length + 1;
  return { all, text: ['', ...texts, ''].join('\n'), starts, letters: Int32Array.from(texts, lettersOf) };
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Digits and signs stand in most names: they share four bits, and leave one to each letter.
    letters |= 1 << (code < 64 ? 28 + (code & 3) : code & 31);
  }
  return letters;
}

/** At most so many of each of the first four fits, of those that count, in the order of the list. */
function holding(
  row: Row,
  wanted: string,
  most: number,
  counts: (one: Named) => boolean,
): readonly (readonly Named[])[] {
  const [exact, starts]: [Named[], Named[]] = [[], []];
  const take = (into: Named[], index: number): boolean => {
    const one = row.all[index];
    if (one && counts(one)) into.push(one);
    return into.length < most;
  };
  const isWhole = (index: number): boolean => lengthOf(row, index) === wanted.length;
  walk(row, `\n${wanted}\n`, 1, wanted.length, (index) => !isWhole(index) || take(exact, index));
  if (exact.length >= most) return [exact];
  walk(row, `\n${wanted}`, 1, wanted.length, (index) => isWhole(index) || take(starts, index));
  if (wanted === '' || exact.length + starts.length >= most) return [exact, starts];
  return [exact, starts, ...within(row, wanted, take)];
}

/** Those with the text in them, though not at their beginning: before a word's beginning, and anywhere. */
function within(
  row: Row,
  wanted: string,
  take: (into: Named[], index: number) => boolean,
): readonly [readonly Named[], readonly Named[]] {
  const [words, contains]: [Named[], Named[]] = [[], []];
  // One name may have it several times: until it is left behind, a word may yet begin so.
  let [last, open, isFull] = [-1, false, false];
  const leave = (): void => {
    if (open && !isFull) isFull = !take(contains, last);
    open = false;
  };
  walk(row, wanted, 0, wanted.length, (index, at) => {
    if (index !== last) {
      leave();
      last = index;
      open = at !== row.starts[index];
    }
    if (!open || isLetter(row.text.charAt(at - 1))) return true;
    open = false;
    return take(words, index);
  });
  leave();
  return [words, contains];
}

/**
 * Goes through the row from place to place where this stands, `ahead` of a text of that length within one name; at the
 * beginning of a name alone where there is something ahead. Ends once `visit` says no.
 */
function walk(
  { text, starts }: Row,
  sought: string,
  ahead: 0 | 1,
  length: number,
  visit: (index: number, at: number) => boolean,
): void {
  let index = 0;
  for (let found = text.indexOf(sought); found !== -1; found = text.indexOf(sought, found + 1)) {
    const at = found + ahead;
    while ((starts[index + 1] ?? Infinity) <= at) index += 1;
    // A line break may stand in a name, and in what is typed.
    if (at + length >= (starts[index + 1] ?? 0) || (ahead === 1 && at !== starts[index])) continue;
    if (!visit(index, at)) return;
  }
}

const lengthOf = ({ starts }: Row, index: number): number => (starts[index + 1] ?? 0) - (starts[index] ?? 0) - 1;

/** At most so many that do not have the text in them, but its letters in turn. */
function inTurn(row: Row, wanted: string, most: number, counts: (one: Named) => boolean): readonly Named[] {
  const found: Named[] = [];
  const needed = lettersOf(wanted);
  for (let index = 0; index < row.all.length && found.length < most; index += 1) {
    if (((row.letters[index] ?? 0) & needed) !== needed) continue;
    const one = row.all[index];
    const from = row.starts[index] ?? 0;
    const text = row.text.slice(from, from + lengthOf(row, index));
    if (one && hasInTurn(text, wanted) && !text.includes(wanted) && counts(one)) found.push(one);
  }
  return found;
}

const isLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Whether a word of the text begins so, from the first place on where it stands. */
function hasWordFrom(text: string, wanted: string, first: number): boolean {
  for (let at = first; at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (!isLetter(text.charAt(at - 1))) return true;
  }
  return false;
}

function hasInTurn(text: string, wanted: string): boolean {
  let at = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** Places of those of these words that have the text in them, at most so many: first those that begin so. */
export function likelyWords(words: readonly string[], typed: string, most: number): readonly number[] {
  const wanted = bare(typed.trim());
  const [starts, contains]: [number[], number[]] = [[], []];
  for (const [index, word] of words.entries()) {
    const at = bare(word).indexOf(wanted);
    if (at !== -1) (at === 0 ? starts : contains).push(index);
    if (starts.length === most) break;
  }
  return [...starts, ...contains].slice(0, most);
}
