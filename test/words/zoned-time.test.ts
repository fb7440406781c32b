import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hourMs } from '../../src/words/duration.ts';
import {
  beginningAt,
  endingAt,
  isZoneName,
  localDay,
  momentMeant,
  momentsOf,
  timeOfDay,
  weeklyAround,
} from '../../src/words/zoned-time.ts';

const berlin = 'Europe/Berlin';
const utc = (text: string): number => Date.parse(`${text}Z`);
const iso = (at: number): string => new Date(at).toISOString().slice(0, 16);

describe('local times around a change of the clock', () => {
  test.each<[zone: string, local: string, moments: readonly string[], beginning?: string, ending?: string]>([
    // Forward at 2026-03-29T01:00Z, from 02:00 to 03:00.
    [berlin, '2026-03-29T01:59', ['2026-03-29T00:59']],
    [berlin, '2026-03-29T02:00', [], '2026-03-29T01:00', '2026-03-29T01:00'],
    [berlin, '2026-03-29T02:59', [], '2026-03-29T01:00', '2026-03-29T01:00'],
    [berlin, '2026-03-29T03:00', ['2026-03-29T01:00']],
    // Back at 2026-10-25T01:00Z, from 03:00 to 02:00.
    [berlin, '2026-10-25T01:59', ['2026-10-24T23:59']],
    [berlin, '2026-10-25T02:00', ['2026-10-25T00:00', '2026-10-25T01:00']],
    [berlin, '2026-10-25T02:59', ['2026-10-25T00:59', '2026-10-25T01:59']],
    [berlin, '2026-10-25T03:00', ['2026-10-25T02:00']],
    ['America/New_York', '2026-03-08T02:30', [], '2026-03-08T07:00', '2026-03-08T07:00'],
    ['America/New_York', '2026-11-01T01:30', ['2026-11-01T05:30', '2026-11-01T06:30']],
    // The south: forward in October, back in April.
    ['Australia/Sydney', '2026-10-04T02:30', [], '2026-10-03T16:00', '2026-10-03T16:00'],
    ['Australia/Sydney', '2026-04-05T02:30', ['2026-04-04T15:30', '2026-04-04T16:30']],
    // By half an hour.
    ['Australia/Lord_Howe', '2026-10-04T02:15', [], '2026-10-03T15:30', '2026-10-03T15:30'],
    ['Australia/Lord_Howe', '2026-10-04T02:30', ['2026-10-03T15:30']],
    ['Australia/Lord_Howe', '2026-04-05T01:45', ['2026-04-04T14:45', '2026-04-04T15:15']],
    // At midnight, so that a day begins at one, or twice.
    ['America/Sao_Paulo', '2018-11-04T00:00', [], '2018-11-04T03:00', '2018-11-04T03:00'],
    ['America/Sao_Paulo', '2018-02-17T23:30', ['2018-02-18T01:30', '2018-02-18T02:30']],
    // A whole day left out.
    ['Pacific/Apia', '2011-12-30T12:00', [], '2011-12-30T10:00', '2011-12-30T10:00'],
    // Back for Ramadan, which is winter time.
    ['Africa/Casablanca', '2026-02-15T02:30', ['2026-02-15T01:30', '2026-02-15T02:30']],
    ['Asia/Kolkata', '2026-03-29T02:30', ['2026-03-28T21:00']],
    ['UTC', '2026-03-29T02:30', ['2026-03-29T02:30']],
    ['Mars/Olympus', '2026-03-29T02:30', ['2026-03-29T02:30']],
  ])('%s at %s', (zone, local, moments, beginning = moments[0], ending = moments.at(-1)) => {
    expect(momentsOf(zone, utc(local)).map(iso)).toEqual(moments);
    expect([iso(beginningAt(zone, utc(local))), iso(endingAt(zone, utc(local)))]).toEqual([beginning, ending]);
    const skippedBy = moments.length > 0 ? 0 : momentMeant(zone, utc(local)) - beginningAt(zone, utc(local));
    expect(iso(momentMeant(zone, utc(local)) - skippedBy)).toBe(beginning);
  });

  test('each moment shows the local time that it is read from', () => {
    const zone = fc.constantFrom(berlin, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Monrovia');
    const seconds = fc.integer({ min: Date.UTC(1960) / 1_000, max: Date.UTC(2040) / 1_000 });
    const shows = (zone: string) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    fc.assert(
      fc.property(zone, seconds, (zone, second) => {
        const at = second * 1_000;
        const local = utc(shows(zone).format(at).replace(' ', 'T'));
        expect(momentsOf(zone, local)).toContain(at);
        expect(momentsOf(zone, local).map((one) => utc(shows(zone).format(one).replace(' ', 'T')))).toEqual(
          momentsOf(zone, local).map(() => local),
        );
      }),
      { numRuns: 300 },
    );
  });
});

test('days and times that there are', () => {
  const days = ['2026-02-28', '2026-02-29', '2028-02-29', '2026-13-01', '2026-00-10', '2026-3-1', ''];
  expect(days.filter((day) => localDay(day) !== undefined)).toEqual(['2026-02-28', '2028-02-29']);
  const clocks = ['0:00', '09:05', '23:59:59', '24:00', '12:60', '12:00:60', '1:2', '１2:00', '12:00 '];
  expect(clocks.map(timeOfDay)).toEqual([0, 32_700_000, 86_399_000, ...Array.from({ length: 6 }, () => undefined)]);
});

test('zones by their full names', () => {
  const zones = ['UTC', berlin, 'europe/berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+2'];
  expect(zones.filter((zone) => !isZoneName(zone))).toEqual([]);
  const others = ['BST', 'IST', 'CET', '+02:00', 'Europe/Berlim', 'Mars/Olympus', '', 'Europe/', '/Berlin', 'GMT+2'];
  expect(others.filter((zone) => isZoneName(zone))).toEqual([]);
});

describe('Mondays at nine', () => {
  test.each([
    // Berlin changes its clock in the night to Sunday 2026-10-25.
    ['2026-10-19T07:00', berlin, '2026-10-19', '2026-10-19T07:00', '2026-10-26T08:00'],
    ['2026-10-19T06:59', berlin, '2026-10-12', '2026-10-12T07:00', '2026-10-19T07:00'],
    ['2026-10-25T23:59', berlin, '2026-10-19', '2026-10-19T07:00', '2026-10-26T08:00'],
    ['2026-10-25T19:00', 'Pacific/Kiritimati', '2026-10-26', '2026-10-25T19:00', '2026-11-01T19:00'],
    ['2026-10-26T20:00', 'Pacific/Pago_Pago', '2026-10-26', '2026-10-26T20:00', '2026-11-02T20:00'],
    ['2026-10-26T19:59', 'Pacific/Pago_Pago', '2026-10-19', '2026-10-19T20:00', '2026-10-26T20:00'],
    ['2026-10-26T09:00', 'No/Zone', '2026-10-26', '2026-10-26T09:00', '2026-11-02T09:00'],
  ])('at %s in %s', (now, zone, day, last, next) => {
    const around = weeklyAround({ weekday: 1, time: 9 * hourMs }, utc(now), zone);
    expect(around).toEqual({ last: { day, at: utc(last) }, next: utc(next) });
  });
});
