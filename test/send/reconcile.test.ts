import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextLook, nextReminder } from '../../src/send/reminders.ts';

const minute = 60_000;

test.each<[string, lasts: number, after: number, next: number]>([
  ['an hour: at half', 60, 0, 30],
  ['an hour: then ten minutes before its end', 60, 30, 50],
  ['an hour: then at its end', 60, 50, 60],
  ['twenty minutes: half is ten minutes before its end', 20, 0, 10],
  ['a quarter of an hour: at half only', 15, 0, 7.5],
  ['a quarter of an hour: then at its end', 15, 7.5, 15],
  ['a day: at half', 1_440, 0, 720],
  ['a day: late in the evening', 1_440, 1_000, 1_430],
  ['over: at its end, which is now due', 60, 90, 60],
])('%s', (_, lasts, after, next) => {
  const asked = 1_000_000;
  expect(nextReminder(asked, asked + lasts * minute, asked + after * minute)).toBe(asked + next * minute);
});

test.each<[string, after: number, next: number]>([
  ['first when it escalates', 0, 15],
  ['then at half', 15, 30],
  ['a moment that passed unseen does not keep it due', 20, 30],
  ['at half, and then when a second one does', 30, 40],
])('what escalates after a quarter of an hour and after forty minutes is due %s', (_, after, next) => {
  const [asked, to] = [1_000_000, ['heads']];
  const one = { count: 1, people: ['U03CHI'], names: ['Chi'], groups: ['leads'] };
  const asks = [15, 40].map((minutes) => ({ ...one, escalate: { after: minutes * minute, to } }));
  const change = { created_at: asked, expires_at: asked + 60 * minute };
  expect(nextLook(change, { asks }, asked + after * minute)).toBe(asked + next * minute);
});

const waiting = fc.record({
  asked: fc.nat(2_000_000_000_000),
  lasts: fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.integer({ min: 1, max: 40 * minute }),
    fc.integer({ min: 1, max: 30 * 86_400_000 }),
  ),
});

test('is never in the past or after the end, at any time', () => {
  fc.assert(
    fc.property(waiting, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), ({ asked, lasts }, part) => {
      const now = asked + Math.floor(lasts * part);
      const next = nextReminder(asked, asked + lasts, now);
      expect(Number.isSafeInteger(next)).toBe(true);
      expect(next).toBeGreaterThan(now);
      expect(next).toBeLessThanOrEqual(asked + lasts);
    }),
    { numRuns: 1_000 },
  );
});

test('late polls remind at most twice, and then see the end', () => {
  fc.assert(
    fc.property(waiting, fc.array(fc.nat(20 * minute), { minLength: 4, maxLength: 4 }), ({ asked, lasts }, delays) => {
      const expires = asked + lasts;
      let [now, reminders] = [asked, 0];
      for (const late of delays) {
        now = nextReminder(asked, expires, now) + late;
        if (now >= expires) break;
        reminders += 1;
      }
      expect(now).toBeGreaterThanOrEqual(expires);
      expect(reminders).toBeLessThanOrEqual(2);
    }),
    { numRuns: 1_000 },
  );
});
