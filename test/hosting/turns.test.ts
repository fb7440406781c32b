import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoTurn, turns } from '../../src/hosting/turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('never more at once than may be, first come first served, and nothing is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 20 }), async (most, fates) => {
      const inTurn = turns(most, 100, 1_000);
      let running = 0;
      const begun: number[] = [];
      const works = fates.map((fine, index) =>
        inTurn(async () => {
          begun.push(index);
          running += 1;
          expect(running).toBeLessThanOrEqual(most);
          await Promise.resolve();
          running -= 1;
          if (!fine) throw new Error('it failed');
          return index;
        }),
      );
      const ends = await Promise.allSettled(works);
      expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(fates);
      expect(begun).toEqual(fates.map((_, index) => index));
      expect(vi.getTimerCount()).toBe(0);
      expect(await inTurn(() => Promise.resolve('still open'))).toBe('still open');
    }),
  );
});

test('no more may wait than may, nor longer', async () => {
  const inTurn = turns(1, 1, 1_000);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = inTurn(() => promise);
  const late = inTurn(() => promise).catch((error: unknown) => error);
  await expect(inTurn(() => promise)).rejects.toThrow(new NoTurn('too many wait already'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toEqual(new NoTurn('no turn came in time'));
  const next = inTurn(() => Promise.resolve('next'));
  resolve('first');
  expect(await Promise.all([first, next])).toEqual(['first', 'next']);
});
