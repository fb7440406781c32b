import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsFinder } from '../../src/masking/glance.ts';

const words = ['pass', 'pw', 'token', "('", '@x', 'ключ', '334 ', ' -p', '/hooks/'];
const find = wordsFinder(words);

test('finds each word wherever it stands, in any case, and no other', () => {
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
