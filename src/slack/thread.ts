import { ErrorCode, type WebClient, type CodedError } from '@slack/web-api';
import { Undeliverable, type Voice } from '../pipeline/deliver.ts';
import type { Place } from '../storage/messages.ts';
import type { Card, Note } from '../pipeline/render.ts';
import { drawCard, drawNote, type Drawn } from './blocks.ts';

/** How fast is spoken. */
export type Pace = { readonly postEveryMs: number; readonly editsPerMinute: number };

/** About a post a second and channel; of the 50 edits a minute that the whole app has, some are left for bursts. */
const slacksPace: Pace = { postEveryMs: 1_000, editsPerMinute: 40 };
/** Channels whose last post is remembered. */
const mostChannels = 1_000;
const busyAgainMs = 5_000;

const gone = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'message_not_found',
  'cant_update_message',
  'thread_not_found',
  'restricted_action',
  'user_not_found',
  'cannot_dm_bot',
  'no_permission',
  'missing_scope',
]);
const refusedBlocks = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long']);

/** Arguments of every message: nothing in it is unfurled or read as a name. */
export const inert = { link_names: false, unfurl_links: false, unfurl_media: false, parse: 'none' } as const;

/** Posts and edits within Slack's rates: about one post a second and channel, and a share of the app's edits. */
export function createVoice(
  client: WebClient,
  now: () => number,
  { postEveryMs, editsPerMinute }: Pace = slacksPace,
): Voice {
  const lastPost = new Map<string, number>();
  const edits: number[] = [];

  const takeTurn = (channel: string): void => {
    const wait = (lastPost.get(channel) ?? 0) + postEveryMs - now();
    if (wait > 0) throw new Undeliverable('later', 'this channel has just had a message', wait);
    lastPost.delete(channel);
    lastPost.set(channel, now());
    const [oldest] = lastPost.keys();
    if (lastPost.size > mostChannels && oldest !== undefined) lastPost.delete(oldest);
  };
  const takeEdit = (): void => {
    while (edits[0] !== undefined && edits[0] < now() - 60_000) edits.shift();
    if (edits.length >= editsPerMinute)
      throw new Undeliverable('later', 'the edits of this minute are used up', busyAgainMs);
    edits.push(now());
  };
  return {
    post: async (to, what) => {
      const channel = 'person' in to ? to.person : to.channel;
      takeTurn(channel);
      return sayIn(client, { channel, ...('thread' in to && { thread_ts: to.thread }) }, draw(what));
    },
    edit: async ({ channel, ts }, what) => {
      takeEdit();
      await say(draw(what), (drawn) => client.chat.update({ channel, ts, link_names: false, parse: 'none', ...drawn }));
    },
  };
}

/** Posts in a channel or, by their id, to a person; a server that does not know people by id is asked to open the conversation. */
export async function sayIn(
  client: WebClient,
  to: { channel: string; thread_ts?: string },
  drawn: Drawn,
): Promise<Place> {
  try {
    const { channel, ts } = await say(drawn, (said) => client.chat.postMessage({ ...inert, ...to, ...said }));
    if (!channel || !ts) throw new Undeliverable('later', 'Slack did not say where the message stands', busyAgainMs);
    return { channel, ts };
  } catch (error) {
    if (!/^[UW]/.test(to.channel) || !(error instanceof Undeliverable) || error.kind !== 'gone') throw error;
    const opened = await client.conversations.open({ users: to.channel }).catch(() => undefined);
    if (opened?.channel?.id === undefined) throw error;
    return sayIn(client, { ...to, channel: opened.channel.id }, drawn);
  }
}

const draw = (what: Card | Note): Drawn => ('headline' in what ? drawCard(what) : drawNote(what));

/** Says it with blocks, and as plain text where Slack does not take the blocks. */
export async function say<T>(drawn: Drawn, send: (drawn: Partial<Drawn> & { text: string }) => Promise<T>): Promise<T> {
  try {
    return await send(drawn);
  } catch (error) {
    if (!refusedBlocks.has(platformError(error) ?? '')) throw asUndeliverable(error);
    return send({ text: drawn.text }).catch((again: unknown) => {
      throw asUndeliverable(again);
    });
  }
}

function asUndeliverable(error: unknown): unknown {
  const name = platformError(error);
  if (name !== undefined && gone.has(name)) return new Undeliverable('gone', name);
  if (isCoded(error) && error.code === ErrorCode.RateLimitedError) {
    const seconds = 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
    return new Undeliverable(
      'later',
      'Slack asks for a pause',
      Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 300) * 1_000 : busyAgainMs,
    );
  }
  return error;
}

/** Slack's own word for what is wrong, or undefined. */
export function platformError(error: unknown): string | undefined {
  if (!isCoded(error) || error.code !== ErrorCode.PlatformError || !('data' in error)) return undefined;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'error' in data && typeof data.error === 'string'
    ? data.error
    : undefined;
}

export const isCoded = (error: unknown): error is CodedError => error instanceof Error && 'code' in error;
