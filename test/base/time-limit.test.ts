import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { startDeadline, within } from '../../src/base/time-limit.ts';

/** Blocks this thread for this long. */
const isBusyFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('accepts an answer that came while this thread was blocked; only a missing one is late', async () => {
  const answer = within(200, readFile(import.meta.filename));
  isBusyFor(400);
  expect((await answer).length).toBeGreaterThan(0);
});

it('is late if nothing came', async () => {
  await expect(within(20, new Promise(() => undefined))).rejects.toThrow('no answer within 20 ms');
});

describe('a deadline of 400 ms', () => {
  let frozenMs = 0;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ticks = performance.now.bind(performance);
    frozenMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => ticks() + frozenMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  /** Lets so much time pass, of which the timers learn nothing while the process is frozen. */
  const pass = (ms: number, frozen = 0): void => {
    frozenMs += frozen;
    vi.advanceTimersByTime(ms);
  };

  test('ends after a turn in which what has arrived is read', async () => {
    using late = startDeadline(400);
    pass(399);
    await nextTurn();
    expect(late.signal.aborted).toBe(false);
    pass(1);
    expect(late.signal.aborted).toBe(false);
    await nextTurn();
    expect(late.signal.reason).toMatchObject({ message: 'no answer within 400 ms' });
  });

  test('does not end if the answer is read in that turn', async () => {
    const late = startDeadline(400);
    pass(400);
    late[Symbol.dispose]();
    await nextTurn();
    expect(late.signal.aborted).toBe(false);
  });

  test.each([
    [90, 0],
    [75_000, 100],
  ])('of a process that is frozen in its last part for %i ms ends %i ms later', async (frozen, more) => {
    using late = startDeadline(400);
    pass(300);
    pass(100, frozen);
    await nextTurn();
    expect(late.signal.aborted).toBe(more === 0);
    pass(more);
    await nextTurn();
    expect(late.signal.aborted).toBe(true);
  });

  test('begins again with another limit', async () => {
    using late = startDeadline(400);
    pass(400);
    late.restart(80);
    pass(79);
    await nextTurn();
    expect(late.signal.aborted).toBe(false);
    pass(1);
    await nextTurn();
    expect(late.signal.aborted).toBe(true);
  });
});
