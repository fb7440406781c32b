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

/** A wait is split into so many parts. */
const parts = 4;

/**
 * Begins a time limit. What has arrived by its end is still read: if this process was frozen or blocked, its timers are
 * due before it has read its sockets. So a timer that fires late makes its part of the wait longer, and not the others
 * shorter; after the last part, one that fires far too late waits once more; and the end comes after a turn of input and
 * output.
 */
export function startDeadline(milliseconds: number): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
  const wait = (of: number, left: number): void => {
    const partMs = of / parts;
    const dueAt = performance.now() + partMs;
    timer = setTimeout(() => {
      const isFarTooLate = performance.now() - dueAt > partMs;
      if (left > 1 || (left === 1 && isFarTooLate)) return wait(of, left - 1);
      turn = setImmediate(() => controller.abort(new TooLate(of)));
    }, partMs);
  };
  const restart = (of: number): void => {
    stop();
    wait(of, parts);
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

/** Resolves when all promises have settled, or after `graceMs`. */
export async function settledWithin(graceMs: number, running: Iterable<Promise<unknown>>): Promise<void> {
  await within(graceMs, Promise.allSettled(running)).catch(() => undefined);
}
