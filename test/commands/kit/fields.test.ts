import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isName } from '../../../src/commands/kit/action.ts';
import {
  choice,
  count,
  duration,
  flag,
  moment,
  phrase,
  word,
  type PlainField,
} from '../../../src/commands/kit/fields.ts';
import { catalogue } from '../../../src/commands/index.ts';
import { Refusal } from '../../../src/base/errors.ts';
import { hostile, refusalOf, refusalText, wordsFor } from '../../fixtures.ts';

const plainFields = [...catalogue].flatMap(([path, command]) =>
  Object.entries(command.fields).flatMap(([name, field]) =>
    isName(field) ? [] : [[`${path} ${name}`, name, field] as const],
  ),
);

describe('every field of every command', () => {
  test.each(plainFields)('%s: a displayed value is parsed to the same value', (_, name, field) => {
    fc.assert(
      fc.property(wordsFor(field, name), (words) => {
        const value = field.read(words);
        expect(field.read(field.show(value))).toEqual(value);
      }),
    );
  });

  test.each(plainFields)('%s: any text is parsed or refused, and a parsed value survives storing', (_, __, field) => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), (words) => {
        try {
          const value = field.read(words);
          const shown = field.show(value);
          // A flag that is off is omitted.
          expect(shown.length === 0 ? field.absent : field.read(shown)).toEqual(value);
          expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expect(refusalText(error)).toContain('Nothing was done.');
          expect(refusalText(error).length).toBeLessThan(400);
        }
      }),
    );
  });
});

test.each<[string, PlainField<unknown>, readonly string[], unknown]>([
  ['a choice in capitals', choice('Log', ['error', 'access']), ['ERROR'], 'error'],
  ['a number', count('Lines', 1, 10), ['7'], 7],
  ['the number of a change', count('Number', 1, 10), ['#7'], 7],
  ['a flag by itself', flag('Empty'), [], true],
  ['a flag that is off', flag('Empty'), ['off'], false],
  ['a phrase on two lines', phrase('Command'), ['cache\nclear'], 'cache clear'],
  ['a duration', duration('For', 0, 1e9), ['1h'], 3_600_000],
  ['a moment in two words', moment('Since'), ['2026-03-01', '14:05'], { clock: '2026-03-01 14:05' }],
])('%s', (_, field, words, value) => {
  expect(field.read(words)).toEqual(value);
});

test.each<[string, PlainField<unknown>, string, string]>([
  ['an invalid choice', choice('Log', ['error', 'access']), 'slow', 'error, access'],
  ['a property of every object', choice('Log', ['error']), '__proto__', 'has to be one of error'],
  ['too small', count('Lines', 1, 10), '0', '1 to 10'],
  ['too large', count('Lines', 1, 10), '11', '1 to 10'],
  ['2³¹', count('Lines', 1, 10), '2147483648', '1 to 10'],
  ['a fraction', count('Lines', 1, 10), '1.5', 'whole number'],
  ['negative', count('Lines', 1, 10), '-1', 'whole number'],
  ['an exponent', count('Lines', 1, 10), '1e0', 'whole number'],
  ['neither yes nor no', flag('Empty'), 'perhaps', 'yes or no'],
  ['a word of 201 characters', word('Search'), 'x'.repeat(201), 'at most 200'],
  ['a word with a tab', word('Search'), 'a\tb', 'tabs'],
])('refuses %s', (_, field, text, why) => {
  expect(refusalText(refusalOf(() => field.read([text])))).toContain(why);
});
