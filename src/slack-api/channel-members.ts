import { z } from 'zod';
import { hourMs, minuteMs } from '../words/duration.ts';
import { BoundedMap } from '../base/bounded-map.ts';
import { within } from '../base/time-limit.ts';
import { NoAnswer, shareCalls, type BoundedCall } from './bounded-calls.ts';

/** Who is in which channel: that a form or a button names a channel gives nobody the right to be answered there. */
export type ChannelMembers = {
  /** Whether this person is in this channel; undefined: Slack doesn't say. */
  readonly isIn: (person: string, channel: string) => Promise<boolean | undefined>;
  /** Call it when they type something there. */
  readonly typedIn: (person: string, channel: string) => void;
};

/** How long somebody counts as being where they typed: longer than a form stays open. */
const typedMs = hourMs;
/** How long an answer is waited for: a form waits for it before its ack. It is kept for the next time if it comes late. */
const patienceMs = 800;
/** How long an answer stays fresh. */
const freshMs = minuteMs;
/** How many people in channels are kept; the oldest are dropped first. */
const maxKept = 5_000;
const pageSize = 999;
const maxPages = 5;

const reply = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

/** `now`: monotonic milliseconds. */
export function createChannelMembers(ask: BoundedCall, now: () => number): ChannelMembers {
  const typed = new BoundedMap<string, number>(maxKept);
  const answers = new BoundedMap<string, { readonly isIn: boolean; readonly at: number }>(maxKept);
  const look = createLook(ask, now);
  const lookOnce = shareCalls(async (key): Promise<boolean | undefined> => {
    const [person = '', channel = ''] = key.split(' ');
    const isIn = await look(person, channel);
    if (isIn !== undefined) answers.set(key, { isIn, at: now() });
    return isIn;
  });
  return {
    isIn: async (person, channel) => {
      const key = `${person} ${channel}`;
      const at = typed.get(key);
      if (at !== undefined && now() - at < typedMs) return true;
      const known = answers.get(key);
      if (known && now() - known.at < freshMs) return known.isIn;
      return within(patienceMs, lookOnce(key)).catch(() => undefined);
    },
    typedIn: (person, channel) => typed.set(`${person} ${channel}`, now()),
  };
}

/** Asks Slack, page by page. While it says to rest, nothing is asked. */
function createLook(ask: BoundedCall, now: () => number): ChannelMembers['isIn'] {
  let restUntil = Number.NEGATIVE_INFINITY;
  return async (user, channel) => {
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      if (now() < restUntil) return undefined;
      const query = { user, types: 'public_channel,private_channel', limit: pageSize, ...(cursor && { cursor }) };
      const answer = await ask('users.conversations', query, reply);
      if (answer instanceof NoAnswer) {
        restUntil = now() + (answer.restMs ?? 0);
        return undefined;
      }
      if (answer.channels.some(({ id }) => id === channel)) return true;
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') return false;
    }
    return undefined;
  };
}
