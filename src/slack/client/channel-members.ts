import { z } from 'zod';
import { hourMs, minuteMs } from '../../duration.ts';
import { BoundedMap } from '../../bounded-map.ts';
import { NoAnswer, shareCalls, type BoundedCall } from './bounded-calls.ts';

/** Who is in which channel: where Slack says that somebody is gives them no right to be answered there. */
export type ChannelMembers = {
  /** Whether this person is in this channel; undefined: Slack doesn't say. */
  readonly isIn: (person: string, channel: string) => Promise<boolean | undefined>;
  /** They typed something there just now. */
  readonly typedIn: (person: string, channel: string) => void;
};

/** How long somebody counts as being where they typed: longer than a form stays open. */
const typedMs = hourMs;
/** How long an answer stays fresh. */
const freshMs = minuteMs;
/** How many people, and people in channels, are kept; the oldest are dropped first. */
const maxKept = 5_000;
const pageSize = 999;
const maxPages = 5;

const reply = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});

type Listed = { readonly ids: ReadonlySet<string>; readonly isWhole: boolean; readonly at: number };

/** `now`: monotonic milliseconds. */
export function createChannelMembers(ask: BoundedCall, now: () => number): ChannelMembers {
  const typed = new BoundedMap<string, number>(maxKept);
  const known = new BoundedMap<string, Listed>(maxKept);
  const list = shareCalls(async (person): Promise<Listed | undefined> => {
    const ids = new Set<string>();
    let cursor = '';
    for (let page = 0; page < maxPages; page += 1) {
      const query = {
        user: person,
        types: 'public_channel,private_channel',
        limit: pageSize,
        ...(cursor && { cursor }),
      };
      const answer = await ask('users.conversations', query, reply);
      if (answer instanceof NoAnswer) return undefined;
      for (const { id } of answer.channels) ids.add(id);
      cursor = answer.response_metadata?.next_cursor ?? '';
      if (cursor === '') break;
    }
    const listed = { ids, isWhole: cursor === '', at: now() };
    known.set(person, listed);
    return listed;
  });
  return {
    isIn: async (person, channel) => {
      const at = typed.get(`${person} ${channel}`);
      if (at !== undefined && now() - at < typedMs) return true;
      const kept = known.get(person);
      const found = kept && now() - kept.at < freshMs ? kept : await list(person);
      if (found === undefined) return undefined;
      return found.ids.has(channel) || (found.isWhole ? false : undefined);
    },
    typedIn: (person, channel) => typed.set(`${person} ${channel}`, now()),
  };
}
