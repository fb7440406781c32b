import type { SiteReading } from '../../site-check/reading.ts';
import type { Series } from '../../site-check/site-check.ts';
import type { Text } from '../../words/text.ts';
import type { ListedChange, Pause, TimerLine } from './change-lines.ts';
import type { LockInfo } from './lock-info.ts';
import type { CheckPlan } from './sources.ts';

/** One part of a status: what was found, or why nothing was. Only `found` says anything about the site. */
export type StatusPart<T> =
  | { readonly kind: 'found'; readonly found: T }
  /** It did not arrive in time for the card. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /** `why` is a sentence. */
  | { readonly kind: 'failed'; readonly why: Text }
  /** The rules do not let this person run the command for it. */
  | { readonly kind: 'not allowed'; readonly path: string }
  /** Whether the person may run the command depends on who is in these Slack user groups, which Slack doesn't say. */
  | { readonly kind: 'rights unknown'; readonly path: string; readonly userGroups: readonly string[] };

/** The state of an environment, part by part, as one person may see it. Times are epoch milliseconds. */
export type SiteStatus = {
  readonly site: StatusPart<FirstReading>;
  /** Makes more readings until there is a verdict, within 24 s of the question; undefined: the first one is enough. */
  readonly verdict: (() => Promise<SiteVerdict>) | undefined;
  readonly work: StatusPart<SiteWork>;
  readonly backup: StatusPart<NewestBackup>;
  readonly errors: StatusPart<LoudestError>;
  /** The newest settled changes, newest first. `more`: there may be older ones. */
  readonly changes: StatusPart<{ readonly lines: readonly ListedChange[]; readonly more: boolean }>;
  /** Timed access, earliest end first. `more`: there may be later ones. */
  readonly access: StatusPart<{ readonly lines: readonly TimerLine[]; readonly more: boolean }>;
  readonly pause: StatusPart<Pause | undefined>;
};

/** The status of one of many environments, without a reading of its site and its log. */
export type BriefStatus = { readonly work: SiteWork; readonly backup: StatusPart<NewestBackup> };

type Pages = Extract<CheckPlan, { readonly kind: 'pages' }>;
type NotChecked = Exclude<CheckPlan, Pages>;

/** One reading of the site itself, or why it can't be checked. `instead`: where the request went instead of the site. */
export type FirstReading =
  | NotChecked
  | { readonly kind: 'read'; readonly reading: SiteReading; readonly instead: string | undefined };

/** All readings of a site, with the pages that were read. */
export type SiteVerdict = Series & { readonly plan: Pages; readonly instead: string | undefined };

/** What is happening on an environment. */
export type SiteWork = {
  readonly lock: { readonly info: LockInfo; readonly since: number } | undefined;
  /** Changes that are not settled, newest first. */
  readonly open: readonly ListedChange[];
  /** How many more unsettled changes there are that this person may not see. */
  readonly hidden: number;
  /** How many requests wait in its queue. */
  readonly queued: number;
  /** Whether there may be more changes than were counted. */
  readonly more: boolean;
};

/** The newest backup of an environment; `at` in epoch milliseconds, undefined if that is not known. Null: no backup. */
export type NewestBackup = { readonly type: string; readonly at: number | undefined } | null;

/** A kind of messages, masked, and when the last one was logged. */
export type FrequentKind = { readonly says: string; readonly count: number; readonly last: number | undefined };

/** What the error log says about a span of time. Times are epoch milliseconds. */
export type LoudestError = {
  /** The number of errors, without warnings and notices. */
  readonly errors: number;
  /** How many kinds of errors. */
  readonly kinds: number;
  /** How many messages could be errors: by their words alone, or because they warn of an outage. */
  readonly possible: number;
  /** How many messages say nothing about how grave they are. */
  readonly withoutLevel: number;
  /** How many warnings and notices. */
  readonly others: number;
  /**
   * The most frequent kind of error; without errors, of what could be one; else of what says nothing of itself. Without
   * `last`, its time is not known; only then do such kinds count.
   */
  readonly loudest: FrequentKind | undefined;
  /** The host has more lines: these only go back to `since`; undefined: they have no times. */
  readonly cut: { readonly since: number | undefined } | undefined;
  /** Whether there are lines without a time that can be true: they may be of another time. */
  readonly isTimeless: boolean;
  /** How many errors without such a time are not counted above, because something of this time needs a look. */
  readonly timelessErrors: number;
  /** As in `SelectedLines`. */
  readonly newestIfUtc: number | undefined;
};
