type Waiter = { check(): void; fail(reason: unknown): void };

/** How many callers may wait at once. */
const maxWaiting = 1_000;

/** Wakes those who wait for a condition of the stand-in. No polling; no waiter outlives `close`. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();
  #closed = false;

  /** Evaluates every waiting probe again after a change. */
  notify(): void {
    for (const waiter of this.#waiting) waiter.check();
  }

  /** The first defined value of `probe`. Rejects after `timeoutMs`, if the probe throws, or at `close`. */
  until<T>(probe: () => T | undefined, timeoutMs = 60_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => waiter.fail(new Error(`it did not happen within ${timeoutMs} ms`)), timeoutMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        check: () => {
          try {
            const value = probe();
            if (value === undefined) return;
            finish();
            resolve(value);
          } catch (error) {
            waiter.fail(error);
          }
        },
        fail: (reason) => {
          finish();
          reject(reason instanceof Error ? reason : new Error(String(reason)));
        },
      };
      this.#waiting.add(waiter);
      waiter.check();
      if (!this.#waiting.has(waiter)) return;
      if (this.#closed) waiter.fail(new Error('the stand-in is closed'));
      else if (this.#waiting.size > maxWaiting) waiter.fail(new Error(`more than ${maxWaiting} are waiting`));
    });
  }

  /** Rejects every waiter, and every later one that would have to wait. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) waiter.fail(new Error('the stand-in is closed'));
  }
}
