import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameReader } from '../../src/base/answer-bounds.ts';

const limits = { informational: 8, headBytes: 65_536 };
const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n';
const head = (headers: string): string => `HTTP/1.1 200 OK\r\n${headers}\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)};x=y\r\n${text}\r\n`;
const chunked = head('A: b\r\nTRANSFER-Encoding:   chunked\r\n');
/** Looks like heads and chunks, but is text. */
const tricky = '\r\n\r\nHTTP/1.1 103 X\r\n\r\n1\r\nx\r\n';

const read = (text: string, cuts: readonly number[] = []) => {
  const reader = createFrameReader(limits);
  const at = [0, ...cuts.filter((cut) => cut < text.length).toSorted((one, other) => one - other), text.length];
  return at
    .slice(1)
    .map((to, n) => ({ ...reader.read(Buffer.from(text.slice(at[n], to))) }))
    .at(-1);
};

describe('the frames of an answer', () => {
  test.each([
    ['nothing yet', '', 0, 0, 0],
    ['a status line', 'HTTP/1.1 200 OK\r\n', 0, 17, 0],
    ['a final answer with a body', `${head('a: b\r\n')}${tricky}`, 0, head('a: b\r\n').length, 0],
    ['two early ones and a final one', early + early + head(''), 2, 2 * early.length + head('').length, 0],
    ['empty lines before a status', `\r\n\r\n${early}`, 1, 4 + early.length, 0],
    ['101, which is final', 'HTTP/1.1 101 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n', 0, 18, 0],
    ['chunks', chunked + chunk(tricky) + chunk('abc'), 0, chunked.length, 2],
    ['all chunks', `${chunked}${chunk('a'.repeat(1_000))}0\r\n\r\n`, 0, chunked.length, 2],
    ['more early ones than allowed, of which the next counts', early.repeat(20), 9, 9 * early.length, 0],
  ])('%s', (_, text, informational, headBytes, chunks) => {
    expect(read(text, [0])).toEqual({ informational, headBytes, chunks });
  });

  test('are the same however the bytes arrive', () => {
    const part = fc.constantFrom(
      early,
      chunked,
      head('a: b\r\n'),
      chunk(tricky),
      chunk('x'),
      '\r\n',
      tricky,
      '0\r\n\r\n',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(800), { maxLength: 40 }), (parts, cuts) => {
        expect(read(parts.join(''), cuts)).toEqual(read(parts.join('')));
      }),
    );
  });
});
