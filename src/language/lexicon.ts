import { BoundedMap } from '../base/caches.ts';
import { edits } from '../words/similar-names.ts';
import { keyOf, type Spoken } from './spoken.ts';
import { isArrow } from './tokenize.ts';
import { catalogue, commandAt, type Command } from '../commands/index.ts';
import { cannotDo, type CannotDo } from '../commands/cannot.ts';
import { actionOptions, nearestOption, optionNames, takesRest } from './usage.ts';

/** Something that can be asked for, and the phrases that name it, with commas between them. */
export type Called<T> = { readonly of: T; readonly phrases: string };

/**
 * How well an entry fits a line: the score of its best phrase and the words of the line that it is `called` by, and the
 * words that any of its phrases explains.
 */
export type Match<T> = {
  readonly of: T;
  readonly score: number;
  readonly called: ReadonlySet<number>;
  readonly explains: ReadonlySet<number>;
};

/** A phrase: keys of words, and how often each kind of thing (`<address>`) has to be said with them. */
type Phrase<T> = {
  readonly of: T;
  readonly words: readonly string[];
  readonly kinds: readonly (readonly [kind: string, count: number])[];
};

/** What can be asked for, by its words. */
type Lexicon<T> = {
  /** Whether some phrase has this key. */
  readonly has: (key: string) => boolean;
  /**
   * The best match of each entry. A phrase has to be said whole; its words may stand anywhere. A mistyped word counts
   * less, and only if it is no word that some phrase has. `things`: how many of each kind were said.
   */
  readonly matches: (
    words: readonly Spoken[],
    isFree: (at: number) => boolean,
    things: ReadonlyMap<string, number>,
  ) => readonly Match<T>[];
};

export function createLexicon<T>(entries: readonly Called<T>[]): Lexicon<T> {
  const phrases = entries.flatMap(({ of, phrases: all }) => phrasesIn(of, all));
  const meanings = new Set(phrases.flatMap(({ words }) => words));
  const vocabulary = new Set([...meanings, ...[...alike].flatMap(([key, one]) => (meanings.has(one) ? [key] : []))]);
  // A phrase is looked at only if its longest word was said; one without words, always.
  const byWord = Map.groupBy(
    phrases,
    ({ words }) => words.toSorted((one, other) => other.length - one.length)[0] ?? '',
  );
  const ofLength = Map.groupBy(vocabulary, ({ length }) => length);
  const slips = new BoundedMap<string, string>(maxSlips);
  const meant = (key: string): string => {
    const known = slips.get(key) ?? mistyped(key, ofLength) ?? '';
    slips.set(key, known);
    return known;
  };
  return {
    has: (key) => vocabulary.has(key),
    matches: (words, isFree, things) => {
      const said = new Map<string, Saying>();
      const free = [...words.entries()].filter(([at, { quoted }]) => !quoted && isFree(at));
      for (const [place, [at, { key }]] of free.entries()) {
        const isKnown = vocabulary.has(key);
        const found = sameMeaning(isKnown ? key : meant(key));
        const { at: ats = [], places = [] } = said.get(found) ?? {};
        if (found !== '' && (ats.length === 0 || isKnown))
          said.set(found, { at: [...ats, at], places: [...places, place], slip: isKnown ? 0 : 0.5 });
      }
      const possible = ['', ...said.keys()].flatMap((word) => byWord.get(word) ?? []);
      return onceEach(possible.map((phrase) => ({ of: phrase.of, match: matchOf(phrase, said, things) })));
    },
  };
}

/** Each entry once: by its best phrase, and with what all of them explain. */
function onceEach<T>(
  matches: readonly { readonly of: T; readonly match: PhraseMatch | undefined }[],
): readonly Match<T>[] {
  const best = new Map<T, { score: number; called: ReadonlySet<number>; readonly explains: Set<number> }>();
  for (const { of, match } of matches) {
    if (match === undefined) continue;
    const one = best.get(of) ?? { score: -1, called: match.called, explains: new Set<number>() };
    if (match.score > one.score) Object.assign(one, match);
    for (const at of match.called) one.explains.add(at);
    best.set(of, one);
  }
  return [...best].map(([of, match]) => ({ of, ...match }));
}

function phrasesIn<T>(of: T, phrases: string): readonly Phrase<T>[] {
  return phrases
    .trim()
    .split(/\s*,\s*/)
    .filter((phrase) => phrase !== '')
    .map((phrase) => {
      const all = phrase.split(/\s+/);
      const kinds = Map.groupBy(
        all.filter((word) => word.startsWith('<')),
        (word) => word.slice(1, -1),
      );
      return {
        of,
        words: all.filter((word) => !word.startsWith('<')).map((word) => sameMeaning(keyOf(word))),
        kinds: [...kinds].map(([kind, { length }]) => [kind, length] as const),
      };
    });
}

/** Words that mean the same, whatever they are said of; the first stands for all of its line. */
const alike = new Map(
  `add create new insert introduce
  remove delete del rm rmv drop erase destroy discard uninstall kill
  change edit modify alter adjust correct
  stop end finish quit terminate
  program bot agent pipeline automation caller
  cancel abort
  silence mute unsubscribe
  disable deactivate off
  enable activate on
  allow permit grant authorize authorise admit
  allowlist whitelist safelist
  kick ban block revoke disallow deny
  find search locate lookup
  check chk
  update upd
  error err
  backup bkp
  tell say msg message inform
  connect attach hook link map
  site website webpage homepage
  environment env
  image picture photo img pic
  compress optimize optimise shrink compression
  redirect redirection forward forwarding rewrite reroute
  certificate cert ssl tls https
  ssh sftp shell ftp scp
  password passwd pwd passphrase
  expire expiry expiration lifetime
  clear clr flush purge empty wipe bust clean invalidate
  watch monitor alert alarm notify notification
  lock freeze reserve protect
  unlock unfreeze
  queue waitlist q
  wait pending
  temporary temp timed
  permission right privilege
  duplicate clone fork replicate
  upgrade bump patch
  restore rollback revert rewind
  restart reboot
  broken down offline dead unreachable outage crash hang
  slow sluggish lag
  download export
  history timeline
  folder directory dir
  file files
  verify intact
  audit protocol`
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.trim().split(' ').map(keyOf);
      return others.map((other) => [other, first] as const);
    }),
);
export const sameMeaning = (key: string): string => alike.get(key) ?? key;

