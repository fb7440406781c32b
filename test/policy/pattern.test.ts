import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Target } from '../../src/hosting/contract/target.ts';
import {
  covers,
  coversOfKind,
  coversFolded,
  comparableName,
  matches,
  readGlob,
  readPattern,
  showPattern,
  foldNames,
  type Glob,
} from '../../src/policy/pattern.ts';
import { company, domain, environment } from './fixtures.ts';

const blog = domain('blog.example.com');
const shop = domain('shop.example.com', 'acme-shop');

/** Pattern, target, whether an `allow` covers it, whether a `deny` does. */
const TABLE: readonly (readonly [string, Target, boolean, boolean])[] = [
  ['acme-shop/live', environment('acme-shop/live'), true, true],
  ['acme-shop/live', environment('acme-shop/staging'), false, false],
  ['acme-shop/live', environment('acme-shop/live2'), false, false],
  ['acme-shop/live', environment('my-acme-shop/live'), false, false],
  ['Acme-Shop/LIVE', environment('acme-shop/live'), true, true],
  ['acme-shop/live', environment('ACME-SHOP/Live'), true, true],
  ['acme-shop/ｌｉｖｅ', environment('acme-shop/live'), true, true],
  ['acme-shop/lіve', environment('acme-shop/live'), false, false],
  ['*/live', environment('acme-shop/live'), true, true],
  // A name that only looks like the one of the rule.
  ['acme-shop/live', environment('acme-\u{34F}shop/live'), false, true],
  ['acme-shop/live', environment('acme-shop/l\u{3164}ive'), false, true],
  ['acme-shop/live', environment('acme-shop\u{E0100}./live..'), false, true],
  ['acme.shop/live', environment('acme.\u{34F}shop/live'), false, true],
  ['ж/live', environment('ж\u{34F}/live'), false, true],
  ['café/live', environment('cafe\u{34F}\u{301}/live'), false, true],
  ['acme-❤️/live', environment('acme-❤️/live'), true, true],
  ['acme-shop./live', environment('acme-shop./live'), true, true],
  ['acme-shop/live', domain('x.example', 'acme-shop.'), false, true],
  ['*/*', environment('acme-\u{34F}shop/live'), true, true],
  ['*/live', environment('acme-shop/staging'), false, false],
  ['acme-*/live', environment('acme-shop/live'), true, true],
  ['acme-*/live', environment('acme/live'), false, false],
  ['*-shop/live', environment('acme-shop/live'), true, true],
  ['a*e-s*p/l*e', environment('acme-shop/live'), true, true],
  ['ab*ba/x', environment('aba/x'), false, false],
  ['acme-shop/*', environment('acme-shop/staging'), true, true],
  ['acme*', environment('acme-shop/live'), false, false],
  ['*/*', environment('acme-shop/live'), true, true],
  ['*/*', { ...environment('a/b/live'), site: { id: 's', name: 'a/b' } }, true, true],
  ['a/live', { ...environment('a/b/live'), site: { id: 's', name: 'a' } }, false, false],
  ['company', environment('acme-shop/live'), false, false],
  ['domain:*', environment('acme-shop/live'), false, false],
  // The site is unknown, or the name does not start with it.
  ['*/live', environment('live'), false, true],
  ['*/*', environment('live'), false, true],
  ['acme-shop/staging', environment('live'), false, true],
  ['domain:*', environment('live'), false, false],
  ['company', environment('live'), false, false],
  ['acme-shop/live', { ...environment('acme-shop/live'), site: { id: 's', name: 'other' } }, false, true],
  // Domains: by name, and by whole site.
  ['domain:shop.example.com', shop, true, true],
  ['domain:Shop.Example.COM', shop, true, true],
  ['domain:shop.example.com', domain('shop.example.com.'), true, true],
  ['domain:example.com', shop, false, false],
  ['domain:*.example.com', shop, true, true],
  ['domain:*.example.com', domain('example.com'), false, false],
  ['domain:*.example.com', domain('a.b.example.com'), true, true],
  ['domain:*.example.com', domain('notexample.com'), false, false],
  ['domain:*', shop, true, true],
  ['domain:müller.example', domain('xn--mller-kva.example'), true, true],
  ['domain:example.com', domain('ex%61mple.com'), false, false],
  ['domain:127.0.0.1', domain('0x7f.1'), false, false],
  ['domain:müaller.example', domain('mü%61ller.example'), false, false],
  ['acme-shop/*', shop, true, true],
  ['acme-*/*', shop, true, true],
  ['other/*', shop, false, false],
  ['acme-shop/live', shop, false, true],
  ['*/live', shop, false, true],
  ['other/live', shop, false, false],
  ['company', shop, false, false],
  // A domain with an unknown site.
  ['domain:blog.example.com', blog, true, true],
  ['domain:other.example.com', blog, false, false],
  ['acme-shop/*', blog, false, true],
  ['*/*', blog, false, true],
  ['*/live', blog, false, true],
  ['company', company, true, true],
  ['*/*', company, false, false],
  ['domain:*', company, false, false],
];

