import { describe, expect, test } from 'vitest';
import { atArg, inUtc, scheduleInWords, scheduleOf } from '../../src/language/schedule.ts';
import { plain } from '../../src/words/text.ts';
import { parsedFor, refusalOf, refusalText } from '../fixtures.ts';

const berlin = 'Europe/Berlin';
/** Friday, 18:00 in Berlin. */
const now = Date.parse('2026-11-27T17:00Z');
const read = (at: string, zone = berlin, from = now, within?: string): string => {
  const window = scheduleOf({ at, within }, from, zone);
  return window ? [window.at, window.until].map((one) => new Date(one).toISOString().slice(0, 16)).join(' ') : '';
};

describe('--at is read by the clock of whoever asks', () => {
  test.each([
    ['19:30', '2026-11-27T18:30 2026-11-27T18:45'],
    ['2:00', '2026-11-28T01:00 2026-11-28T01:15'],
    ['18:00', '2026-11-28T17:00 2026-11-28T17:15'],
    ['today 23:59', '2026-11-27T22:59 2026-11-27T23:14'],
    ['tomorrow 02:00', '2026-11-28T01:00 2026-11-28T01:15'],
    ['Tomorrow  02:00', '2026-11-28T01:00 2026-11-28T01:15'],
    [' 19:30 ', '2026-11-27T18:30 2026-11-27T18:45'],
    ['fri 19:00', '2026-11-27T18:00 2026-11-27T18:15'],
    ['fri19:00', '2026-11-27T18:00 2026-11-27T18:15'],
    ['SAT 9:00', '2026-11-28T08:00 2026-11-28T08:15'],
    ['sunday 09:00', '2026-11-29T08:00 2026-11-29T08:15'],
    ['mon 09:00', '2026-11-30T08:00 2026-11-30T08:15'],
    ['tuesday 09:00', '2026-12-01T08:00 2026-12-01T08:15'],
    ['wed 09:00', '2026-12-02T08:00 2026-12-02T08:15'],
    ['thurs 09:00', '2026-12-03T08:00 2026-12-03T08:15'],
    ['2026-12-27 18:00', '2026-12-27T17:00 2026-12-27T17:15'],
    ['friday 17:00', '2026-12-04T16:00 2026-12-04T16:15'],
    ['thu 18:00', '2026-12-03T17:00 2026-12-03T17:15'],
    ['sun 03:00', '2026-11-29T02:00 2026-11-29T02:15'],
    ['2026-12-01 08:00', '2026-12-01T07:00 2026-12-01T07:15'],
    ['2026-12-01T08:00Z', '2026-12-01T08:00 2026-12-01T08:15'],
  ])('%s', (text, window) => {
    expect(read(text)).toBe(window);
  });

  test('on both hemispheres, and over changes of summer time: an hour that comes twice is its first', () => {
    expect(read('02:30', berlin, Date.parse('2026-10-24T20:00Z'))).toBe('2026-10-25T00:30 2026-10-25T00:45');
    // Between its two occurrences.
    expect(read('02:30', berlin, Date.parse('2026-10-25T01:15Z'))).toBe('2026-10-26T01:30 2026-10-26T01:45');
    expect(read('02:30', 'Australia/Sydney', Date.parse('2027-04-03T10:00Z'))).toBe(
      '2027-04-03T15:30 2027-04-03T15:45',
    );
    expect(read('02:30', berlin, Date.parse('2027-03-28T13:00Z'))).toBe('2027-03-29T00:30 2027-03-29T00:45');
    expect(read('02:30', berlin, Date.parse('2027-03-28T08:00Z'))).toBe('2027-03-29T00:30 2027-03-29T00:45');
    expect(read('sun 02:30', berlin, Date.parse('2027-03-28T08:00Z'))).toBe('2027-04-04T00:30 2027-04-04T00:45');
    expect(read('tomorrow 02:30', berlin, Date.parse('2027-03-26T22:00Z'))).toBe('2027-03-27T01:30 2027-03-27T01:45');
  });

  test('the window is as long as asked for', () => {
    expect(read('19:30', berlin, now, '2h')).toBe('2026-11-27T18:30 2026-11-27T20:30');
    expect(read('17:30', berlin, now)).toBe('2026-11-28T16:30 2026-11-28T16:45');
    expect(scheduleOf({}, now, berlin)).toBeUndefined();
  });
});

