import { describe, expect, test } from 'vitest';
import {
  scheduled,
  scheduleInWords,
  scheduleOf,
  timeOptions,
  windowFrom,
  windowOf,
} from '../../src/language/schedule.ts';
import { plain } from '../../src/words/text.ts';
import { readTime } from '../../src/words/written-time.ts';
import { parsedFor, refusalOf, refusalText } from '../fixtures.ts';

const berlin = 'Europe/Berlin';
/** Friday, 18:00 in Berlin. */
const now = Date.parse('2026-11-27T17:00Z');
const morning = now - 9 * 3_600_000;
const read = (at: string, zone = berlin, from = now, within?: string): string => {
  const window = scheduleOf({ when: { at, within } }, from, zone);
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
    ['2026-12-01 18:00', '2026-12-01T17:00 2026-12-01T17:15'],
    ['2am', '2026-11-28T01:00 2026-11-28T01:15'],
    ['2 AM', '2026-11-28T01:00 2026-11-28T01:15'],
    ['7:30pm', '2026-11-27T18:30 2026-11-27T18:45'],
    ['12am', '2026-11-27T23:00 2026-11-27T23:15'],
    ['12:15 pm', '2026-11-28T11:15 2026-11-28T11:30'],
    ['02.30', '2026-11-28T01:30 2026-11-28T01:45'],
    ['at 19:30', '2026-11-27T18:30 2026-11-27T18:45'],
    ['tomorrow at 2am', '2026-11-28T01:00 2026-11-28T01:15'],
    ['2:30 pm tomorrow', '2026-11-28T13:30 2026-11-28T13:45'],
    ['at 14:30 on mon Europe/London', '2026-11-30T14:30 2026-11-30T14:45'],
    ['14:30 2026-12-01', '2026-12-01T13:30 2026-12-01T13:45'],
    ['tonight 23:00', '2026-11-27T22:00 2026-11-27T22:15'],
    ['Tonight at 11pm', '2026-11-27T22:00 2026-11-27T22:15'],
    ['in 2 hours', '2026-11-27T19:00 2026-11-27T19:15'],
    ['in 90m', '2026-11-27T18:30 2026-11-27T18:45'],
    ['19:30 UTC', '2026-11-27T19:30 2026-11-27T19:45'],
    ['fri 19:00 America/New_York', '2026-11-28T00:00 2026-11-28T00:15'],
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

  test('a zone that it names is that of the time; one of somebody that there is not is UTC', () => {
    expect(readTime('2026-12-01T08:00Z', now, berlin)).toMatchObject({ zone: 'UTC' });
    expect(readTime('08:00 Asia/Tokyo', now, berlin)).toMatchObject({ zone: 'Asia/Tokyo' });
    expect(read('19:30', 'Mars/Olympus')).toBe('2026-11-27T19:30 2026-11-27T19:45');
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
    ['what has begun, however long it would last', { at: '2026-11-27 17:59', within: '2h' }, now, /is over/],
    ['too far away', { at: '2027-01-01 00:00' }, now, /more than 30 days away/],
    [
      'no time',
      { at: 'soon' },
      now,
      /^I can't read “soon” as a time: write it like 14:30, tomorrow 02:00, fri 6pm or in 2 hours\. Nothing was sent\.$/,
    ],
    ['a day without a time', { at: 'tomorrow' }, now, /can't read “tomorrow”/],
    ['a day that there is not', { at: '2026-02-30 02:00' }, now, /can't read/],
    ['a time that no clock shows', { at: '24:30' }, now, /can't read/],
    ['a number before it', { at: '1 19:30' }, now, /can't read/],
    [
      'an hour of either half',
      { at: '2' },
      now,
      /^“2” leaves open which time you mean: write 02:00 or 14:00\. Nothing was sent\.$/,
    ],
    [
      'such an hour of a day',
      { at: 'tomorrow  at 2' },
      now,
      /“tomorrow at 2” .* write tomorrow 02:00 or tomorrow 14:00\./,
    ],
    ['noon, or midnight', { at: 'fri 12' }, now, /write fri 12:00 or fri 00:00\./],
    ['the morning of a night', { at: 'tonight 2am' }, now, /write tomorrow 02:00\./],
    ['either half of a night', { at: 'tonight at 11:30' }, now, /write today 23:30 or tomorrow 11:30\./],
    ['noon, which is no night', { at: 'tonight 12pm' }, morning, /write today 12:00 or tomorrow 00:00\./],
    ['either twelve of a night', { at: 'tonight 12:30' }, morning, /write today 12:30 or tomorrow 00:30\./],
    ['such a twelve, if noon is over', { at: 'tonight at 12' }, now, /write tomorrow 00:00\./],
    ['an hour of which no half is ahead', { at: 'today 2' }, now, /write today 02:00 or today 14:00\./],
    [
      'such an hour in a zone',
      { at: 'sat 2 America/New_York' },
      now,
      /write sat 02:00 America\/New_York or sat 14:00 America\/New_York\./,
    ],
    ['such an hour before its day', { at: '2Z tomorrow' }, now, /write tomorrow 02:00Z or tomorrow 14:00Z\./],
    ['more before a length', { at: 'within 2h' }, now, /can't read/],
    ['an hour alone', { at: '14' }, now, /can't read “14”/],
    ['an hour that no clock shows', { at: '13am' }, now, /can't read/],
    ['an hour before the first', { at: '0am' }, now, /can't read/],
    ['a length that is none', { at: 'in 2 moons' }, now, /can't read|not a time zone/],
    ['a length that is too long', { at: 'in 99999999 days' }, now, /more than 30 days away/],
    [
      'a zone that there is not',
      { at: '19:30 CEST' },
      now,
      /^CEST is not a time zone; Europe\/Berlin is one\. Nothing was sent\.$/,
    ],
    ['a short day', { at: 'mo 08:00' }, now, /can't read/],
    ['more than a time', { at: '19:30 or so' }, now, /can't read/],
    ['a length alone', { within: '1h' }, now, /--within goes with --at/],
    ['too long', { at: '19:00', within: '3h' }, now, /--within: .*from 1m to 2h/],
    ['a queue', { at: '19:00', queue: true }, now, /--queue and --at don't go together/],
  ] as const)('%s', (_, typed, from, says) => {
    const { at, within, queue } = { at: undefined, within: undefined, queue: false, ...typed };
    const refusal = refusalOf(() => scheduleOf({ when: { at, within }, queue }, from, berlin));
    expect(refusalText(refusal)).toMatch(says);
    // A length is read as for any other field.
    if (!('at' in typed && 'within' in typed)) expect(refusal.field).toBe('at' in typed ? 'at' : 'within');
  });

  test('with other times, of the same zone, that are read, and ahead', () => {
    const days = ['', 'today', 'tonight', 'tomorrow', 'fri', 'sun', '2026-11-28'];
    const clocks = ['12', '12:30', '12pm', '12am', '2', '2am', '2:30', '11', '11pm', '13:00', '0:30'];
    const all = days.flatMap((day) => clocks.map((clock) => `${day} ${clock}`.trim()));
    for (const from of [now, morning, Date.parse('2026-11-28T00:10Z')])
      for (const zone of ['', 'Z', ' UTC', ' Asia/Tokyo'])
        for (const text of all) {
          const asked = readTime(`${text}${zone}`, from, berlin);
          const isOpen = 'why' in asked && plain(asked.why).includes('leaves open');
          const offered = isOpen ? asked.why.flatMap((one) => ('text' in one && one.style === 'code' ? one : [])) : [];
          const read = offered.map(({ text: other }) => ({ other, ...readTime(other, from, berlin) }));
          expect(read.filter((one) => 'why' in one || !one.other.endsWith(zone))).toEqual([]);
          // Some of a day that is over may be asked about.
          const ahead = read.filter((one) => 'at' in one && one.at > from && !one.skipped);
          expect([read.length, 0]).toContain(ahead.length);
        }
  });

  test('with the time that is over, for everybody by their own clock', () => {
    const over = refusalOf(() => scheduleOf({ when: { at: '2026-11-27 17:30', within: undefined } }, now, berlin));
    expect(over.says).toContainEqual({ at: Date.parse('2026-11-27T16:30Z'), as: 'date' });
  });

  test('with what was typed, cut short', () => {
    const typed = `on ${'x'.repeat(50)}`;
    const says = refusalText(refusalOf(() => scheduleOf({ when: { at: typed, within: undefined } }, now, berlin)));
    expect(says).toContain(`“${typed.slice(0, 40)}”`);
    const zone = refusalText(
      refusalOf(() => scheduleOf({ when: { at: `19:30 ${'x'.repeat(50)}`, within: undefined } }, now, berlin)),
    );
    expect(zone).toMatch(/^x{40} is not a time zone/);
  });
});

test('read once, it is the same window whenever and by whomever its options are typed', () => {
  const parsed = parsedFor('cache clear', {}, { when: { at: 'tomorrow 02:00', within: '1h30m' } });
  const read = scheduled(parsed, now, berlin);
  const schedule = { at: Date.parse('2026-11-28T01:00Z'), until: Date.parse('2026-11-28T02:30Z') };
  expect(read).toEqual({ ...parsed, when: schedule });
  expect(windowOf(read)).toEqual(schedule);
  expect(() => windowOf(parsed)).toThrow('its time was not read');
  expect(scheduled(read, now + 60_000, 'Asia/Tokyo')).toEqual(read);
  const [at = '', within = ''] = timeOptions(schedule);
  expect([at, within]).toEqual(['--at=2026-11-28T01:00Z', '--within=1h30m']);
  const again = { at: at.slice(5), within: within.slice(9) };
  expect(scheduleOf({ when: again }, now, 'Asia/Tokyo')).toEqual(schedule);
  expect(timeOptions({ at: '2am', within: '1h' })).toEqual(['--at=2am', '--within=1h']);
  expect(timeOptions({ at: undefined, within: undefined })).toEqual([]);
  expect(timeOptions({ at: now, until: now + 15 * 60_000 })).toEqual(['--at=2026-11-27T17:00Z']);
  expect(windowFrom(now + 1)).toEqual({ at: now + 60_000, until: now + 16 * 60_000 });
  expect(windowFrom(now, schedule)).toEqual({ at: now, until: now + 90 * 60_000 });
  const atOnce = parsedFor('cache clear', {});
  expect(scheduled(atOnce, now, berlin)).toBe(atOnce);
});

test('a window that was read is over, too far away or too long like any other', () => {
  const of = (at: number, until: number) => () => scheduleOf({ when: { at, until } }, now, berlin);
  expect(refusalText(refusalOf(of(now - 2, now)))).toMatch(/is over/);
  const month = now + 30 * 86_400_000;
  expect(refusalText(refusalOf(of(month + 1, month + 2)))).toMatch(/more than 30 days/);
  expect(of(now - 1, now + 1)()).toEqual({ at: now - 1, until: now + 1 });
  expect(of(month, month * 2)()).toEqual({ at: month, until: month + 7_200_000 });
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