/** Words that say nothing about what is wanted. */
const small = new Set(
  `a an the this that these those my our your its me us i we you he they it is are was were be been am do does did can u has have had
  having   could would should shall will may might must please pls plz kindly hey hi hello yo ok okay just now quickly again also
  thanks thank thx cheers of on for at in to by with from into onto over and or but so then there here some any
  which what see show list view display print want need like let lets give get got make sure bot sitehand site's ' going really actually asap tonight right only still no not guys team customer cust client says saying n r wat wats frm url sudo wp systemctl kubectl docker git heroku terminus app`
    .split(/\s+/)
    .map(keyOf),
);

/** Whether a word says nothing about what is wanted, unless a phrase has it. */
export const isSmall = ({ key, quoted }: Pick<Spoken, 'key' | 'quoted'>): boolean =>
  !quoted && (small.has(key) || isArrow(key) || /^:[a-z_+\d-]+:$/.test(key));

/** Where a word stands: in the line, and among the words that are no things. */
type Saying = { readonly at: readonly number[]; readonly places: readonly number[]; readonly slip: number };

/** How many mistyped words are remembered. */
const maxSlips = 1_000;
const mistypedBefore = 5;

/** Whether two letters, or more, changed places. */
const isSwapped = (one: string, other: string): boolean =>
  one.length === other.length && one.split('').toSorted().join('') === other.split('').toSorted().join('');

/** The only known word that differs by a letter or two, not the first one, unless the word is short or small. */
function mistyped(key: string, ofLength: ReadonlyMap<number, readonly string[]>): string | undefined {
  if (key.length < 4 || small.has(key) || !/^\p{L}+$/u.test(key)) return undefined;
  const [swapped, another] = (ofLength.get(key.length) ?? []).filter((one) => one[0] === key[0] && isSwapped(one, key));
  if (swapped !== undefined || key.length < mistypedBefore) return another === undefined ? swapped : undefined;
  const most = key.length < 7 ? 1 : 2;
  const near = [-2, -1, 0, 1, 2]
    .filter((off) => Math.abs(off) <= most && key.length + off >= mistypedBefore - 1)
    .flatMap((off) => ofLength.get(key.length + off) ?? [])
    .filter((one) => one[0] === key[0] && edits(one, key) <= most);
  return near.length === 1 ? near[0] : undefined;
}

type PhraseMatch = Pick<Match<unknown>, 'score' | 'called'>;

/** What a kind of thing adds to the score of a phrase, where a word adds 1. */
const thingScore = 0.4;

function matchOf(
  { words, kinds }: Phrase<unknown>,
  said: ReadonlyMap<string, Saying>,
  things: ReadonlyMap<string, number>,
): PhraseMatch | undefined {
  if (kinds.some(([kind, count]) => (things.get(kind) ?? 0) < count)) return undefined;
  const called = new Set<number>();
  let score = kinds.reduce((sum, [, count]) => sum + count * thingScore, 0);
  for (const [index, word] of words.entries()) {
    const saying = said.get(word);
    if (saying === undefined || !isBefore(word, saying, said.get(words[index + 1] ?? ''))) return undefined;
    score += 1 - saying.slip;
    for (const at of saying.at) called.add(at);
  }
  return { score, called };
}

/** How far a small word may stand before the word that it belongs to: `who can still push`. */
const nearby = 4;

/** A small word means something only right before the next word of its phrase; other words may stand anywhere. */
const isBefore = (word: string, { places }: Saying, next: Saying | undefined): boolean =>
  !small.has(word) ||
  next === undefined ||
  places.some((one) => next.places.some((other) => other > one && other - one <= nearby));

/** A command, or what comes nearest to what no command does, and what to say of that. */
export type Meant = { readonly path: string; readonly command: Command; readonly says?: CannotDo['says'] };

export const commandLexicon = createLexicon<Meant>([
  ...[...catalogue].map(([path, command]) => ({
    of: { path, command },
    phrases: [takesRest(command) ? '' : path, command.also ?? ''].join(),
  })),
  ...cannotDo.map(({ also, says, instead }) => ({
    of: { path: instead, command: commandAt(instead), says },
    phrases: also,
  })),
]);

/** The command that these words call best, by the words alone. */
export const bestCalled = (words: readonly Spoken[]): Meant | undefined =>
  commandLexicon
    .matches(words, () => true, new Map())
    .filter(({ of }) => of.says === undefined)
    .toSorted((one, other) => other.score - one.score)[0]?.of;

/** The words of the commands themselves. No site or environment is found in them unless it is named in full. */
export const pathWords = new Set([...catalogue.keys()].flatMap((path) => path.split(' ').map(keyOf)));

const optionsKnown = [...catalogue.values()].flatMap(({ fields }) =>
  Object.entries(fields).flatMap((one) => optionNames(...one)),
);
const optionsOfAll = [...new Set([...optionsKnown, ...actionOptions])];
export const known = {
  isWord: commandLexicon.has,
  isOption: (name: string) => nearestOption(name.toLowerCase(), optionsOfAll) !== undefined,
};
