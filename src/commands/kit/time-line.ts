import type { Text } from '../../words/text.ts';
import type { LogPeak, LogPeaks } from './log-query.ts';
import type { StatusPart } from './site-status.ts';

/** What happened to an environment in a span of time. Times are epoch milliseconds. */

/** A Slack user id or `sitehand`, with the name at that time, if it is known. */
export type NamedActor = { readonly id: string; readonly name: string | undefined };

/** A step of a change in the audit trail: it was requested, approved, sent. */
export type ChangeMoment = { readonly at: number; readonly who: NamedActor; readonly says: string };

export type TimeLineEntry =
  | {
      readonly kind: 'change';
      /** When it was sent or, if it was not sent, when it was requested. */
      readonly at: number;
      readonly number: number;
      readonly title: string;
      readonly requester: NamedActor;
      /** Who handed the request on to the requester. */
      readonly handedOnBy: NamedActor | undefined;
      readonly reason: string | undefined;
      readonly approvers: readonly NamedActor[];
      /** Its symbol, and its state in a sentence. */
      readonly mark: string;
      readonly outcome: Text;
      /** Its site before and after, if that was read; follows *it*. */
      readonly site: Text | undefined;
      /** From the send to the end; undefined if it was not sent, or the end is unknown. */
      readonly tookMs: number | undefined;
      /** All its lines in the trail, oldest first: the first 40, and how many more there are. */
      readonly moments: readonly ChangeMoment[];
      readonly moreMoments: number;
    }
  /** A lock or a pause. `says` follows the name; `until`: when it ends by itself. */
  | {
      readonly kind: 'lock';
      readonly at: number;
      readonly who: NamedActor;
      readonly says: string;
      readonly reason: string | undefined;
      readonly until: number | undefined;
    }
  | ({ readonly kind: 'peak'; readonly at: number } & LogPeak);

export type TimeLine = {
  readonly since: number;
  readonly until: number;
  /** Oldest first. */
  readonly entries: readonly TimeLineEntry[];
  /** Why changes are not among the entries; undefined: they are. */
  readonly withoutChanges: Text | undefined;
  /** Whether older changes, locks, pauses or steps of changes were left out. */
  readonly more: boolean;
  /** The domains of its site, and how many of them had their changes read. */
  readonly domains: { readonly all: number; readonly read: number };
  /** The error log in that span; its peaks are among the entries. */
  readonly log: StatusPart<Omit<LogPeaks, 'peaks'>>;
};
