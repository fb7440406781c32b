import { WebAPIHTTPError, WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { z } from 'zod';
import { isDirect } from '../access/assert-channel.ts';
import { Undeliverable, type ChannelLook, type Landed, type Messenger, type Upload } from '../post/messenger.ts';
import type { Card, Note } from '../change/card.ts';
import { drawCard, drawNote, type Drawn } from '../block-kit/blocks.ts';
import { isLacking, refusalOf } from './api-errors.ts';
import { createRateLimits, rateLimitMs, type Pace } from './rate-limits.ts';

type MessengerOptions = {
  readonly client: WebClient;
  readonly now: () => number;
  readonly pace: Pace;
  /** How many processes share Slack's rates. */
  readonly replicas: () => number;
  readonly lookAt: (channel: string) => Promise<ChannelLook>;
  /** Called after each message with whether Slack accepts our token. */
  readonly onToken: (isTaken: boolean) => void;
};

const busyAgainMs = 5_000;
/** The length of the plain text that is sent if Slack refuses the blocks. */
const maxPlainLength = 3_000;
const maxErrorLength = 80;
/** As if it were Slack's error code: it is shown beside those. */
const sharedWord = 'is_ext_shared';

/** Arguments of every message: nothing is unfurled or read as a name. */
export const noUnfurl = { link_names: false, unfurl_links: false, unfurl_media: false, parse: 'none' } as const;

/**
 * Posts and edits within Slack's rate limits: about one post per second and channel, and a share of the app's edits.
 * Never posts in a channel shared with another organisation. A channel can become shared later, so each message checks.
 */
export function createMessenger({ client, now, pace, replicas, lookAt, onToken }: MessengerOptions): Messenger {
  const { takeTurn, takeEdit, rest } = createRateLimits(pace, now, replicas);
  const refuseShared = async (channel: string): Promise<void> => {
    if (isDirect(channel)) return;
    const look = await lookAt(channel);
    if (look.kind === 'seen' && look.shared) throw new Undeliverable('gone', sharedWord, 0, 'shared');
  };
  const noteAnswer = async <T>(channel: string | undefined, sending: Promise<T>): Promise<T> => {
    try {
      const result = await sending;
      onToken(true);
      return result;
    } catch (error) {
      if (error instanceof Undeliverable && error.kind === 'token') onToken(false);
      if (error instanceof Undeliverable && error.afterMs > 0) rest(channel, error.afterMs);
      throw error;
    }
  };
  return {
    post: async (to, content) => {
      const channel = 'person' in to ? to.person : to.channel;
      // Take the turn before any wait, so that messages keep their order.
      takeTurn(channel);
      await refuseShared(channel);
      const place = { channel, ...('thread' in to && { thread_ts: to.thread }) };
      return noteAnswer(channel, postDrawn(client, place, draw(content)));
    },
    edit: async ({ channel, ts }, content, { file, isCopy = false } = {}) => {
      takeEdit(isCopy);
      await refuseShared(channel);
      const uploaded = file && { file_ids: [await uploadFile(client, file)] };
      // Without the empty list, the old blocks would stay if Slack refuses the new ones.
      const place = { channel, ts, link_names: false, parse: 'none', blocks: [], ...uploaded } as const;
      const sending = sendDrawn(draw(content), (drawn) => client.chat.update({ ...place, ...drawn }));
      await noteAnswer(undefined, sending);
    },
  };
}

const answered = z.object({ files: z.tuple([z.object({ files: z.tuple([z.object({ id: z.string() })]) })]) });

/**
 * Uploads a file, which nobody sees until it is added to a message; resolves with its id. A refused upload, for example
 * by its own rate limit, must not delay messages.
 */
async function uploadFile(client: WebClient, { name, content }: Upload): Promise<string> {
  try {
    const { files } = answered.parse(await client.filesUploadV2({ filename: name, title: name, content }));
    return files[0].files[0].id;
  } catch (error) {
    const errorCode = platformError(error);
    if (errorCode !== undefined && isLacking(errorCode)) throw new Undeliverable('gone', errorCode);
    const refused = asUndeliverable(error);
    // The next message will show whether the token is refused.
    if (refused.kind === 'token') throw new Undeliverable('later', refused.message);
    throw refused;
  }
}

/** Posts in a channel, or to a person by id; on servers that do not know people by id it opens a conversation. */
export async function postDrawn(
  client: WebClient,
  to: { channel: string; thread_ts?: string },
  drawn: Drawn,
): Promise<Landed> {
  try {
    const { channel, ts, message } = await sendDrawn(drawn, (content) =>
      client.chat.postMessage({ ...noUnfurl, ...to, ...content }),
    );
    if (!channel || !ts) throw new Undeliverable('later', 'Slack did not say where the message stands', busyAgainMs);
    const isLoose = to.thread_ts !== undefined && message !== undefined && message.thread_ts === undefined;
    return { channel, ts, isLoose };
  } catch (error) {
    if (!/^[UW]/.test(to.channel) || !(error instanceof Undeliverable) || !error.mayGoElsewhere) throw error;
    const opened = await client.conversations.open({ users: to.channel }).catch(() => undefined);
    if (opened?.channel?.id === undefined) throw error;
    return postDrawn(client, { ...to, channel: opened.channel.id }, drawn);
  }
}

const draw = (content: Card | Note): Drawn => ('headline' in content ? drawCard(content) : drawNote(content));

/** Sends with blocks, and once more as plain text if Slack refuses the blocks. */
export async function sendDrawn<T>(
  drawn: Drawn,
  send: (drawn: Partial<Drawn> & { text: string }) => Promise<T>,
): Promise<T> {
  try {
    return await send(drawn);
  } catch (error) {
    const errorCode = platformError(error);
    if (errorCode === undefined || refusalOf(errorCode).kind !== 'drawing') throw asUndeliverable(error);
    return send({ text: drawn.text.slice(0, maxPlainLength) }).catch((again: unknown) => {
      throw asUndeliverable(again);
    });
  }
}

/** Why a call to Slack failed. */
export function asUndeliverable(error: unknown): Undeliverable {
  const errorCode = platformError(error);
  if (errorCode !== undefined) {
    const { kind, why } = refusalOf(errorCode);
    // Text that is no error code can be a whole page.
    return new Undeliverable(kind, errorCode.slice(0, maxErrorLength), 0, why);
  }
  const restMs = rateLimitMs(error, busyAgainMs);
  if (restMs !== undefined) return new Undeliverable('later', 'Slack asks for a pause', restMs);
  const says = error instanceof WebAPIHTTPError ? `HTTP ${error.statusCode}` : 'no answer';
  return new Undeliverable('later', says, 0, undefined, error);
}

/** Slack's error code, or undefined. */
export function platformError(error: unknown): string | undefined {
  const errorCode: unknown = error instanceof WebAPIPlatformError ? error.data.error : undefined;
  return typeof errorCode === 'string' ? errorCode : undefined;
}
