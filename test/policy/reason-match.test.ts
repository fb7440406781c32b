import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addressOf,
  findMatch,
  linksIn,
  loadMatcher,
  maxSearched,
  wrongLink,
  wrongMatch,
} from '../../src/policy/reason-match.ts';
import { beginning } from '../../src/words/text.ts';
import { hostile } from '../fixtures.ts';

/** What rules look for in reasons, and where it leads. */

beforeAll(loadMatcher);

describe('an expression', () => {
  // An engine that backtracks does not come back from these.
  test.each([
    ['(a+)+$', `${'a'.repeat(maxSearched - 1)}!`, undefined],
    ['(a|a)*b', 'a'.repeat(10_000), undefined],
    ['(a*)*b', 'a'.repeat(10_000), undefined],
    ['(.*)*(.*)*(.*)*x', 'a'.repeat(10_000), undefined],
    ['(?:a?){100}a{100}', 'a'.repeat(10_000), maxSearched],
    // What follows the first characters is not searched.
    ['(a+)+$', `${'a'.repeat(10_000)}!`, maxSearched],
    ['z', `${'a'.repeat(maxSearched - 1)}z`, 1],
    ['z', `${'a'.repeat(maxSearched)}z`, undefined],
  ])('%s', (match, reason, length) => {
    expect(findMatch(match, reason)?.groups[0].length).toBe(length);
  });

  test.each([
    ['(', 'missing closing ): `(`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['((a{100}){100}){100}', 'invalid repeat count: `{100}`'],
    ['', 'it is found in every reason, even in an empty one'],
    ['[A-Z]*', 'it is found in every reason, even in an empty one'],
    ['(?i)shop-\\d+|\\p{Lu}', undefined],
  ])('%s: %s', (match, wrong) => {
    expect(wrongMatch(match)).toBe(wrong);
  });
});

describe('a link', () => {
  const groups = ['SHOP-12', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
  test.each<[string, readonly string[], string | undefined]>([
    ['https://t.example/$0', groups, 'https://t.example/SHOP-12'],
    ['https://t.example:8443/$1/$2?q=$9#$0', groups, 'https://t.example:8443/1/2?q=9#SHOP-12'],
    ['https://t.example/$10', groups, 'https://t.example/10'],
    ['https://t.example/all', groups, 'https://t.example/all'],
    ['https://t.example/x$1', ['', ''], 'https://t.example/x'],
    ['https://t.example/$0', ['a/b?c#d&e %$1'], 'https://t.example/a%2Fb%3Fc%23d%26e%20%25%241'],
    ['https://t.example/?q=$0', [`'"<>|()!*`], 'https://t.example/?q=%27%22%3C%3E%7C%28%29%21%2A'],
    ['https://t.example/$0', ['é😀'], 'https://t.example/%C3%A9%F0%9F%98%80'],
    // What a browser would read as another address is none.
    ['https://t.example/browse/$0', ['..'], undefined],
    ['https://t.example/browse/$0/x', ['.'], undefined],
    ['https://t.example/?q=$0', ['..'], 'https://t.example/?q=..'],
    ['https://t.example/$0', ['é'.repeat(400)], undefined],
  ])('%s with %j is %s', (link, found, url) => {
    expect(addressOf(link, found)).toBe(url);
  });

  test.each([
    ['http://t.example/$0', 'it takes https://'],
    ['javascript:alert($0)', 'it takes https://'],
    ['https://', 'it takes https://'],
    ['https://t.example', 'it takes https://'],
    ['https://me@t.example/$0', 'it takes https://'],
    ['https://T.example/$0', 'it takes https://'],
    ['https://t.example/$0|x', 'it takes https://'],
    ['https://t.example/<$0>', 'it takes https://'],
    ['https://$0.example/', 'the host cannot depend on the reason'],
    ['https://t.example$0/', 'the host cannot depend on the reason'],
    ['https://t.example/$3', '$3 is not there: the last group is $2'],
    ['https://t.example/$$', 'a $ is followed by one digit'],
    ['https://t.example/%24/$', 'a $ is followed by one digit'],
    ['https://t.example/a/../$0', 'browsers would read it as another address'],
    ['https://t.example:443/$0', 'browsers would read it as another address'],
    ['https://t.example/$0/%24', undefined],
  ])('%s: %s', (link, wrong) => {
    expect(wrongLink({ match: '(a)(b)?', link })?.slice(0, wrong?.length)).toBe(wrong);
  });

  test('whatever is typed: it leads to the host of the policy, below its path, and ends where the address ends', () => {
    fc.assert(
      fc.property(hostile, (typed) => {
        const searched = beginning(typed, maxSearched);
        for (const { from, to, url } of linksIn([{ match: '(?s).+', link: 'https://t.example/b/$0' }], typed)) {
          expect([from, to]).toEqual([0, searched.length]);
          expect(url).toMatch(/^https:\/\/t\.example\/b\/[\w.~%-]+$/);
          const { origin, pathname } = new URL(url);
          expect([origin, decodeURIComponent(pathname)]).toEqual([
            'https://t.example',
            `/b/${searched.toWellFormed()}`,
          ]);
        }
      }),
    );
  });
});

test('of several links in a reason, those that overlap an earlier one are left out', () => {
  const link = (name: string): string => `https://t.example/${name}/$1`;
  const matches = [
    { match: 'see (\\d+)', link: link('see') },
    { match: '([A-Z]+-\\d+)', link: link('key') },
    { match: '(\\d+)', link: link('number') },
    { match: 'see' },
  ];
  expect(linksIn(matches, 'SHOP-12, see 7')).toEqual([
    { from: 0, to: 7, url: 'https://t.example/key/SHOP-12' },
    { from: 9, to: 14, url: 'https://t.example/see/7' },
  ]);
  expect(linksIn('required', 'SHOP-12')).toEqual([]);
});
