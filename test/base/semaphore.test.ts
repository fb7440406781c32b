import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NotAdmitted, createSemaphore } from '../../src/base/semaphore.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('runs at most the allowed number at once, first come first served, and leaves nothing behind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 20 }), async (most, fates) => {
      const inTurn = createSemaphore({ most, waiting: 100, waitMs: 1_000 });
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

test('limits how many wait, and how long', async () => {
  const inTurn = createSemaphore({ most: 1, waiting: 1, waitMs: 1_000 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = inTurn(() => promise);
  const late = inTurn(() => promise).catch((error: unknown) => error);
  await expect(inTurn(() => promise)).rejects.toThrow(new NotAdmitted('own'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toEqual(new NotAdmitted('late'));
  const next = inTurn(() => Promise.resolve('next'));
  resolve('first');
  expect(await Promise.all([first, next])).toEqual(['first', 'next']);
});

test('the person with the least work in progress goes first, and nobody exceeds their limit', async () => {
  const inTurn = createSemaphore({ most: 3, maxEach: 2, waiting: 100, waitMs: 1_000 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (who: string, what: string): Promise<void> =>
    inTurn(() => {
      begun.push(what);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(what, resolve);
      return promise;
    }, who);
  const all = [add('ana', 'a1'), add('ana', 'a2'), add('ana', 'a3'), add('ana', 'a4')];
  all.push(add('ben', 'b1'), add('ben', 'b2'), add('chi', 'c1'));
  const end = async (what: string): Promise<void> => {
    ends.get(what)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  // Ana still has one running, Chi has none.
  expect(begun.slice(3)).toEqual(['c1']);
  await end('a2');
  await end('b1');
  await end('c1');
  expect(begun.slice(4)).toEqual(['a3', 'b2', 'a4']);
  for (const what of begun) await end(what);
  await Promise.all(all);
});

test('a person with too much waiting is refused because of their own work, and nobody else is refused for it', async () => {
  const inTurn = createSemaphore({ most: 1, waiting: 3, waitingEach: 2, waitMs: 1_000 });
  const { promise, resolve } = Promise.withResolvers<string>();
  const fine = [inTurn(() => promise, 'ana'), inTurn(() => promise, 'ana'), inTurn(() => promise, 'ana')];
  await expect(inTurn(() => promise, 'ana')).rejects.toThrow(new NotAdmitted('own'));
  fine.push(inTurn(() => promise, 'ben'));
  await expect(inTurn(() => promise, 'ben')).rejects.toMatchObject({ why: 'all' });
  resolve('done');
  expect(await Promise.all(fine)).toEqual(['done', 'done', 'done', 'done']);
  expect(vi.getTimerCount()).toBe(0);
});

test('several names of one person have one share', async () => {
  const behind = (who: string): string => who.slice(0, 1);
  const inTurn = createSemaphore({ most: 4, maxEach: 1, waiting: 9, waitingEach: 1, waitMs: 1_000 }, behind);
  const begun: string[] = [];
  const ends = Promise.withResolvers<void>();
  const asks = (who: string): Promise<void> =>
    inTurn(async () => {
      begun.push(who);
      await ends.promise;
    }, who);
  const works = [asks('a1'), asks('a2'), asks('b1')];
  await expect(asks('a3')).rejects.toThrow(NotAdmitted);
  expect(begun).toEqual(['a1', 'b1']);
  ends.resolve();
  await Promise.all(works);
  expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('the last places are for people with nothing running', async () => {
  const inTurn = createSemaphore({ most: 4, maxEach: 2, kept: 2, waiting: 9, waitMs: 60_000 });
  const began: string[] = [];
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const works = ['ana', 'ana', 'ben', 'ben', 'chi', 'chi'].map((who) =>
    inTurn(async () => {
      began.push(who);
      await over;
    }, who),
  );
  await Promise.resolve();
  expect(began).toEqual(['ana', 'ana', 'ben', 'chi']);
  end();
  await Promise.all(works);
  expect(began.toSorted()).toEqual(['ana', 'ana', 'ben', 'ben', 'chi', 'chi']);
});
