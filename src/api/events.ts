import { auditHead, linesAfter } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import { createPoller, type Poller } from '../post/poller.ts';

/** Wakes the streams whose change has news. One question to the database serves all of them. */

const lookMs = 500;
const batch = 500;

export type EventHub = Poller & {
  /** Waits for news of a change. */
  readonly follow: (change: number) => Following;
};

type Following = {
  /** True: there is news; false: none within `forMs`; undefined: this has ended, or the hub has stopped. */
  readonly next: (forMs: number) => Promise<boolean | undefined>;
  readonly end: () => void;
};

export function createEventHub({ db }: Database, onTrouble: (error: unknown) => void): EventHub {
  const readers = new Set<Reader>();
  let seen: number | undefined;
  const look = async (): Promise<void> => {
    if (readers.size === 0) return void (seen = undefined);
    const lines = seen === undefined ? undefined : await linesAfter(db, seen, batch);
    seen = lines?.at(-1)?.seq ?? seen ?? (await auditHead(db)).seq;
    // The first look cannot tell what has come since the streams began.
    const changed = lines && new Set(lines.map(({ change }) => change));
    for (const { change, wake } of readers) if (changed?.has(change) ?? true) wake();
  };
  const poller = createPoller({ everyMs: lookMs, look, onTrouble });
  const stop = (): Promise<void> => {
    for (const { end } of readers) end();
    return poller.stop();
  };
  return { ...poller, stop, follow: (change) => followIn(readers, change) };
}

type Reader = { readonly change: number; readonly wake: () => void; readonly end: () => void };

function followIn(readers: Set<Reader>, change: number): Following {
  let [isNews, isOver] = [false, false];
  let settle: (() => void) | undefined;
  const wake = (): void => {
    isNews = true;
    settle?.();
  };
  const end = (): void => {
    isOver = true;
    readers.delete(reader);
    settle?.();
  };
  const reader = { change, wake, end };
  readers.add(reader);
  return {
    next: (forMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => settle?.(), forMs).unref();
        settle = () => {
          clearTimeout(timer);
          settle = undefined;
          resolve(isOver ? undefined : isNews);
          isNews = false;
        };
        if (isNews || isOver) settle();
      }),
    end,
  };
}
