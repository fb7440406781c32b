import type { Change } from '../storage/changes.ts';
import { BoundedMap } from '../base/caches.ts';

/** What this process knows about a change. */
export type ChangeMemory = {
  /** The highest version that it has read or written. */
  readonly version: number;
  /** When it sent the change (epoch ms), unless it knows that the host took nothing. */
  readonly sentAt: number | undefined;
};

type Row = Pick<Change, 'number' | 'version' | 'state'>;

/**
 * What this process has seen and sent, kept in memory. A database that crashed, was promoted or was restored may have
 * lost commits, and would then call a sent change unsent.
 */
export type SendHistory = {
  /** Notes a committed row. */
  readonly saw: (row: Row) => void;
  /** Notes that the change is about to be sent, with its `sending` row. */
  readonly aboutToSend: (row: Row & Pick<Change, 'sent_at'>) => void;
  /** The host took nothing, so it may be sent again. */
  readonly tookNothing: (number: number) => void;
  /** What is known about a change if its row is older than that; undefined: the row can be trusted. */
  readonly newerThan: (row: Row) => ChangeMemory | undefined;
  /** Trusts the row from now on although it is older. It remains known that the change was sent. */
  readonly believe: (row: Row) => void;
  /** The timeline of the database (`Timeline.now`) that this process last saw; undefined: it hasn't looked yet. */
  readonly timeline: () => string | undefined;
  readonly sawTimeline: (timeline: string) => void;
};

/** How many changes are remembered, about half a megabyte; the least recently used are dropped first. */
const maxChanges = 5_000;

export function createSendHistory(): SendHistory {
  const changes = new BoundedMap<number, ChangeMemory>(maxChanges);
  let timeline: string | undefined;
  const sentAtOf = (number: number): number | undefined => changes.get(number)?.sentAt;
  const highest = ({ number, version }: Row): number => Math.max(version, changes.get(number)?.version ?? 0);
  return {
    saw: (row) => changes.set(row.number, { version: highest(row), sentAt: sentAtOf(row.number) }),
    aboutToSend: (row) => changes.set(row.number, { version: highest(row), sentAt: row.sent_at ?? 0 }),
    tookNothing: (number) => {
      const known = changes.get(number);
      if (known) changes.set(number, { ...known, sentAt: undefined });
    },
    newerThan: ({ number, version, state }) => {
      const known = changes.get(number);
      if (known === undefined) return undefined;
      const isUnsent = state === 'waiting' || state === 'approved';
      return known.version > version || (isUnsent && known.sentAt !== undefined) ? known : undefined;
    },
    believe: (row) => changes.set(row.number, { version: row.version, sentAt: sentAtOf(row.number) }),
    timeline: () => timeline,
    sawTimeline: (seen) => {
      timeline = seen;
    },
  };
}
