import { expect, test } from 'vitest';
import { partsNotRun, readProveOptions } from './options.ts';

test('reads the options that are given, and uses defaults for the others', () => {
  expect(readProveOptions(['--runs', '3', '--seed', '42', '--at-once', '5', '--sqlite-only'])).toEqual({
    seed: '42',
    rounds: 3,
    isQuick: false,
    isSqliteOnly: true,
    atOnce: 5,
    isTroubleOnly: false,
    fire: undefined,
  });
  expect(readProveOptions([])).toMatchObject({ rounds: 2, isQuick: false, isSqliteOnly: false, isTroubleOnly: false });
  expect(readProveOptions(['--quick', '--only', 'trouble'])).toMatchObject({ rounds: 1, isTroubleOnly: true });
  expect(readProveOptions([]).atOnce).toBeGreaterThan(0);
  expect(readProveOptions([]).seed).toMatch(/^\d+$/);
});

test.each([
  [['--only', 'fire'], { actions: 5_000, atTrueRates: false }],
  [['--only', 'fire', '--quick'], { actions: 200, atTrueRates: false }],
  [['--only', 'fire', '--true-rates'], { actions: 150, atTrueRates: true }],
  [['--only', 'fire', '--actions', '7'], { actions: 7, atTrueRates: false }],
])('%j is a fire', (words, fire) => {
  expect(readProveOptions(words).fire).toEqual(fire);
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
  [['--runs', '2', '--only', 'trouble'], '--runs counts the kills of whole runs, and --only trouble has none.'],
  [['--only', 'deaths'], '--only takes nothing but trouble or fire, not "deaths".'],
  [['--actions', '9'], '--actions and --true-rates belong to --only fire.'],
  [['--only', 'trouble', '--true-rates'], '--actions and --true-rates belong to --only fire.'],
  [['--only', 'fire', '--actions', '0'], '--actions wants a whole number from 1 on, not "0".'],
  [['--seed', 'one'], '--seed wants a whole number of at most 15 digits, not "one".'],
  [['--slow'], "Unknown option '--slow'."],
  [['quick'], "Unexpected argument 'quick'."],
])('%j is refused in one sentence', (words, says) => {
  expect(() => readProveOptions(words)).toThrow(expect.objectContaining({ message: says }));
});

test('names each requested part that played nothing', () => {
  const all = { isTroubleOnly: false, isSqliteOnly: false };
  expect(partsNotRun(all, { deaths: 1, replicas: 1, trouble: 1 })).toEqual([]);
  expect(partsNotRun(all, { deaths: 0, replicas: 0, trouble: 0 })).toEqual(['deaths', 'replicas', 'trouble']);
  expect(partsNotRun({ ...all, isSqliteOnly: true }, { deaths: 1, replicas: 0, trouble: 1 })).toEqual([]);
  expect(partsNotRun({ ...all, isTroubleOnly: true }, { deaths: 0, replicas: 0, trouble: 0 })).toEqual(['trouble']);
});
