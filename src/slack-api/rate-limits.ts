import { WebAPIRateLimitedError } from '@slack/web-api';
import { BoundedMap } from '../base/caches.ts';
import { Undeliverable } from '../post/messenger.ts';
import { shareOf } from '../base/semaphore.ts';

/** How often we post and edit. Tests also set how long channels are fresh, and how often leases and homes are renewed. */
export type Pace = {
  readonly postEveryMs: number;
  readonly editsPerMinute: number;
  readonly channelsForMs?: number;
  readonly renewEveryMs?: number;
  readonly homeEveryMs?: number;
};

/** One post per second and channel. The app may make about 50 edits a minute; some are left for bursts. */
export const slackPace: Pace = { postEveryMs: 1_000, editsPerMinute: 40 };
/** The part of the edits that may be of copies: many people may have one, and the card they follow must not wait for them. */
const copiesPart = 0.75;
/** An edit that has no room now is tried again after this at the latest, because other replicas may have room. */
const othersMs = 5_000;
/** How many channels' last posts are remembered. */
const maxChannels = 1_000;

export type RateLimits = {
  /** Takes the next post in a channel; throws `Undeliverable` with the milliseconds to wait if it is too soon. */
  readonly takeTurn: (channel: string) => void;
  /** As `takeTurn`, for an edit anywhere. Edits of copies leave room for others. */
  readonly takeEdit: (isCopy?: boolean) => void;
  /** Slack wants nothing in that channel, or no edit anywhere (`undefined`), for this many milliseconds. */
  readonly rest: (channel: string | undefined, forMs: number) => void;
};

/**
 * The limits of one of `replicas` processes that share Slack's rate limits. A pause that Slack asks for applies in this
 * process only: each other process learns of it from one refusal.
 */
export function createRateLimits(
  { postEveryMs, editsPerMinute }: Pace,
  now: () => number,
  replicas: () => number,
): RateLimits {
  const lastPost = new BoundedMap<string, number>(maxChannels);
  const rests = new BoundedMap<string, number>(maxChannels);
  let editsRestUntil = -Infinity;
  const edits: Edit[] = [];
  const refuseUntil = (at: number): void => {
    if (at > now()) throw new Undeliverable('later', 'Slack asks for a pause', at - now());
  };

  const takeTurn = (channel: string): void => {
    refuseUntil(rests.get(channel) ?? 0);
    const wait = (lastPost.get(channel) ?? 0) + postEveryMs * replicas() - now();
    // As soon as the channel takes another message, another replica may post it.
    if (wait > 0) throw new Undeliverable('later', 'this channel has just had a message', Math.min(wait, postEveryMs));
    lastPost.set(channel, now());
  };
  const takeEdit = (isCopy = false): void => {
    refuseUntil(editsRestUntil);
    while (edits[0] !== undefined && edits[0].at < now() - 60_000) edits.shift();
    const share = shareOf(editsPerMinute, replicas());
    const copies = isCopy ? edits.filter((edit) => edit.isCopy) : [];
    // A waiting message is claimed again when there is room, in fair order.
    const roomAt = Math.max(roomIn(edits, share), roomIn(copies, Math.max(1, Math.floor(share * copiesPart))));
    if (roomAt !== -Infinity) {
      const wait = Math.max(1, replicas() > 1 ? Math.min(roomAt - now(), othersMs) : roomAt - now());
      throw new Undeliverable('later', 'the edits of this minute are used up', wait);
    }
    edits.push({ at: now(), isCopy });
  };
  const rest = (channel: string | undefined, forMs: number): void => {
    if (channel === undefined) editsRestUntil = now() + forMs;
    else rests.set(channel, now() + forMs);
  };
  return { takeTurn, takeEdit, rest };
}

type Edit = { readonly at: number; readonly isCopy: boolean };

/** When there is room for another edit with this limit for a minute: epoch ms, -Infinity if there is room now. */
const roomIn = (edits: readonly Edit[], limit: number): number => {
  const oldest = edits[edits.length - limit];
  return oldest === undefined ? -Infinity : oldest.at + 60_000;
};

/** The longest pause that is kept, in seconds. If Slack wants a longer one, it asks again. */
const maxPauseSeconds = 300;

/** How long a rate limit lasts, in milliseconds; `defaultMs` if Slack does not say, undefined if there is none. */
export function rateLimitMs(error: unknown, defaultMs: number): number | undefined {
  if (!(error instanceof WebAPIRateLimitedError)) return undefined;
  const { retryAfter: seconds } = error;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), maxPauseSeconds) * 1_000 : defaultMs;
}
