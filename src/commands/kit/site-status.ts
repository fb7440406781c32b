import type { Series } from '../../site-check/site-check.ts';
import { code, joined, say, type Text } from '../../words/text.ts';
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

/** One part of a status in words. ✅ well, ⚠️ needs a look, • just a fact, ❔ unknown, 🚫 not allowed for this person. */
export type StatusLine = {
  readonly mark: '✅' | '⚠️' | '•' | '❔' | '🚫';
  readonly label: string;
  readonly says: Text;
};

/** The mark and text of a part. */
export type StatusText = Omit<StatusLine, 'label'>;

/** Why a part has no result. */
export function whyMissing(part: Exclude<StatusPart<unknown>, { readonly kind: 'found' }>): StatusText {
  switch (part.kind) {
    case 'late':
      return { mark: '❔', says: say`unknown: no answer within ${part.afterMs / 1_000} s, so I stopped waiting.` };
    case 'failed':
      return { mark: '❔', says: say`unknown: ${part.why}` };
    case 'not allowed':
      return { mark: '🚫', says: say`not shown: the rules don't let you run ${code(part.path)} here.` };
    case 'rights unknown':
      return {
        mark: '🚫',
        says: say`not shown: I can't tell whether you may run ${code(part.path)}, because Slack doesn't say who is in ${joined(part.userGroups.map(code), ', ')}.`,
      };
  }
}

/** All readings of a site, with the pages that were read. */
export type SiteVerdict = Series & {
  readonly plan: Extract<CheckPlan, { readonly kind: 'pages' }>;
  readonly instead: string | undefined;
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
