/** Looks for work at every beat, and at once when nudged; never twice at a time. */
export type Poller = {
  readonly nudge: () => void;
  /** Looks in so many milliseconds, where the next beat comes later. */
  readonly nudgeIn: (afterMs: number) => void;
  readonly start: () => void;
  /** Looks no more; resolves when the look under way is over. */
  readonly stop: () => Promise<void>;
};

type BeatOptions = {
  readonly everyMs: number;
  readonly look: () => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
};

/** Starts nothing by itself. A nudge during a look makes it look once more. */
export function createPoller({ everyMs, look, onTrouble }: BeatOptions): Poller {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let soon: NodeJS.Timeout | undefined;

  const lookWhileNudged = async (): Promise<void> => {
    do {
      again = false;
      await look().catch(onTrouble);
    } while (again);
    // At once and not in a later turn: a nudge in between would be lost.
    looking = undefined;
  };
  const nudge = (): void => {
    if (timer === undefined) return;
    again = looking !== undefined;
    looking ??= lookWhileNudged();
  };
  return {
    nudge,
    nudgeIn: (afterMs) => {
      if (afterMs >= everyMs) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        nudge();
      }, afterMs).unref();
    },
    start: () => {
      timer ??= setInterval(nudge, everyMs);
      nudge();
    },
    stop: async () => {
      clearInterval(timer);
      clearTimeout(soon);
      timer = undefined;
      again = false;
      await looking;
    },
  };
}
