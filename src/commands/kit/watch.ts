import type { SentLog } from './log-query.ts';

/** A log to search for new kinds of errors. */
export type NewKindsQuery = SentLog & {
  /** A kind is new if it was first seen after this time (epoch ms). */
  readonly since: number;
  /** Only entries with these words count. */
  readonly match: string | undefined;
};

/** A kind of error that was first seen since a time. */
export type NewKind = {
  /** The same for the same kind in every read. */
  readonly key: string;
  /** How many entries of this kind there are. */
  readonly count: number;
  /** The message of its first entry, masked and cut. */
  readonly says: string;
  /** When the first entry was written, epoch ms. */
  readonly first: number;
  readonly last: number;
  /** The time of the oldest line in the same read. */
  readonly reaches: number;
};

export type NewKinds = {
  /** The most frequent first. */
  readonly kinds: readonly NewKind[];
  /** The time of the oldest line (epoch ms); undefined: no line has a time. */
  readonly reaches: number | undefined;
  /** How many lines were read. */
  readonly lines: number;
  /** Whether the host may have older lines. */
  readonly isCut: boolean;
  /** Whether some times have no zone and were read as UTC. */
  readonly isZoneless: boolean;
};
