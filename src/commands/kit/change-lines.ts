import type { Args } from '../../base/errors.ts';
import type { Text } from '../../words/text.ts';

/** A change in a list; `requester` is a Slack user id, `at` epoch milliseconds. */
export type ListedChange = {
  readonly number: number;
  /** Its symbol and its state. */
  readonly state: string;
  readonly title: string;
  readonly requester: string;
  /** Slack user id of whoever handed the request on to the requester. */
  readonly handedOnBy: string | undefined;
  /** How it was cancelled, which names who did it: the requester, or somebody who stopped it. */
  readonly cancelled: Text | undefined;
  readonly at: number;
  /** When it was sent; undefined: it was not. */
  readonly sentAt: number | undefined;
};

/** Timed access. Times are epoch milliseconds. */
export type TimerLine = {
  /** The change that granted it. */
  readonly change: number;
  readonly env: { readonly id: string; readonly name: string };
  readonly addresses: readonly string[];
  /** Slack user id of the requester. */
  readonly requester: string;
  readonly endsAt: number;
  /** Its status, if there is more to say than when it ends. */
  readonly standing: Text | undefined;
  /** How it ended; undefined while it is open. */
  readonly over: string | undefined;
  /** The number of the change that is removing the addresses. */
  readonly removal: number | undefined;
  /** The arguments of the command that removes them now. */
  readonly remove: Args;
};

/** A pause: since `at` (epoch ms), by a Slack user id or `sitehand`, with the name at that time, and why. */
export type Pause = {
  readonly by: string;
  readonly name: string;
  readonly why: string | undefined;
  readonly at: number;
  /** A person's pause that was in force when Sitehand paused sending itself. */
  readonly earlier?: Pause;
  /** Left over when another pause ended; only `resume <time>` ends it. */
  readonly stayed?: true;
};
