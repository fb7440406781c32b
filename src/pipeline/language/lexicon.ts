import { distance } from 'fastest-levenshtein';
import { keyOf, type Spoken } from './spoken.ts';

/** What a phrase is made of: keys of words, and kinds of things such as `<address>`. */
type Phrase = readonly string[];

/** Something that can be asked for, by the phrases that name it. */
export type Called<T> = { readonly of: T; readonly phrases: readonly Phrase[] };

/** How well an entry fits a line, by its best phrase, and the words of the line that its phrases explain. */
export type Match<T> = {
  readonly of: T;
  readonly explains: ReadonlySet<number>;
  readonly score: number;
};

/** `phrases`: with commas between them. */
export const calledBy = <T>(of: T, phrases: string): Called<T> => ({
  of,
  phrases: phrases
    .trim()
    .split(/\s*,\s*/)
    .filter((phrase) => phrase !== '')
    .map((phrase) => phrase.split(/\s+/).map((word) => (word.startsWith('<') ? word : keyOf(word)))),
});

/** Words that say nothing about what is wanted. */
const small = new Set(
  `a an the this that these those my our your its me us i we you he they it is are was were be been am do does did can
  could would should shall will may might must please pls plz kindly hey hi hello yo ok okay just now quickly again also
  thanks thank thx cheers of on for at in to by with from into onto over and or but so then there here some any
  want need like let lets give get got make sure bot sitehand site's ' going really actually asap tonight right only still no not url sudo wp systemctl kubectl docker git`
    .split(/\s+/)
    .map(keyOf),
);

/** Whether a word says nothing about what is wanted, unless a phrase has it. */
export const isSmall = ({ key, quoted }: Spoken): boolean =>
  !quoted && (small.has(key) || /^(?::[a-z_+\d-]+:|[-=]*>|[→⇒⇨➔➙➜➝➞➡]\uFE0F?)$/u.test(key));

/**
 * The best match of each entry, best first. A phrase has to be said whole, in any order. A mistyped word counts less,
 * and only if it is no word that some phrase has. `things`: how many of each kind were said.
 */
export function matchAll<T>(
  entries: readonly Called<T>[],
  words: readonly Spoken[],
  isFree: (at: number) => boolean,
  things: ReadonlyMap<string, number>,
): readonly Match<T>[] {
  const said = sayings(entries, words, isFree);
  return entries
    .flatMap(({ of, phrases }): readonly Match<T>[] => {
      const matches = phrases.flatMap((phrase) => matchOf(phrase, said, things) ?? []);
      if (matches.length === 0) return [];
      const score = Math.max(...matches.map((match) => match.score));
      return [{ of, score, explains: new Set(matches.flatMap(({ explains }) => [...explains])) }];
    })
    .toSorted((one, other) => other.score - one.score);
}

type Saying = { readonly at: readonly number[]; readonly slip: number };

/** The words of the line by key; a mistyped word is also found by the key that it is nearest to. */
function sayings<T>(
  entries: readonly Called<T>[],
  words: readonly Spoken[],
  isFree: (at: number) => boolean,
): ReadonlyMap<string, Saying> {
  const known = new Set(entries.flatMap(({ phrases }) => phrases.flat()));
  const said = new Map<string, Saying>();
  for (const [at, { key, quoted }] of words.entries()) {
    if (quoted || !isFree(at)) continue;
    const [found, slip] = known.has(key) ? [key, 0] : [mistyped(key, known), 0.5];
    if (found === undefined) continue;
    const before = said.get(found);
    if (before === undefined || slip === 0) said.set(found, { at: [...(before?.at ?? []), at], slip });
  }
  return said;
}

const mistypedBefore = 4;

/** The only known word that differs by a letter or two, unless the word is short or small. */
function mistyped(key: string, known: ReadonlySet<string>): string | undefined {
  if (key.length < mistypedBefore || small.has(key) || !/^\p{L}+$/u.test(key)) return undefined;
  const most = key.length < 7 ? 1 : 2;
  const letters = (word: string): string => word.split('').toSorted().join('');
  const near = [...known].filter(
    (one) =>
      one.length >= mistypedBefore - 1 &&
      Math.abs(one.length - key.length) <= most &&
      (distance(one, key) <= most || letters(one) === letters(key)),
  );
  return near.length === 1 ? near[0] : undefined;
}

/** What a kind of thing adds to the score of a phrase, where a word adds 1. */
const thingScore = 0.4;

function matchOf(
  phrase: Phrase,
  said: ReadonlyMap<string, Saying>,
  things: ReadonlyMap<string, number>,
): Omit<Match<unknown>, 'of'> | undefined {
  const kinds = phrase.filter((word) => word.startsWith('<'));
  const counts = Map.groupBy(kinds, (kind) => kind.slice(1, -1));
  if ([...counts].some(([kind, all]) => (things.get(kind) ?? 0) < all.length)) return undefined;
  const sayings = phrase.filter((word) => !word.startsWith('<')).map((word) => ({ word, saying: said.get(word) }));
  let score = kinds.length * thingScore;
  for (const [index, { word, saying }] of sayings.entries()) {
    if (saying === undefined || !isBefore(word, saying, sayings[index + 1]?.saying)) return undefined;
    score += 1 - saying.slip;
  }
  return { score, explains: new Set(sayings.flatMap(({ saying }) => saying?.at ?? [])) };
}

/** How far a small word may stand before the word that it belongs to: `who can still push`. */
const nearby = 3;

/** A small word means something only right before the next word of its phrase; other words may stand anywhere. */
const isBefore = (word: string, { at }: Saying, next: Saying | undefined): boolean =>
  !small.has(word) ||
  next === undefined ||
  at.some((one) => next.at.some((other) => other > one && other - one <= nearby));
