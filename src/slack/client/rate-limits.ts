import { BoundedMap } from '../../bounded-map.ts';
import { Undeliverable } from '../../pipeline/messages/messenger.ts';

/** The pace towards Slack: posts, edits, the age of channel lookups, lease renewals of deliveries, home redraws. */
export type Pace = {
  readonly postEveryMs: number;
  readonly editsPerMinute: number;
  readonly channelsForMs: number;
  readonly renewEveryMs: number;
  readonly homeEveryMs: number;
};

/** One post per second and channel. The app may make about 50 edits a minute; some are left for bursts. */
export const slackPace: Pace = {
  postEveryMs: 1_000,
  editsPerMinute: 40,
  channelsForMs: 15_000,
  renewEveryMs: 20_000,
  homeEveryMs: 10_000,
};
/** How many channels' last posts are remembered. */
const maxChannels = 1_000;

export type RateLimits = {
  /** Takes the next post in a channel; throws `Undeliverable` with the milliseconds to wait if it is too soon. */
  readonly takeTurn: (channel: string) => void;
  /** The same for an edit anywhere. */
  readonly takeEdit: () => void;
};

export function createRateLimits({ postEveryMs, editsPerMinute }: Pace, now: () => number): RateLimits {
  const lastPost = new BoundedMap<string, number>(maxChannels);
  const edits: number[] = [];

  const takeTurn = (channel: string): void => {
    const wait = (lastPost.get(channel) ?? 0) + postEveryMs - now();
    if (wait > 0) throw new Undeliverable('later', 'this channel has just had a message', wait);
    lastPost.set(channel, now());
  };
  const takeEdit = (): void => {
    while (edits[0] !== undefined && edits[0] < now() - 60_000) edits.shift();
    // A message that waits comes again when there is room, in fair order.
    const room = edits.length < editsPerMinute ? undefined : (edits[0] ?? 0) + 60_000 - now();
    if (room !== undefined) throw new Undeliverable('later', 'the edits of this minute are used up', Math.max(1, room));
    edits.push(now());
  };
  return { takeTurn, takeEdit };
}
