import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns } from '../../../src/slack/context/capacity.ts';
import type { Lane } from '../../../src/slack/context/context.ts';
import { NotAdmitted } from '../../../src/base/semaphore.ts';

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
