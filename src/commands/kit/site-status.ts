import type { SiteReading } from '../../site-check/reading.ts';
import type { Series } from '../../site-check/site-check.ts';
import type { Text } from '../../text.ts';
import type { ListedChange, Pause, TimerLine } from './change-lines.ts';
import type { LockInfo } from './lock-info.ts';
import type { CheckPlan } from './sources.ts';

/** One part of a status: what was found, or why it was not. Only `found` says anything about the site. */
export type StatusPart<T> =
  | { readonly kind: 'found'; readonly found: T }
  /** It did not come in time for the card. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /** `why` is a sentence. */
  | { readonly kind: 'failed'; readonly why: Text }
  /** The rules do not let this person run the command that shows it. */
  | { readonly kind: 'not allowed'; readonly path: string }
  /** Whether they may run it depends on the members of these Slack user groups, which Slack does not tell. */
  | { readonly kind: 'rights unknown'; readonly path: string; readonly userGroups: readonly string[] };

/** The state of an environment, part by part, as one person may see it. Times are epoch milliseconds. */
export type SiteStatus = {
  readonly site: StatusPart<FirstReading>;
  /** Reads on until there is a verdict on the site, 24 s after the question at the latest; undefined: nothing calls for it. */
  readonly verdict: (() => Promise<SiteVerdict>) | undefined;
  readonly work: StatusPart<SiteWork>;
  readonly backup: StatusPart<NewestBackup>;
  readonly errors: StatusPart<LoudestError>;
  /** The newest changes that are settled, newest first. `more`: there are, or may be, older ones. */
  readonly changes: StatusPart<{ readonly lines: readonly ListedChange[]; readonly more: boolean }>;
  /** Timed access, earliest end first. `more`: there may be later ones. */
  readonly access: StatusPart<{ readonly lines: readonly TimerLine[]; readonly more: boolean }>;
  readonly pause: StatusPart<Pause | undefined>;
};

/** What is at hand of one of many environments, without a reading of its site and its log. */
export type BriefStatus = { readonly work: SiteWork; readonly backup: StatusPart<NewestBackup> };

type Pages = Extract<CheckPlan, { readonly kind: 'pages' }>;
type NotChecked = Exclude<CheckPlan, Pages>;

/** One reading of the site itself, or why it cannot be checked. `instead`: where it went in place of the site. */
export type FirstReading =
  | NotChecked
  | { readonly kind: 'read'; readonly reading: SiteReading; readonly instead: string | undefined };

/** All readings of a site by these pages. */
export type SiteVerdict = Series & { readonly plan: Pages; readonly instead: string | undefined };

/** What is going on at an environment. */
export type SiteWork = {
  readonly lock: { readonly info: LockInfo; readonly since: number } | undefined;
  /** Changes that are not settled, newest first. */
  readonly open: readonly ListedChange[];
  /** How many more there are that this person may not see. */
  readonly hidden: number;
  /** There may be more than were counted. */
  readonly more: boolean;
};

/**
 * The newest backup of an environment; `at` in epoch milliseconds, undefined if the host does not say. Null: no backup.
 */
export type NewestBackup = { readonly type: string; readonly at: number | undefined } | null;

/** What the error log says of a span of time. Times are epoch milliseconds. */
export type LoudestError = {
  /** How many errors there are; warnings and notices do not count. */
  readonly errors: number;
  /** How many kinds of errors. */
  readonly kinds: number;
  /** How many other messages. */
  readonly others: number;
  /** The most frequent kind of error, masked, and when it came last; undefined: there is no error. */
  readonly loudest: { readonly says: string; readonly count: number; readonly last: number | undefined } | undefined;
  /** The host has more lines: these go back to `since` only; undefined: they have no times. */
  readonly cut: { readonly since: number | undefined } | undefined;
  /** Lines without a time may be older. */
  readonly isTimeless: boolean;
};
