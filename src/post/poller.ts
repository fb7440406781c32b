/** Polls at an interval, and at once when nudged; never runs two polls at the same time. */
export type Poller = {
  readonly nudge: () => void;
  /** Polls after `afterMs`, unless the next interval comes first. */
  readonly nudgeIn: (afterMs: number) => void;
  readonly start: () => void;
  /** Stops polling; resolves when the current poll is over. */
  readonly stop: () => Promise<void>;
};

type PollerOptions = {
  readonly everyMs: number;
  /** `stopping` aborts when polling stops. */
  readonly look: (stopping: AbortSignal) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
};

/** The poller runs only after `start`. */
export function createPoller({ everyMs, look, onTrouble }: PollerOptions): Poller {
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const polls = createPolls(() => look(stopping.signal).catch(onTrouble));
  const nudge = (): void => {
    if (timer !== undefined) polls.nudge();
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
      stopping.abort();
      clearInterval(timer);
      clearTimeout(soon);
      timer = undefined;
      await polls.end();
    },
  };
}

/** One poll at a time. A nudge during a poll causes one more. */
function createPolls(poll: () => Promise<void>): { readonly nudge: () => void; readonly end: () => Promise<void> } {
  let polling: Promise<void> | undefined;
  let again = false;
  const pollWhileNudged = async (): Promise<void> => {
    do {
      again = false;
      await poll();
    } while (again);
    // Cleared here, not in a later `then`: a nudge in between would be lost.
    polling = undefined;
  };
  return {
    nudge: () => {
      again = polling !== undefined;
      polling ??= pollWhileNudged();
    },
    end: async () => {
      again = false;
      await polling;
    },
  };
}
