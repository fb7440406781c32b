/** Looks for work at every beat, and at once when nudged; never twice at a time. */
export type Beat = {
  readonly nudge: () => void;
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
export function createBeat({ everyMs, look, onTrouble }: BeatOptions): Beat {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;

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
    start: () => {
      timer ??= setInterval(nudge, everyMs);
      nudge();
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      again = false;
      await looking;
    },
  };
}
