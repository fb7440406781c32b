import * as fc from 'fast-check';

const halves = { from: 0xd800, count: 0x800 };

/**
 * One code point of any kind except surrogates, the unit that fast-check calls `binary`. Its own builds a table of a
 * million entries, which takes a second per process; this one computes.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10_ffff - halves.count }).map(
  (at) => String.fromCodePoint(at < halves.from ? at : at + halves.count),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('not one code point');
    if (point >= halves.from && point < halves.from + halves.count) throw new Error('half of a pair');
    return point < halves.from ? point : point - halves.count;
  },
);
