import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { momentAt, readDuration, readMoment } from '../../../../src/commands/kit/values/times.ts';
import { showDuration } from '../../../../src/words/duration.ts';
import { refusalOf, refusalText } from '../../../fixtures.ts';

const berlin = 'Europe/Berlin';
const utc = (text: string): number => Date.parse(`${text}Z`);
const at = (text: string, now: string, zone: string): string =>
  new Date(momentAt(readMoment('Since', text), utc(now), zone)).toISOString().slice(0, 19);

describe('lengths of time', () => {
  test.each<[string, number]>([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2H', 7_200_000],
    ['7d', 604_800_000],
    ['1h30m', 5_400_000],
    ['1m1m', 120_000],
    ['7days', 604_800_000],
    ['1 day', 86_400_000],
    ['2 hours', 7_200_000],
    ['2hrs30mins', 9_000_000],
    ['90 Seconds', 90_000],
  ])('%s', (text, value) => {
    expect(readDuration('For', text, 0, 1e12)).toBe(value);
  });

  test.each([
    '',
    '0m',
    '4m',
    '31d',
    '999999d',
    '-1h',
    '1.5h',
    '1',
    'h',
    '1w',
    '1h 30m',
    '1 month',
    '2  hours',
    '7daysd',
    'x7days',
    'soon',
    '１h',
    '1e3s',
    '9'.repeat(4_000),
  ])('refuses %s', (text) => {
    const refusal = refusalText(refusalOf(() => readDuration('For', text, 5 * 60_000, 30 * 86_400_000)));
    expect(refusal).toMatch(/^For: type (a length of time like 30m or 2h|from 5m to 30d), not .*Nothing was done\.$/s);
    expect(refusal.length).toBeLessThan(200);
  });

  test('a displayed length is parsed again', () => {
    fc.assert(
      fc.property(fc.nat(86_400 * 30), (seconds) => {
        expect(readDuration('For', showDuration(seconds * 1000), 0, 1e12)).toBe(seconds * 1000);
      }),
    );
  });
});

describe('points in time', () => {
  test.each<[string, string, string, string, string]>([
    ['now', 'now', '2026-03-10T12:00:00', berlin, '2026-03-10T12:00:00'],
    ['so long ago', '1h30m', '2026-03-10T12:00:00', berlin, '2026-03-10T10:30:00'],
    ['so long ago, in words', '2h ago', '2026-03-10T12:00:00', berlin, '2026-03-10T10:00:00'],
    ['so long ago, in more words', '2 hours ago', '2026-03-10T12:00:00', berlin, '2026-03-10T10:00:00'],
    ['today', 'today', '2026-03-10T12:00:00', berlin, '2026-03-09T23:00:00'],
    ['yesterday', 'Yesterday', '2026-03-10T12:00:00', berlin, '2026-03-08T23:00:00'],
    ['yesterday, in a zone with another date', 'yesterday', '2026-03-10T23:30:00', berlin, '2026-03-09T23:00:00'],
    ['a time of day that has passed', '12:05', '2026-03-10T12:00:00', berlin, '2026-03-10T11:05:00'],
    ['a time of day to come is of the day before', '14:05', '2026-03-10T12:00:00', berlin, '2026-03-09T13:05:00'],
    ['of the day before, with another clock', '14:05', '2026-03-29T08:00:00', berlin, '2026-03-28T13:05:00'],
    ['one digit and seconds', '9:05:07', '2026-03-10T12:00:00', berlin, '2026-03-10T08:05:07'],
    ['a day', '2026-03-01', '2026-03-10T12:00:00', berlin, '2026-02-28T23:00:00'],
    ['a day and a time', '2026-03-01 14:05', '2026-03-10T12:00:00', berlin, '2026-03-01T13:05:00'],
    ['the same with T', '2026-03-01T14:05:09', '2026-03-10T12:00:00', berlin, '2026-03-01T13:05:09'],
    ['UTC', '2026-03-01T14:05Z', '2026-03-10T12:00:00', berlin, '2026-03-01T14:05:00'],
    ['a day in summer, asked in winter', '2025-07-01 14:05', '2026-01-10T12:00:00', berlin, '2025-07-01T12:05:00'],
    ['before the clocks go forward', '2026-03-29 01:30', '2026-07-01T12:00:00', berlin, '2026-03-29T00:30:00'],
    ['after they went forward', '2026-03-29 03:30', '2026-01-01T12:00:00', berlin, '2026-03-29T01:30:00'],
    ['an hour that there is not', '2026-03-29 02:30', '2026-01-01T12:00:00', berlin, '2026-03-29T01:30:00'],
    ['before the clocks go back', '2026-10-25 01:30', '2026-12-01T12:00:00', berlin, '2026-10-24T23:30:00'],
    ['an hour that comes twice is the first', '2026-10-25 02:30', '2026-12-01T12:00:00', berlin, '2026-10-25T00:30:00'],
    ['after they went back', '2026-10-25 03:30', '2026-07-01T12:00:00', berlin, '2026-10-25T02:30:00'],
    ['west of Greenwich', '2026-03-08 03:30', '2026-01-01T12:00:00', 'America/New_York', '2026-03-08T07:30:00'],
    ['half an hour off', '2026-03-01 14:05', '2026-03-10T12:00:00', 'Asia/Kolkata', '2026-03-01T08:35:00'],
    ['an unknown zone counts as UTC', '2026-03-01 14:05', '2026-03-10T12:00:00', 'Mars/Olympus', '2026-03-01T14:05:00'],
    ['1970', '1970-01-01', '2026-03-10T12:00:00', 'UTC', '1970-01-01T00:00:00'],
    ['the future', '2030-01-01', '2026-03-10T12:00:00', 'UTC', '2030-01-01T00:00:00'],
    ['a leap day', '2028-02-29', '2026-03-10T12:00:00', 'UTC', '2028-02-29T00:00:00'],
  ])('%s', (_, text, now, zone, moment) => {
    expect(at(text, now, zone)).toBe(moment);
  });

  test.each([
    '',
    '2026-02-31',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '25:00',
    '24:00',
    '12:60',
    '12:00:60',
    '1:2',
    ':',
    '99999999',
    '2026-3-1',
    '2026-03-0114:05',
    '14:05Z',
    'tomorrow',
    '999999d999999d',
    '3651d',
    '__proto__',
    'a'.repeat(4_000),
  ])('refuses %s', (text) => {
    const refusal = refusalText(refusalOf(() => readMoment('Since', text)));
    expect(refusal).toContain('Nothing was done.');
    expect(refusal.length).toBeLessThan(200);
  });

  test('a time of day converts back to itself in any zone, except in an hour that the clock skips', () => {
    const zone = fc.constantFrom(
      'UTC',
      berlin,
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    );
    const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2036-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(zone, day, (zone, date) => {
        const shown = date.toISOString().slice(0, 16).replace('T', ' ');
        const moment = momentAt(readMoment('Since', shown), utc('2026-06-01T00:00'), zone);
        const again = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'short',
        }).format(moment);
        const skipped = new Set(['02', '03', '01']).has(shown.slice(11, 13));
        if (!skipped) expect(again).toBe(shown);
      }),
    );
  });
});
