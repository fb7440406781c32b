type Waiter = { check(): void; stop(why: unknown): void };

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
      const timer = setTimeout(() => waiter.stop(new Error(`it did not happen within ${timeoutMs} ms`)), timeoutMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        check: () => {
          try {
            const seen = probe();
            if (seen === undefined) return;
            finish();
            resolve(seen);
          } catch (error) {
            waiter.stop(error);
          }
        },
        stop: (why) => {
          finish();
          reject(why instanceof Error ? why : new Error(String(why)));
        },
      };
      this.#waiting.add(waiter);
      waiter.check();
      if (!this.#waiting.has(waiter)) return;
      if (this.#closed) waiter.stop(new Error('the stand-in is closed'));
      else if (this.#waiting.size > maxWaiting) waiter.stop(new Error(`more than ${maxWaiting} are waiting`));
    });
  }

  /** Rejects every waiter, and every later one that would have to wait. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) waiter.stop(new Error('the stand-in is closed'));
  }
}
