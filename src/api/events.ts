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
  const streams = new Map<number, Set<() => void>>();
  let seen: number | undefined;
  const look = async (): Promise<void> => {
    if (streams.size === 0) return void (seen = undefined);
    const lines = seen === undefined ? undefined : await linesAfter(db, seen, batch);
    seen = lines?.at(-1)?.seq ?? seen ?? (await auditHead(db)).seq;
    // The first look cannot tell what has come since the streams began.
    for (const change of new Set(lines?.map((line) => line.change) ?? streams.keys()))
      if (change !== null) for (const wake of streams.get(change) ?? []) wake();
  };
  return { ...createPoller({ everyMs: lookMs, look, onTrouble }), follow: (change) => followIn(streams, change) };
}

function followIn(streams: Map<number, Set<() => void>>, change: number): Following {
  let isNews = false;
  let settle: ((isNews: boolean) => void) | undefined;
  const wake = (): void => {
    isNews = true;
    settle?.(true);
  };
  const all = streams.get(change) ?? new Set();
  streams.set(change, all.add(wake));
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
      all.delete(wake);
      if (all.size === 0) streams.delete(change);
      settle?.(true);
    },
  };
}
