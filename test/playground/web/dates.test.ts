import { describe, expect, it } from 'vitest';
import { dated, timeOf } from '../../../src/playground/web/dates.ts';

describe('a time on the page', () => {
  const at = Date.UTC(2026, 2, 14, 7, 5);

  it.each(['{date_short_pretty} {time}', '{date_short} {time}', '{time} {date_pretty}'])(
    'has the right time of day in %s',
    (format) => {
      expect(dated(at / 1000, format)).toContain(timeOf(at));
    },
  );

  it('says yesterday, today and tomorrow if the format requests it', () => {
    const day = (offset: number): string => dated((Date.now() + offset * 86_400_000) / 1000, '{date_pretty}');
    expect([day(-1), day(0), day(1)]).toEqual(['yesterday', 'today', 'tomorrow']);
    expect(day(-3)).toMatch(/\d{4}/);
  });

  it('leaves an unknown format unchanged', () => {
    expect(dated(at / 1000, 'at {moonrise}')).toBe('at {moonrise}');
  });
});
