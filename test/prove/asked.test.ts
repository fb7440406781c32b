import { expect, test } from 'vitest';
import { notPlayed, readProveOptions } from './asked.ts';

test('what is asked for is read, and what is left out has its usual', () => {
  expect(readProveOptions(['--runs', '3', '--seed', '42', '--at-once', '5', '--sqlite-only'])).toEqual({
    seed: '42',
    rounds: 3,
    isQuick: false,
    isSqliteOnly: true,
    atOnce: 5,
    isWeatherOnly: false,
  });
  expect(readProveOptions([])).toMatchObject({ rounds: 2, isQuick: false, isSqliteOnly: false, isWeatherOnly: false });
  expect(readProveOptions(['--quick', '--only', 'weather'])).toMatchObject({ rounds: 1, isWeatherOnly: true });
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
  [['--runs', '2', '--only', 'weather'], '--runs counts deaths, and --only weather leaves these out.'],
  [['--only', 'deaths'], '--only knows weather alone, not "deaths".'],
  [['--seed', 'one'], '--seed wants a whole number of at most 15 digits, not "one".'],
  [['--slow'], "Unknown option '--slow'."],
  [['quick'], "Unexpected argument 'quick'."],
])('%j is refused in one sentence', (words, says) => {
  expect(() => readProveOptions(words)).toThrow(expect.objectContaining({ message: says }));
});

test('where nothing of a part was played that was asked for, it is named', () => {
  const all = { isWeatherOnly: false, isSqliteOnly: false };
  expect(notPlayed(all, { deaths: 1, tales: 1, weather: 1 })).toEqual([]);
  expect(notPlayed(all, { deaths: 0, tales: 0, weather: 0 })).toEqual(['deaths', 'tales', 'weather']);
  expect(notPlayed({ ...all, isSqliteOnly: true }, { deaths: 1, tales: 0, weather: 1 })).toEqual([]);
  expect(notPlayed({ ...all, isWeatherOnly: true }, { deaths: 0, tales: 0, weather: 0 })).toEqual(['weather']);
});
