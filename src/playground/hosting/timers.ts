/** Timers that end together, so that nothing keeps the process alive after the stand-in closed. */
export class Timers {
  readonly #pending = new Set<NodeJS.Timeout>();
  #closed = false;

  /** Runs `action` once, `ms` from now, unless the stand-in closes before. */
  after(ms: number, action: () => void): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#pending.delete(timer);
      action();
    }, ms);
    this.#pending.add(timer);
  }

  /** Resolves `ms` from now; never after `close`, so that nobody acts on a stand-in that is gone. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Drops everything that is pending and takes nothing more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#pending) clearTimeout(timer);
    this.#pending.clear();
  }
}
