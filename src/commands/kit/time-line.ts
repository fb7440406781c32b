import type { Text } from '../../text.ts';
import type { LogPeak, LogPeaks } from './log-query.ts';

/** What happened to an environment in a span of time. Times are epoch milliseconds. */

/** Somebody by their Slack user id, or `sitehand`, with the name at that time, if it is known. */
export type NamedActor = { readonly id: string; readonly name: string | undefined };

/** What the audit trail says about a change, such as that it was asked for, approved, sent. */
export type ChangeMoment = { readonly at: number; readonly who: NamedActor; readonly says: string };

export type TimeLineEntry =
  | {
      readonly kind: 'change';
      /** When it was sent, or when it was asked for if it was not sent. */
      readonly at: number;
      readonly number: number;
      readonly title: string;
      readonly requester: NamedActor;
      /** Who handed the request on to them. */
      readonly handedOnBy: NamedActor | undefined;
      readonly reason: string | undefined;
      readonly approvers: readonly NamedActor[];
      /** Its symbol, and its state in a sentence. */
      readonly mark: string;
      readonly outcome: Text;
      /** How its site was before and after, if that was read, to follow *it*. */
      readonly site: Text | undefined;
      /** From sending it to its end; undefined if it was not sent, or its end is not known. */
      readonly tookMs: number | undefined;
      /** Everything in its trail, oldest first; the first 40, and how many more there are. */
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

/** The error log in that span; `why` is a sentence about what kept it from being read. */
export type LogInSpan =
  | ({ readonly kind: 'read' } & Omit<LogPeaks, 'peaks'>)
  | { readonly kind: 'not read'; readonly why: Text };

export type TimeLine = {
  readonly since: number;
  readonly until: number;
  /** Oldest first. */
  readonly entries: readonly TimeLineEntry[];
  /** Older changes, locks or pauses, or steps of changes, were left out. */
  readonly more: boolean;
  /** The domains of its site, and how many of them had their changes looked for. */
  readonly domains: { readonly all: number; readonly read: number };
  readonly log: LogInSpan;
};
