import { describe, expect, test } from 'vitest';
import { hoursEnd, readHours } from '../../../../src/commands/kit/values/hours.ts';

const end = (hours: string, now: string, zone = 'UTC'): string | undefined => {
  const at = hoursEnd(readHours('Quiet hours', hours), Date.parse(now), zone);
  return at === undefined ? undefined : new Date(at).toISOString();
};

describe('hours of every day', () => {
  test.each([
    ['22:00-07:00', '2026-11-23T21:59:00Z', 'UTC', undefined],
    ['22:00-07:00', '2026-11-23T22:00:00Z', 'UTC', '2026-11-24T07:00:00.000Z'],
    ['22:00-07:00', '2026-11-24T06:59:00Z', 'UTC', '2026-11-24T07:00:00.000Z'],
    ['22:00-07:00', '2026-11-24T07:00:00Z', 'UTC', undefined],
    ['9:00–17:00', '2026-11-24T12:00:00Z', 'UTC', '2026-11-24T17:00:00.000Z'],
    ['9:00-17:00', '2026-11-24T18:00:00Z', 'UTC', undefined],
    ['22:00-07:00', '2026-11-23T21:30:00Z', 'Europe/Berlin', '2026-11-24T06:00:00.000Z'],
    // The clocks go back in that night, and forward in this one.
    ['22:00-07:00', '2026-10-24T21:00:00Z', 'Europe/Berlin', '2026-10-25T06:00:00.000Z'],
    ['22:00-07:00', '2026-10-25T05:30:00Z', 'Europe/Berlin', '2026-10-25T06:00:00.000Z'],
    ['22:00-07:00', '2026-03-28T22:00:00Z', 'Europe/Berlin', '2026-03-29T05:00:00.000Z'],
    // The clocks skip this hour, and in the other case all but these hours of the day.
    ['01:00-02:00', '2026-03-29T02:15:00Z', 'Europe/Lisbon', undefined],
    ['02:00-01:00', '2026-03-29T02:15:00Z', 'Europe/Lisbon', '2026-03-30T00:00:00.000Z'],
  ])('%s at %s in %s end at %s', (hours, now, zone, wanted) => {
    expect(end(hours, now, zone)).toBe(wanted);
  });

  test.each(['22-7', '22:00', '24:00-07:00', '07:00-07:00', '22:00-07:60', ''])('“%s” is refused', (text) => {
    expect(() => readHours('Quiet hours', text)).toThrow('Quiet hours are like 22:00-07:00');
  });
});
