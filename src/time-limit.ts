/** Something took longer than its limit. */
export class TooLate extends Error {
  override readonly name = 'TimeoutError';

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** A time limit whose end aborts `signal` with `TooLate`. Disposing of it ends the wait. */
export type Deadline = Disposable & {
  readonly signal: AbortSignal;
  /** Starts again, with this limit. */
  readonly restart: (milliseconds: number) => void;
};

/** Far too late: a timer that is late by more than this part of its time. It then waits for as long again, once. */
const lateShare = 1 / 4;

/**
 * Begins a time limit. What has arrived by its end is still read: if this process was frozen or blocked, its timers are
 * due before it has read its sockets. So a timer that fires far too late waits a little more, and the end always comes
 * after one turn of input and output.
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
  const wait = (of: number, forMs: number): void => {
    const dueAt = performance.now() + forMs;
    timer = setTimeout(() => {
      const more = of * lateShare;
      if (forMs === of && performance.now() - dueAt > more) return wait(of, more);
      turn = setImmediate(() => controller.abort(new TooLate(of)));
    }, forMs);
  };
  const restart = (of: number): void => {
    stop();
    wait(of, of);
  };
  restart(milliseconds);
  return { signal: controller.signal, restart, [Symbol.dispose]: stop };
}

/** Rejects with `TooLate` if the promise takes longer than `milliseconds`; a late result is ignored. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  using deadline = startDeadline(milliseconds);
  const { signal } = deadline;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new TooLate(milliseconds)), { once: true });
  });
  return await Promise.race([promise, late]);
}