describe('refused with one sentence', () => {
  test.each([
    [
      'an hour that there is not',
      { at: 'tomorrow 02:30' },
      Date.parse('2027-03-27T10:00Z'),
      /no 02:30 on 2027-03-28 in Europe\/Berlin/,
    ],
    [
      'an hour that there is not, and that would be ahead',
      { at: '02:30' },
      Date.parse('2027-03-27T23:30Z'),
      /no 02:30 on 2027-03-28 in Europe\/Berlin/,
    ],
    [
      'a window that is over',
      { at: '2026-11-27 17:45' },
      now,
      /is over: type another time after --at\. Nothing was sent\./,
    ],
    ['what is over', { at: '2026-11-27 17:30' }, now, /is over: type another time after --at\. Nothing was sent\./],
    ['today, over', { at: 'today 17:00' }, now, /is over/],
    ['too far away', { at: '2027-01-01 00:00' }, now, /more than 30 days away/],
    ['no time', { at: 'soon' }, now, /can't read “soon” as a time\. Nothing was sent\. Write --at 14:30/],
    ['a day without a time', { at: 'tomorrow' }, now, /can't read “tomorrow”/],
    ['a day that there is not', { at: '2026-02-30 02:00' }, now, /can't read/],
    ['a time that no clock shows', { at: '24:30' }, now, /can't read/],
    ['a number before it', { at: '1 19:30' }, now, /can't read/],
    ['a short day', { at: 'mo 08:00' }, now, /can't read/],
    ['more than a time', { at: '19:30 or so' }, now, /can't read/],
    ['a length alone', { within: '1h' }, now, /--within goes with --at/],
    ['too long', { at: '19:00', within: '3h' }, now, /--within: .*from 1m to 2h/],
    ['a queue', { at: '19:00', queue: true }, now, /--queue and --at don't go together/],
  ] as const)('%s', (_, typed, from, says) => {
    const refusal = refusalOf(() => scheduleOf(typed, from, berlin));
    expect(refusalText(refusal)).toMatch(says);
    // A length is read as for any other field.
    if (!('at' in typed && 'within' in typed)) expect(refusal.field).toBe('at' in typed ? 'at' : 'within');
  });

  test('with the time that is over, for everybody by their own clock', () => {
    const over = refusalOf(() => scheduleOf({ at: '2026-11-27 17:30' }, now, berlin));
    expect(over.says).toContainEqual({ at: Date.parse('2026-11-27T16:30Z'), as: 'date' });
  });

  test('with what was typed, cut short', () => {
    const typed = `on ${'x'.repeat(50)}`;
    const says = refusalText(refusalOf(() => scheduleOf({ at: typed }, now, berlin)));
    expect(says).toContain(`“${typed.slice(0, 40)}”`);
  });
});

test('run again, it is the same time in UTC', () => {
  const parsed = parsedFor('cache clear', {}, { at: 'tomorrow 02:00', within: '1h' });
  expect(inUtc(parsed, now, berlin)).toEqual({ ...parsed, at: '2026-11-28T01:00Z' });
  expect(scheduleOf(inUtc(parsed, now, berlin), now, 'Asia/Tokyo')).toEqual(scheduleOf(parsed, now, berlin));
  expect(atArg(now + 1)).toBe('2026-11-27T17:01Z');
  const atOnce = parsedFor('cache clear', {});
  expect(inUtc(atOnce, now, berlin)).toBe(atOnce);
});

test.each([
  ['2026-11-28T01:00Z', '02:00 in Europe/Berlin'],
  ['2026-10-25T00:30Z', '02:30 in Europe/Berlin, the first of two'],
  ['2026-10-25T01:30Z', '02:30 in Europe/Berlin'],
])('in words, for everybody and by the clock of whoever asked: %s', (text, there) => {
  const at = Date.parse(text);
  const words = scheduleInWords({ at, until: at + 60_000 }, berlin);
  expect(plain(words)).toContain(`(${there}), by `);
  expect(words).toContainEqual({ at, as: 'date' });
  expect(words).toContainEqual({ at: at + 60_000, as: 'date' });
});
