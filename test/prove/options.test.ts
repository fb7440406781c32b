import { expect, test } from 'vitest';
import { notPlayed, readProveOptions } from './options.ts';

test('reads the options that are given, and uses defaults for the others', () => {
  expect(readProveOptions(['--runs', '3', '--seed', '42', '--at-once', '5', '--sqlite-only'])).toEqual({
    seed: '42',
    rounds: 3,
    isQuick: false,
    isSqliteOnly: true,
    atOnce: 5,
    isTroubleOnly: false,
  });
  expect(readProveOptions([])).toMatchObject({ rounds: 2, isQuick: false, isSqliteOnly: false, isTroubleOnly: false });
  expect(readProveOptions(['--quick', '--only', 'trouble'])).toMatchObject({ rounds: 1, isTroubleOnly: true });
  expect(readProveOptions([]).atOnce).toBeGreaterThan(0);
  expect(readProveOptions([]).seed).toMatch(/^\d+$/);
});

test.each([
  [['--at-once', '0'], '--at-once wants a whole number from 1 on, not "0".'],
  [['--at-once', '-1'], "Option '--at-once' argument is ambiguous."],
  [['--at-once=-1'], '--at-once wants a whole number from 1 on, not "-1".'],
  [['--at-once', '1e3'], '--at-once wants a whole number from 1 on, not "1e3".'],
  [['--runs', 'x'], '--runs wants a whole number from 1 on, not "x".'],
  [['--runs', '0'], '--runs wants a whole number from 1 on, not "0".'],
  [['--runs', '1.5'], '--runs wants a whole number from 1 on, not "1.5".'],
  [['--runs='], '--runs wants a whole number from 1 on, not "".'],
  [['--runs', '2', '--only', 'trouble'], '--runs counts kills, and --only trouble has none.'],
  [['--only', 'deaths'], '--only takes nothing but trouble, not "deaths".'],
  [['--seed', 'one'], '--seed wants a whole number of at most 15 digits, not "one".'],
  [['--slow'], "Unknown option '--slow'."],
  [['quick'], "Unexpected argument 'quick'."],
])('%j is refused in one sentence', (words, says) => {
  expect(() => readProveOptions(words)).toThrow(expect.objectContaining({ message: says }));
});

test('names each requested part of which nothing was played', () => {
  const all = { isTroubleOnly: false, isSqliteOnly: false };
  expect(notPlayed(all, { deaths: 1, tales: 1, trouble: 1 })).toEqual([]);
  expect(notPlayed(all, { deaths: 0, tales: 0, trouble: 0 })).toEqual(['deaths', 'tales', 'trouble']);
  expect(notPlayed({ ...all, isSqliteOnly: true }, { deaths: 1, tales: 0, trouble: 1 })).toEqual([]);
  expect(notPlayed({ ...all, isTroubleOnly: true }, { deaths: 0, tales: 0, trouble: 0 })).toEqual(['trouble']);
});
