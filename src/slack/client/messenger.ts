import { ErrorCode, type WebClient, type CodedError } from '@slack/web-api';
import { sharedWord, Undeliverable, type ChannelLook, type Messenger } from '../../pipeline/messages/messenger.ts';
import type { Place } from '../../storage/messages.ts';
import type { Card, Note } from '../../pipeline/changes/card.ts';
import { drawCard, drawNote, type Drawn } from '../draw/blocks.ts';
import { refusalOf } from './api-errors.ts';

/** How fast is spoken, how long it is believed who reads a channel, how often a delivery is held anew, and a home drawn. */
export type Pace = {
  readonly postEveryMs: number;
  readonly editsPerMinute: number;
  readonly channelsForMs: number;
  readonly renewEveryMs: number;
  readonly homeEveryMs: number;
};

export type MessengerOptions = {
  readonly client: WebClient;
  readonly now: () => number;
  readonly pace: Pace;
  readonly lookAt: (channel: string) => Promise<ChannelLook>;
  /** Told whether Slack takes our token, whenever something is said. */
  readonly onToken: (isTaken: boolean) => void;
};

/** About a post a second and channel; of the 50 edits a minute that the whole app has, some are left for bursts. */
export const slackPace: Pace = {
  postEveryMs: 1_000,
  editsPerMinute: 40,
  channelsForMs: 15_000,
  renewEveryMs: 20_000,
  homeEveryMs: 10_000,
};
/** Channels whose last post is remembered. */
const maxChannels = 1_000;
const busyAgainMs = 5_000;
/** Of a message whose blocks Slack does not take, in characters. */
const maxPlainLength = 3_000;
const maxWordLength = 80;

/** Arguments of every message: nothing in it is unfurled or read as a name. */
export const inert = { link_names: false, unfurl_links: false, unfurl_media: false, parse: 'none' } as const;

/**
 * Posts and edits within Slack's rates: about one post a second and channel, and a share of the app's edits. Where others
 * than this organisation read, nothing is said: a channel can be shared after it was first spoken in.
 */
export function createMessenger({ client, now, pace, lookAt, onToken }: MessengerOptions): Messenger {
  const { postEveryMs, editsPerMinute } = pace;
  const lastPost = new Map<string, number>();
  const edits: number[] = [];

  const takeTurn = (channel: string): void => {
    const wait = (lastPost.get(channel) ?? 0) + postEveryMs - now();
    if (wait > 0) throw new Undeliverable('later', 'this channel has just had a message', wait);
    lastPost.delete(channel);
    lastPost.set(channel, now());
    const [oldest] = lastPost.keys();
    if (lastPost.size > maxChannels && oldest !== undefined) lastPost.delete(oldest);
  };
  const takeEdit = (): void => {
    while (edits[0] !== undefined && edits[0] < now() - 60_000) edits.shift();
    // Whoever waits comes again when there is room, and then it is by turns.
    const room = edits.length < editsPerMinute ? undefined : (edits[0] ?? 0) + 60_000 - now();
    if (room !== undefined) throw new Undeliverable('later', 'the edits of this minute are used up', Math.max(1, room));
    edits.push(now());
  };
  const keepInside = async (channel: string): Promise<void> => {
    if (/^[DUW]/.test(channel)) return;
    const look = await lookAt(channel);
    if (look.kind === 'seen' && look.shared) throw new Undeliverable('gone', sharedWord);
  };
  const listened = async <T>(note: Promise<T>): Promise<T> => {
    try {
      const said = await note;
      onToken(true);
      return said;
    } catch (error) {
      if (error instanceof Undeliverable && error.kind === 'token') onToken(false);
      throw error;
    }
  };
  return {
    post: async (to, what) => {
      const channel = 'person' in to ? to.person : to.channel;
      // The turn first: whoever came first is posted first.
      takeTurn(channel);
      await keepInside(channel);
      return listened(sayIn(client, { channel, ...('thread' in to && { thread_ts: to.thread }) }, draw(what)));
    },
    edit: async ({ channel, ts }, what) => {
      takeEdit();
      await keepInside(channel);
      // Without the empty list the old blocks would stay where the new ones are refused.
      const place = { channel, ts, link_names: false, parse: 'none', blocks: [] } as const;
      await listened(sendDrawn(draw(what), (drawn) => client.chat.update({ ...place, ...drawn })));
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
    const { channel, ts } = await sendDrawn(drawn, (said) => client.chat.postMessage({ ...inert, ...to, ...said }));
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

/** Says it with blocks, and once as plain text where Slack does not take the blocks. */
export async function sendDrawn<T>(
  drawn: Drawn,
  send: (drawn: Partial<Drawn> & { text: string }) => Promise<T>,
): Promise<T> {
  try {
    return await send(drawn);
  } catch (error) {
    const word = platformError(error);
    if (word === undefined || refusalOf(word) !== 'drawing') throw asUndeliverable(error);
    return send({ text: drawn.text.slice(0, maxPlainLength) }).catch((again: unknown) => {
      throw asUndeliverable(again);
    });
  }
}

/** Slack's refusal as what it means for a message; what Slack did not say itself stays as it is. */
export function asUndeliverable(error: unknown): unknown {
  const word = platformError(error);
  if (word !== undefined) {
    const kind = refusalOf(word);
    // What is no word can be a whole page.
    return new Undeliverable(kind === 'transient' ? 'later' : kind, word.slice(0, maxWordLength));
  }
  const restMs = restAskedBy(error, busyAgainMs);
  return restMs === undefined ? error : new Undeliverable('later', 'Slack asks for a pause', restMs);
}

/** For how many milliseconds Slack wants to be left alone, `usualMs` where it does not say; undefined: it asked for no rest. */
export function restAskedBy(error: unknown, defaultMs: number): number | undefined {
  if (!isCoded(error) || error.code !== ErrorCode.RateLimitedError) return undefined;
  const seconds = 'retryAfter' in error ? Number(error.retryAfter) : Number.NaN;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 300) * 1_000 : defaultMs;
}

/** Slack's own word for what is wrong, or undefined. */
export function platformError(error: unknown): string | undefined {
  if (!isCoded(error) || error.code !== ErrorCode.PlatformError || !('data' in error)) return undefined;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'error' in data && typeof data.error === 'string'
    ? data.error
    : undefined;
}

const isCoded = (error: unknown): error is CodedError => error instanceof Error && 'code' in error;
