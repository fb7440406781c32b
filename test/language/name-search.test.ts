import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { likelyWords, searchIn } from '../../src/language/name-search.ts';
import { hostile, uuid } from '../fixtures.ts';
import { cpuTime } from '../cpu-time.ts';

const named = (name: string, at: number): Environment => ({
  kind: 'environment',
  id: uuid(at),
  name,
  live: false,
  site: undefined,
});

/** Few letters, so that names often match, share a prefix or contain each other. */
const letter = fc.constantFrom(
  'a',
  'b',
  'A',
  'ä',
  'a\u0308',
  'é',
  'ß',
  '-',
  '/',
  ' ',
  '\n',
  '.',
  '2',
  'ω',
  'Ω',
  '日',
  '😀',
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: letter, minLength: 1, maxLength: 7 }) },
  { weight: 1, arbitrary: hostile.map((text) => text.slice(0, 40)) },
);
const list = fc.array(name, { maxLength: 30 }).map((names) => names.map(named));
const typed = fc.oneof(fc.string({ unit: letter, maxLength: 4 }), hostile);
const recent = fc.array(
  fc.integer({ min: 0, max: 34 }).map((at) => uuid(at)),
  { maxLength: 10 },
);

const bare = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
const isLetter = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Reference rank of a name, 0 is best; undefined: no match. Slow and simple. */
function rankOf(own: string, wanted: string): number | undefined {
  const text = bare(own);
  if (wanted === '') return 0;
  if (text === wanted) return 1;
  if (text.startsWith(wanted)) return 2;
  const places = Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(wanted, at));
  if (places.some((at) => at > 0 && !isLetter(text.charAt(at - 1)))) return 3;
  if (text.includes(wanted)) return 4;
  const inTurn = Array.from(wanted).reduce((rest: string | undefined, one) => {
    const at = rest?.indexOf(one) ?? -1;
    return at === -1 ? undefined : rest?.slice(at + one.length);
  }, text);
  return inTurn === undefined ? undefined : 5;
}

function slowly(all: readonly Environment[], said: string, most: number, first: readonly string[]): readonly string[] {
  const lateness = ({ id }: Environment): number => (first.includes(id) ? first.indexOf(id) : first.length);
  return all
    .flatMap((one) => {
      const rank = rankOf(one.name, bare(said.trim()));
      return rank === undefined ? [] : [{ one, rank }];
    })
    .sort((a, b) => a.rank - b.rank || lateness(a.one) - lateness(b.one))
    .map(({ one }) => one.id)
    .slice(0, most);
}

describe('likely matches', () => {
  test('equal those of a slow search: best match first, then the most recently used, then as listed', () => {
    fc.assert(
      fc.property(list, typed, fc.integer({ min: 1, max: 12 }), recent, (all, said, most, first) => {
        const found = searchIn(all).likely(said, most, first);
        expect(found.map(({ id }) => id)).toEqual(slowly(all, said, most, first));
      }),
      { numRuns: 2_000 },
    );
  });

  test('are in the list, without duplicates, and at most as many as requested', () => {
    fc.assert(
      fc.property(list, typed, fc.integer({ min: 0, max: 40 }), recent, (all, said, most, first) => {
        const found = searchIn(all).likely(said, most, [...first, ...first]);
        expect(found.length).toBeLessThanOrEqual(most);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((one) => all.includes(one))).toBe(true);
      }),
    );
  });

  test('include every name that contains the text, in the same order as without a history', () => {
    fc.assert(
      fc.property(list, typed, (all, said) => {
        const search = searchIn(all);
        const containing = search.containing(said, all.length);
        expect(search.likely(said, all.length, []).slice(0, containing.length)).toEqual(
          bare(said.trim()) === '' ? all : containing,
        );
      }),
    );
  });

  test.each<[string, readonly string[]]>([
    ['live', ['live', 'live-2/live', 'acme/live', 'my-live/x', 'olive/x', 'l-i-v-e/x']],
    ['OLIVE', ['olive/x']],
    ['acme/l', ['acme/live']],
    ['zzz', []],
  ])('%s', (said, found) => {
    const all = ['l-i-v-e/x', 'olive/x', 'acme/live', 'my-live/x', 'live-2/live', 'live'].map(named);
    expect(
      searchIn(all)
        .likely(said, 10, [])
        .map(({ name: own }) => own),
    ).toEqual(found);
  });
});

test('a name is found in capitals and in full-width letters, but not without its accents', () => {
  const all = ['café/live', 'cafe/live'].map(named);
  const exact = (said: string): readonly string[] =>
    searchIn(all)
      .exact(said)
      .map(({ id }) => id);
  expect(exact('CAFÉ/LIVE')).toEqual([uuid(0)]);
  expect(exact('ｃａｆｅ/live')).toEqual([uuid(1)]);
  expect(searchIn(all).likely('cafe', 10, [])).toHaveLength(2);
});

test('names that begin with the text come first; each position is listed once', () => {
  fc.assert(
    fc.property(fc.array(name), typed, fc.integer({ min: 1, max: 12 }), (words, said, most) => {
      const wanted = bare(said.trim());
      const places = likelyWords(words, said, most);
      const fits = words.flatMap((word, at) => (bare(word).includes(wanted) ? [at] : []));
      const begins = fits.filter((at) => bare(words[at] ?? '').startsWith(wanted));
      expect(places).toEqual([...begins, ...fits.filter((at) => !begins.includes(at))].slice(0, most));
    }),
  );
});

describe('10,000 environments', () => {
  const odd = ['café', 'naïve shop', 'über-uns', '日本', '🛒 cart', 'sh\u200Fop', 'İstanbul', 'O’Neil & Söhne', 'ﬁne'];
  const all = Array.from({ length: 10_000 }, (_, at) =>
    named(`${odd[at % odd.length] ?? ''}-${at % 5_000}/${at % 2 === 0 ? 'live' : 'staging'}`, at),
  );
  const first = [9_999, 5_000, 1, 7_777, 4_242, 3, 8_888, 2].map(uuid);

  test('with odd names are each found by their own name, first unless another has the same', () => {
    const search = searchIn(all);
    fc.assert(
      fc.property(fc.constantFrom(...all), (one) => {
        const found = search.likely(one.name, 100, []);
        expect(found.slice(0, search.exact(one.name).length)).toContain(one);
      }),
      { numRuns: 50 },
    );
  });

  test.each(['', 's', 'shop', 'naive shop-1234/live', 'ctlv', 'no such name'])(
    'are searched for “%s” in under 10 ms',
    (said) => {
      const search = searchIn(all);
      const medians = Array.from({ length: 5 }, () => {
        const times = Array.from({ length: 9 }, () => cpuTime(() => search.likely(said, 100, first)));
        return times.toSorted((a, b) => a - b)[4] ?? Infinity;
      });
      expect(Math.min(...medians)).toBeLessThan(10);
    },
  );
});
