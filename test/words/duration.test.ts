import { describe, expect, test } from 'vitest';
import { isAmountAndUnit, parseDuration, showDuration, spokenDuration } from '../../src/words/duration.ts';

describe('a duration', () => {
  test.each<[string, number | undefined]>([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['2 Hours', 7_200_000],
    ['2592000s', 2_592_000_000],
    ['99999999d', 99_999_999 * 86_400_000],
    ['999999999d', undefined],
    ['1h 30m', undefined],
    ['1.5h', undefined],
    ['', undefined],
    ['1s'.repeat(101), undefined],
  ])('%s is parsed', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    [0, '0s'],
    [5_400_000, '1h30m'],
    [90_061_000, '1d1h1m1s'],
  ])('%d ms is displayed', (milliseconds, text) => {
    expect(showDuration(milliseconds)).toBe(text);
  });

  test.each([
    [0, '1 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [134_000, '2 min 14 s'],
    [3_599_600, '1 h'],
    [3_900_000, '1 h 5 min'],
  ])('%d ms is displayed in words', (milliseconds, words) => {
    expect(spokenDuration(milliseconds)).toBe(words);
  });

  test('may be two words', () => {
    expect([isAmountAndUnit('7', 'days'), isAmountAndUnit('7d', 'ago'), isAmountAndUnit('7', 'ago')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
