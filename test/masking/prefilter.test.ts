import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiTable, codesOf, runIn, wordsFinder } from '../../src/masking/prefilter.ts';

const words = ['pass', 'pw', 'token', "('", '@x', 'ключ', '334 ', ' -p', '/hooks/'];
const find = wordsFinder(words);

test('finds each word at any position and in any case, and no other', () => {
  const piece = fc.oneof(
    fc.constant('İ'),
    fc.constantFrom(...words, ...words.map((word) => word.toUpperCase())),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      const held = words.filter((word) => text.toLowerCase().includes(word));
      expect([...find(text)].sort()).toEqual(held.sort());
    }),
  );
});

test('a word behind a cancelling prefix does not count, unless it also occurs elsewhere', () => {
  const busy = wordsFinder(['key', 'code'], { key: ['array '], code: ['<'] });
  expect([...busy('Undefined array key "a" <code>')]).toEqual([]);
  expect([...busy('array key "a", api_key')]).toEqual(['key']);
});

test('finds a run of characters at any position, and no shorter one', () => {
  const digits = asciiTable(/\d/);
  const text = fc.string({ unit: fc.constantFrom('1', '2', 'a', 'ш'), maxLength: 60 });
  fc.assert(
    fc.property(text, (one) => {
      expect(runIn(codesOf(one), one.length, digits, 4) !== -1).toBe(/\d{4}/.test(one));
    }),
  );
});
