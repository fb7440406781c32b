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
  /** True: there is news; false: none within `forMs`. */
  readonly next: (forMs: number) => Promise<boolean>;
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
  return { ...createPoller({ everyMs: lookMs, look, onTrouble }), follow: (change) => followIn(readers, change) };
}

type Reader = { readonly change: number; readonly wake: () => void };

function followIn(readers: Set<Reader>, change: number): Following {
  let isNews = false;
  let settle: ((isNews: boolean) => void) | undefined;
  const wake = (): void => {
    isNews = true;
    settle?.(true);
  };
  const reader = { change, wake };
  readers.add(reader);
  return {
    next: (forMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => settle?.(false), forMs).unref();
        settle = (news) => {
          clearTimeout(timer);
          settle = undefined;
          isNews = false;
          resolve(news);
        };
        if (isNews) settle(true);
      }),
    end: () => {
      readers.delete(reader);
      settle?.(true);
    },
  };
}
