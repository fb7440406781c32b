/** Timers that end together, so that none keeps the process alive after the stand-in is closed. */
export class Timers {
  readonly #pending = new Set<NodeJS.Timeout>();
  #closed = false;

  /** Runs `action` once after `ms`, unless the stand-in is closed before. */
  after(ms: number, action: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#pending.delete(timer);
      action();
    }, ms);
    this.#pending.add(timer);
  }

  /** Resolves after `ms`; never after `close`, so that nothing acts on a closed stand-in. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Cancels all timers and accepts no more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#pending) clearTimeout(timer);
    this.#pending.clear();
  }
}