describe('what a pattern covers', () => {
  test.each(TABLE)('%s on %o: allow %s, deny %s', (text, target, allow, deny) => {
    const pattern = readPattern(text);
    if (typeof pattern === 'string') {
      // The malformed pattern in the table is refused, so it covers nothing.
      expect([text, allow, deny]).toEqual(['acme*', false, false]);
      return;
    }
    expect([
      coversFolded(pattern, foldNames(target), 'allow'),
      coversFolded(pattern, foldNames(target), 'deny'),
    ]).toEqual([allow, deny]);
    expect([covers(pattern, target, 'allow'), covers(pattern, target, 'deny')]).toEqual([allow, deny]);
    expect(readPattern(showPattern(pattern))).toEqual(pattern);
  });

  test('what an allow covers, a deny with the same pattern covers too', () => {
    expect.hasAssertions();
    const patterns = TABLE.map(([text]) => readPattern(text)).filter((pattern) => typeof pattern !== 'string');
    for (const pattern of patterns) {
      for (const [, target] of TABLE) {
        if (coversFolded(pattern, foldNames(target), 'allow'))
          expect(coversFolded(pattern, foldNames(target), 'deny')).toBe(true);
      }
    }
  });
});

describe('whether a pattern covers some, or all, targets of a kind', () => {
  test.each<[string, Target['kind'], boolean, boolean]>([
    ['company', 'company', true, true],
    ['company', 'environment', false, false],
    ['*/*', 'company', false, false],
    ['domain:*', 'domain', true, true],
    ['domain:a.b', 'domain', true, false],
    ['domain:*', 'environment', false, false],
    ['*/*', 'environment', true, true],
    ['*/*', 'domain', true, true],
    ['a/b', 'environment', true, false],
    ['a/b', 'domain', false, false],
    ['a/*', 'domain', true, false],
    ['a*/*', 'environment', true, false],
    ['*/b*', 'environment', true, false],
    // A `deny` on part of every site covers its domains; an `allow` does not.
    ['*/b', 'domain', false, true],
  ])('%s of %s: some %s, all %s', (text, kind, some, all) => {
    const pattern = readPattern(text);
    if (typeof pattern === 'string') throw new Error(pattern);
    expect([coversOfKind(pattern, kind, 'some'), coversOfKind(pattern, kind, 'all')]).toEqual([some, all]);
  });
});

test('a pattern’s mistake is reported, but the maximum length is accepted', () => {
  expect(['/b', 'a\u200b/b', 'a/b?', `${'x'.repeat(254)}/y`, 'domain:x', 'a/b/c'].map(readPattern)).toEqual([
    'a name is missing, or has spaces around it',
    'a name has invisible characters in it',
    'the only wildcard is a single *',
    'a name has at most 253 characters',
    'expected domain:example.com, domain:*.example.com or domain:*',
    'expected site/environment, domain:example.com or company',
  ]);
  for (const longest of [`${'x'.repeat(253)}/y`, `domain:${'a.'.repeat(126)}b`])
    expect(readPattern(longest)).toBeTypeOf('object');
});

test.each([
  '',
  '/',
  'a/',
  '/b',
  'a/b/c',
  'acme',
  ' a/b',
  'a/b ',
  'a/ b',
  'a/**',
  'a/b?',
  'a/[bc]',
  '{a,b}/c',
  '!a/b',
  'a\u200b/b',
  'a/b\u202e',
  'a/b\u0000',
  'a\u3164/b',
  'a/b\ud800',
  `${'x'.repeat(254)}/y`,
  'Company',
  'domain:',
  'domain:x',
  'domain:a b.c',
  'domain:*example.com',
  'domain:a.*.com',
  'domain:.com',
  'domain:a..b',
  `domain:${'a.'.repeat(140)}b`,
  'domain:ex/ample.com',
  'domain:example.com/x',
  'domain:mü_ller.example',
])('%j is not a pattern', (text) => {
  expect(readPattern(text)).toBeTypeOf('string');
});

describe('a glob', () => {
  const glob = (text: string): Glob => {
    const read = readGlob(text);
    if (typeof read === 'string') throw new Error(read);
    return read;
  };
  const piece = fc.stringMatching(/^[ab.-]{0,4}$/);

  test('matches its pieces in order, each after the previous one', () => {
    const name = 'a-b-c';
    expect(
      ['a*b*c', 'a*c', '*b*', 'a*x*c', 'a*c*b', '*b*b*', 'a-b*b-c'].filter((one) => matches(glob(one), name)),
    ).toEqual(['a*b*c', 'a*c', '*b*']);
  });

  test('agrees with the equivalent regular expression', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.stringMatching(/^[ab.-]{0,12}$/),
        (pieces, name) => {
          const expression = new RegExp(`^${pieces.map((one) => one.replaceAll('.', '\\.')).join('.*')}$`);
          expect(matches(pieces, name)).toBe(expression.test(name));
        },
      ),
    );
  });

  test('covers its own text, in any case and form', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,20}$/), (name) => {
        expect(matches(glob(name), name.toUpperCase())).toBe(true);
        expect(matches(glob(`*${name}*`), `x${name}`)).toBe(true);
        expect(comparableName(comparableName(name))).toBe(comparableName(name));
      }),
    );
  });

  test('is quick, however many stars it has', () => {
    const many = `${'*a'.repeat(120)}b`.split('*');
    expect(matches(many, 'a'.repeat(100_000))).toBe(false);
  });
});
