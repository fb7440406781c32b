import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPoller } from '../../src/post/poller.ts';

describe('a poller', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** A poller whose polls end when `end` is called. */
  function manualPoller(everyMs = 1_000) {
    const ends: (() => void)[] = [];
    const troubles: unknown[] = [];
    const look = (): Promise<void> => new Promise((end) => ends.push(end));
    const poller = createPoller({ everyMs, look, onTrouble: (error) => troubles.push(error) });
    const end = async (): Promise<void> => {
      ends.at(-1)?.();
      await vi.advanceTimersByTimeAsync(0);
    };
    return { poller, ends, end };
  }

  test('polls at the start and at every interval, and never twice at a time', async () => {
    const { poller, ends, end } = manualPoller();
    poller.nudge();
    expect(ends).toHaveLength(0);
    poller.start();
    expect(ends).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ends).toHaveLength(1);
    await end();
    expect(ends).toHaveLength(2);
    await end();
    expect(ends).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ends).toHaveLength(3);
    await end();
    await poller.stop();
    await vi.advanceTimersByTimeAsync(9_000);
    poller.nudge();
    expect(ends).toHaveLength(3);
  });

  test('a nudge at the very end of a poll is not lost', async () => {
    let looks = 0;
    const poller = createPoller({
      everyMs: 1_000_000,
      look: async () => void (looks += 1),
      onTrouble: () => undefined,
    });
    poller.start();
    for (let turn = 1; turn < 12; turn += 1) {
      await Promise.resolve();
      const before = looks;
      poller.nudge();
      for (let more = 0; more < 12; more += 1) await Promise.resolve();
      expect(looks).toBeGreaterThan(before);
      for (let more = 0; more < turn; more += 1) await Promise.resolve();
    }
    await poller.stop();
  });

  test('reports a failed poll and goes on; stopping waits for the poll under way', async () => {
    const troubles: unknown[] = [];
    const poller = createPoller({
      everyMs: 1_000,
      look: async () => Promise.reject(new Error('x')),
      onTrouble: (error) => troubles.push(error),
    });
    poller.start();
    await vi.advanceTimersByTimeAsync(2_000);
    await poller.stop();
    expect(troubles).toHaveLength(3);
    const slow = manualPoller();
    slow.poller.start();
    slow.poller.nudge();
    let stopped = false;
    const stopping = slow.poller.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    await slow.end();
    await stopping;
    expect(slow.ends).toHaveLength(1);
  });
});
