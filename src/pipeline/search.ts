import type { Domain, Environment, NamedSite } from '../hosting/contract/target.ts';

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

/** Names are compared without case and in one Unicode form; what merely looks alike is not the same. */
export const folded = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Without accents too: for looking, never for deciding. */
const bare = (name: string): string => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

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
  const list = all.map((one) => ({ one, text: bare(one.name) }));
  for (const one of all) {
    for (const key of new Set([folded(one.id), folded(one.name)])) {
      const same = byKey.get(key);
      if (same) same.push(one);
      else byKey.set(key, [one]);
    }
  }
  return {
    exact: (typed) => byKey.get(folded(typed)) ?? [],
    containing: (typed, most) => ranked(list, bare(typed.trim())).flat().slice(0, most),
    likely: (typed, most, first) => {
      const wanted = bare(typed.trim());
      const recent = new Map([...new Set(first)].map((id, at) => [id, at]));
      const ranks = wanted === '' ? [all] : ranked(list, wanted);
      const found = ranks.flatMap((rank) => recentFirst(rank, recent, most));
      const more = found.length < most ? recentFirst(inTurn(list, wanted), recent, most) : [];
      return [...found, ...more].slice(0, most);
    },
  };
}

type Listed = { readonly one: Named; readonly text: string };

/** The names with that text in them, the best kind of fit first. */
function ranked(list: readonly Listed[], wanted: string): readonly (readonly Named[])[] {
  const [exact, starts, words, contains]: [Named[], Named[], Named[], Named[]] = [[], [], [], []];
  for (const { one, text } of list) {
    const at = text.indexOf(wanted);
    if (at === -1) continue;
    if (at > 0) (hasWordFrom(text, wanted, at) ? words : contains).push(one);
    else (text.length === wanted.length ? exact : starts).push(one);
  }
  return [exact, starts, words, contains];
}

const inTurn = (list: readonly Listed[], wanted: string): readonly Named[] =>
  list.filter(({ text }) => !text.includes(wanted) && hasInTurn(text, wanted)).map(({ one }) => one);

/** Whether a word of the text begins so, from the first place on where it stands. */
function hasWordFrom(text: string, wanted: string, first: number): boolean {
  for (let at = first; at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (/[^\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
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

/** At most so many of a rank, those of these ids before the others: one look through it, however many ids there are. */
function recentFirst(rank: readonly Named[], recent: ReadonlyMap<string, number>, most: number): readonly Named[] {
  const early: { readonly one: Named; readonly at: number }[] = [];
  const late: Named[] = [];
  for (const one of rank) {
    const at = recent.get(one.id);
    if (at !== undefined) early.push({ one, at });
    else if (late.length < most) late.push(one);
  }
  const first = early.sort((one, other) => one.at - other.at).map(({ one }) => one);
  return [...first, ...late].slice(0, most);
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
