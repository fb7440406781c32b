import { describe, expect, it } from 'vitest';
import { isBeyond, keeps, median, quantile, tableOf, type Figure } from './figures.ts';

const figure = (parts: Partial<Figure>): Figure => ({ what: 'x', measured: 1, unit: '×', limit: 1, raw: {}, ...parts });

describe('a figure of the benchmark', () => {
  it.each([
    ['at its limit', {}, 1, true],
    ['above it', { measured: 1.1 }, 1, false],
    ['above it, loosened', { measured: 1.9 }, 2, true],
    ['beyond twice', { measured: 2.1 }, 2, false],
    ['at least so much', { measured: 0.6, limit: 0.7, least: true }, 1, false],
    ['at least so much, loosened', { measured: 0.36, limit: 0.7, least: true }, 2, true],
    ['without a limit', { measured: 99, limit: undefined }, 1, true],
    ['that could not be measured', { measured: Number.NaN }, 2, false],
  ] as const)('%s', (_, parts, looser, kept) => {
    expect(keeps(figure(parts), looser)).toBe(kept);
  });

  it.each([
    ['in every round', { measured: 5, spread: [4.1, 9] }, true],
    ['but for one round', { measured: 6.6, spread: [1.1, 15.6] }, false],
    ['and had one round only', { measured: 4.1 }, true],
    ['too few, in every round', { measured: 0.3, limit: 0.7, least: true, spread: [0.2, 0.34] }, true],
    ['too few, but for one round', { measured: 0.3, limit: 0.7, least: true, spread: [0.2, 0.5] }, false],
  ] as const)('is beyond twice its limit %s', (_, parts, beyond) => {
    expect(isBeyond(figure({ limit: 2, ...parts }), 2)).toBe(beyond);
  });

  it('stands in a table with its rounds and its verdict', () => {
    const table = tableOf([figure({ what: 'start', measured: 2.345, limit: 2, spread: [1.9, 12.5] })]);
    expect(
      table
        .split('\n')[1]
        ?.trim()
        .split(/\s{2,}/),
    ).toEqual(['start', '2.35×', '1.90× – 12.5×', '≤ 2.00×', 'MISSED']);
  });

  it('is taken at the quantile', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([quantile(hundred, 0.99), median(hundred), quantile([7], 0.99)]).toEqual([100, 51, 7]);
  });
});
