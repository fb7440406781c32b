import { afterEach, beforeEach, describe, expect, test, vi, it } from 'vitest';
import { createTurns, oneEachTurn } from '../../../src/slack/context/turns.ts';
import type { Lane } from '../../../src/slack/context/context.ts';
import { NotAdmitted } from '../../../src/base/semaphore.ts';

describe('how much runs at once', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<[Lane, number, number]>([
    ['usual', 8, 40],
    ['reports', 2, 40],
    ['urgent', 8, 20],
  ])(
    '%s: for one person with all their ids, %i run and %i wait, for a minute at most',
    async (lane, running, waiting) => {
      const inTurn = createTurns((id) => (id === 'U9' ? 'U1' : id))[lane];
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      let begun = 0;
      const ask = (who: string): Promise<unknown> =>
        inTurn(() => ((begun += 1), over), who).catch((error: unknown) => error);
      const asked = Array.from({ length: running + waiting }, (_, at) => ask(at % 2 === 0 ? 'U1' : 'U9'));
      expect(await ask('U9')).toEqual(new NotAdmitted('own'));
      await vi.advanceTimersByTimeAsync(59_999);
      expect(begun).toBe(running);
      expect(vi.getTimerCount()).toBe(waiting);
      const other = ask('U2');
      await vi.advanceTimersByTimeAsync(1);
      expect(vi.getTimerCount()).toBe(0);
      end();
      const ends = await Promise.all(asked);
      expect(ends.filter((one) => one instanceof NotAdmitted && one.why === 'late')).toHaveLength(waiting);
      await other;
      expect(begun).toBe(running + 1);
    },
  );
});

it('starts one task in each turn of the event loop, in order, and lets other events run in between', async () => {
  const nextTurn = oneEachTurn((who) => who);
  const begun: string[] = [];
  let turn = 0;
  const count = (): void => {
    begun.push(`turn ${(turn += 1)}`);
    if (turn < 4) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(['one', 'two', 'three'].map(async (work) => (await nextTurn('ana'), begun.push(work))));
  expect(begun).toEqual(['turn 1', 'one', 'turn 2', 'two', 'turn 3', 'three']);
  await nextTurn('ana');
  expect(begun).toContain('three');
});

it('lets people take turns, with any of their ids: nobody waits for all tasks of another', async () => {
  const nextTurn = oneEachTurn((who) => who.slice(0, 3));
  const begun: string[] = [];
  const begin = async (who: string, work: string): Promise<void> => {
    await nextTurn(who);
    begun.push(work);
  };
  const many = [1, 2, 3, 4].map((at) => begin(at % 2 === 0 ? 'rob-1' : 'rob-2', `rob ${at}`));
  await Promise.all([...many, begin('ana', 'ana 1'), begin('ana', 'ana 2'), begin('ben', 'ben 1')]);
  expect(begun).toEqual(['rob 1', 'ana 1', 'ben 1', 'rob 2', 'ana 2', 'rob 3', 'rob 4']);
});
