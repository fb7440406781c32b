import type { Change } from '../../storage/changes.ts';

/** What this process knows of a change from its own doing. */
export type Known = {
  /** The highest version that it has read or written. */
  readonly version: number;
  /** When it sent the change (epoch ms), unless it knows that the host took nothing. */
  readonly sentAt: number | undefined;
};

type Row = Pick<Change, 'number' | 'version' | 'state'>;

/**
 * What this process has seen and sent, kept beside the database: a server that crashed, was promoted or was restored
 * can have lost commits, and then says of a change that was sent that it never was.
 */
export type SendHistory = {
  /** Notes a row that is committed. */
  readonly saw: (row: Row) => void;
  /** Notes that the change is about to be written to the host, as of its `sending` row. */
  readonly sent: (row: Row & Pick<Change, 'sent_at'>) => void;
  /** The host took nothing of what was sent: it may be sent again. */
  readonly tookNothing: (number: number) => void;
  /** What is known of a change whose row is older than that, or undefined where the row may be believed. */
  readonly newerThan: (row: Row) => Known | undefined;
  /** The row is what holds from now on, though it is older. That the change was sent stays known. */
  readonly believe: (row: Row) => void;
};

/** As many changes as are remembered, about half a megabyte; the one that was not touched for longest is forgotten first. */
const maxChanges = 5_000;

export function createSendHistory(): SendHistory {
  const changes = new Map<number, Known>();
  const note = (number: number, known: Known): void => {
    changes.delete(number);
    changes.set(number, known);
    const [oldest] = changes.size > maxChanges ? changes.keys() : [];
    if (oldest !== undefined) changes.delete(oldest);
  };
  const sentAtOf = (number: number): number | undefined => changes.get(number)?.sentAt;
  const highest = ({ number, version }: Row): number => Math.max(version, changes.get(number)?.version ?? 0);
  return {
    saw: (row) => note(row.number, { version: highest(row), sentAt: sentAtOf(row.number) }),
    sent: (row) => note(row.number, { version: highest(row), sentAt: row.sent_at ?? 0 }),
    tookNothing: (number) => {
      const known = changes.get(number);
      if (known) note(number, { ...known, sentAt: undefined });
    },
    newerThan: ({ number, version, state }) => {
      const known = changes.get(number);
      if (known === undefined) return undefined;
      const isUnsent = state === 'waiting' || state === 'approved';
      return known.version > version || (isUnsent && known.sentAt !== undefined) ? known : undefined;
    },
    believe: (row) => note(row.number, { version: row.version, sentAt: sentAtOf(row.number) }),
  };
}
