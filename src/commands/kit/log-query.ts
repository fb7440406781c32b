import type { logFiles } from '../../hosting/contract/environment.ts';
import type { Environment } from '../../hosting/contract/target.ts';
import { code, say, type Text } from '../../words/text.ts';

/** Under which condition nothing else is inside a span; `newest` as in `SelectedLines`. Follows what was found there. */
export const ifUtc = (newest: number | undefined): Text =>
  newest === undefined
    ? []
    : say`, if times without a zone are UTC: the newest says ${code(new Date(newest).toISOString().slice(0, 16).replace('T', ' '))}`;

/** What people must know of a log whose times have no zone. */
export const readAsUtc =
  "Times in this log have no time zone, so I read them as UTC: if they aren't, I may tell too much or miss some.";

/** The requested span of time, in epoch milliseconds. */
export type TimeSpan = { readonly from?: number | undefined; readonly to?: number | undefined };

/** The input of `logs`. */
export type LogsInput = {
  readonly env: Environment;
  readonly log: keyof typeof logFiles;
  readonly since: readonly string[];
  readonly until: readonly string[];
  readonly lines: number | undefined;
  readonly search: string | undefined;
  readonly errors: boolean;
  readonly full: boolean;
};

/** A change of an environment: when it was sent (epoch ms), its number, the mark of its state, and what came of it. */
export type SentChange = {
  readonly at: number;
  readonly number: number;
  readonly mark: string;
  readonly says: string;
};

/** A log as the host sent it. Plain data, so that it can be passed to another thread. */
type SentLog = {
  readonly text: string;
  /** How many lines were requested; if the host sent that many, it may have more. */
  readonly wanted: number;
  readonly now: number;
};

/** A log, and what was requested. */
export type LogQuery = SentLog & {
  readonly asked: LogsInput;
  /** The maximum number of lines to show. */
  readonly most: number;
  readonly span: TimeSpan;
};

/** The changes sent for the environment since `since` (epoch ms), oldest first. */
export type SentSince = (since: number) => Promise<readonly SentChange[]>;

/** An error log to search for peaks in this span (epoch ms). */
export type PeakQuery = SentLog & { readonly span: { readonly from: number; readonly to: number } };

/** A time with far more errors than usual (epoch ms), and what most of them say. */
export type LogPeak = {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly says: string;
};

/** The peaks of an error log, oldest first: the five largest. */
export type LogPeaks = {
  readonly peaks: readonly LogPeak[];
  readonly errors: number;
  readonly lines: number;
  /** How many lines have no time, so that their place is unknown. */
  readonly timeless: number;
  /** The time of the oldest line read, if the log may have older ones in the span. */
  readonly readFrom: number | undefined;
  /** As in `SelectedLines`. */
  readonly newestIfUtc: number | undefined;
};

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
