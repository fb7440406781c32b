import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/hosting/contract/call.ts';
import { exactLines, exactRequest, laidOut } from '../../src/change/exact-request.ts';
import { hostile } from '../fixtures.ts';
import { readBack } from '../read-back.ts';

/** The request on a page can be converted back into exactly what is sent. */

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(hostile, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(hostile, tie('json'), { maxKeys: 4 }),
  ),
}));
const body = fc.record({ paths: fc.array(hostile, { maxLength: 30 }), deep: json });

describe('promise 5: the request on the page is the request that is sent', () => {
  test('for any body', () => {
    fc.assert(
      fc.property(body, (value) => {
        const lines = exactRequest({ kind: 'write', section: '', method: 'PUT', path: '/a', body: value });
        expect(lines[0]).toBe('PUT /a');
        expect(readBack(lines.slice(1))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('lines are short and show hidden characters', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of exactLines([text])) {
          expect(line.length).toBeLessThanOrEqual(62);
          expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200B\uFEFF\u2028\u00A0]/u);
        }
      }),
    );
  });

  test.each([
    ['plain text', 'wp-content/themes', 'wp-content/themes'],
    ['a letter that looks like another', 'lіve', 'lі⟨U+0456⟩ve'],
    ['invisible characters', 'li\u200Bve', 'li⟨U+200B⟩ve'],
    ['a no-break space', 'a\u00A0b', 'a⟨U+00A0⟩b'],
    ['an accent apart from its letter', 'a\u0308', 'a\u0308⟨U+0308⟩'],
    ['letters that turn the order', 'a/אב/1', 'a/⟨U+05D0 U+05D1⟩/1'],
    ['text that looks like a character code', '⟨U+200B⟩', '⟨⟨U+27E8⟩U+200B⟩⟨U+27E9⟩'],
    ['our mark at an end', 'a↩', 'a↩⟨U+21A9⟩'],
  ])('%s', (_, text, shown) => {
    expect(exactLines([text])).toEqual([shown]);
    expect(readBack([shown])).toBe(text);
  });

  test('a list has one item per line; a short one stays on one line', () => {
    const addresses = Array.from({ length: 9 }, (_, at) => `198.51.100.${at}`);
    expect(laidOut({ id: 'x', list: addresses }).slice(0, 5)).toEqual([
      '{',
      '"id":"x",',
      '"list":[',
      '"198.51.100.0",',
      '"198.51.100.1",',
    ]);
    expect(laidOut({ id: 'x', list: [] })).toEqual(['{"id":"x","list":[]}']);
  });
});
