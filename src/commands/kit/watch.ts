import type { Environment } from '../../hosting/contract/target.ts';
import { say, type Span, type Text } from '../../words/text.ts';
import type { SentLog } from './log-query.ts';
import { showHours, type Hours } from './values/hours.ts';

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

/** The settings with which a watch is started. */
export type WatchTerms = {
  readonly match: string | undefined;
  readonly forMs: number;
  readonly quiet: Hours | undefined;
};

/** A watch. `until` is epoch ms. */
export type WatchLine = {
  readonly number: number;
  /** The environment whose log it reads; undefined for a digest. */
  readonly env: Pick<Environment, 'id' | 'name'> | undefined;
  /** The names of the sites and environments that it is about. */
  readonly names: readonly string[];
  readonly match: string | undefined;
  /** Slack user id of the person who started it. */
  readonly owner: string;
  /** The channel that is told, or the person. */
  readonly told: Span;
  readonly until: number;
  readonly quiet: Hours | undefined;
  /** The time zone of `quiet`. */
  readonly zone: string;
  /** What keeps it from reading or telling. */
  readonly standing: Text | undefined;
};

/** What happens in the quiet hours of a watch; undefined: it has none. */
export const quietInWords = ({ quiet, zone }: Pick<WatchLine, 'quiet' | 'zone'>): Text | undefined =>
  quiet && say`During ${showHours(quiet)} (${zone}) I hold messages back, and post them afterwards.`;

/** Watches, for one person in one channel. */
export type WatchService = {
  /**
   * Starts a weekly digest in this channel and announces it there: about these sites and environments, or about the
   * site that the channel is bound to. `next`: the first one, epoch ms.
   */
  digest(names: readonly string[]): Promise<{ readonly line: WatchLine; readonly next: number }>;
  /** Starts a watch in this channel and announces it there. */
  watch(env: Environment, terms: WatchTerms): Promise<WatchLine>;
  /** This channel's watches whose environments this person may read, and all of the person's own, oldest first. */
  watches(): Promise<readonly WatchLine[]>;
  /**
   * Ends a watch and announces that; undefined if this person sees no such watch. `untold`: how many kinds were held
   * back.
   */
  stopWatch(number: number): Promise<{ readonly watch: WatchLine; readonly untold: number } | undefined>;
};
