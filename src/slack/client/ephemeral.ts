import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import { spoken } from '../../pipeline/changes/replies.ts';
import { joined, say as phrase } from '../../text.ts';
import { drawNote, type Drawn } from '../draw/blocks.ts';
import { inert, sendDrawn, sayIn } from './messenger.ts';

/** Where somebody spoke: how to answer them alone. */
export type ReplyTarget = {
  readonly person: string;
  readonly channel: string | undefined;
  readonly thread?: string | undefined;
  readonly responseUrl?: string | undefined;
  /** When they spoke, in milliseconds of `performance.now`. */
  readonly since: number;
};

const timeoutMs = 3_000;
/** What took longer says how long, where it does not stand where it was asked for. */
const longMs = 60_000;
/** Of what Slack says to an answer that it does not take, in bytes. */
const maxSaid = 2_000;

/**
 * Tells one person something that nobody else sees: by the response URL, which works wherever they spoke, for half an
 * hour; else as an ephemeral message; else in their direct messages. Rejects when nothing of this worked.
 */
export function createEphemeral(
  client: WebClient,
  apiUrl: string,
  ticks: () => number = () => performance.now(),
): (to: ReplyTarget, what: Drawn) => Promise<void> {
  return async ({ person, channel, thread, responseUrl, since }, what) => {
    const mayRespond = responseUrl !== undefined && isSlacks(responseUrl, apiUrl);
    const answer = mayRespond ? await respond(responseUrl, what, thread) : 'refused';
    if (answer === 'taken') return;
    const told = withRemark(what, answer === 'expired', ticks() - since);
    const ephemeral = (): Promise<boolean> => {
      if (channel === undefined || /^[DU]/.test(channel)) return Promise.resolve(false);
      const place = { channel, user: person, ...(thread && { thread_ts: thread }) };
      const said = sendDrawn(told, (drawn) =>
        client.chat.postEphemeral({ link_names: false, parse: 'none', ...place, ...drawn }),
      );
      return said.then(
        () => true,
        () => false,
      );
    };
    // After half an hour somebody may be elsewhere, and what only shows for a while would be missed.
    if (answer !== 'expired' && (await ephemeral())) return;
    const direct = {
      channel: channel?.startsWith('D') ? channel : person,
      ...(channel?.startsWith('D') && thread && { thread_ts: thread }),
    };
    try {
      await sayIn(client, direct, told);
    } catch (error) {
      if (answer !== 'expired' || !(await ephemeral())) throw error;
    }
  };
}

/** Why it stands there, where its reader could wonder. */
function withRemark({ text, blocks }: Drawn, isExpired: boolean, tookMs: number): Drawn {
  const took = isExpired || tookMs > longMs ? phrase`It took ${spoken(tookMs)}.` : undefined;
  const why = isExpired ? "Slack's half hour for an answer where you asked is over, so it stands here." : undefined;
  if (took === undefined) return { text, blocks };
  return { text, blocks: [...blocks, ...drawNote({ text: joined([why, took]) }).blocks] };
}

async function respond(
  url: string,
  { text, blocks }: Drawn,
  thread?: string,
): Promise<'taken' | 'expired' | 'refused'> {
  const body = (message: object): string =>
    JSON.stringify({ response_type: 'ephemeral', replace_original: false, thread_ts: thread, ...inert, ...message });
  for (const message of [{ text, blocks }, { text }]) {
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body(message),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const said = await beginningOf(answer.body);
      if (answer.statusCode < 300) return 'taken';
      if (said.includes('expired_url')) return 'expired';
    } catch {
      return 'refused';
    }
  }
  return 'refused';
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let said = '';
  for await (const part of body) {
    said += part.toString('latin1');
    if (said.length > maxSaid) break;
  }
  return said.slice(0, maxSaid);
}

/** A response URL is followed to Slack's own, or to where the API is that was configured: by scheme, host and port. */
const isSlacks = (url: string, apiUrl: string): boolean =>
  URL.canParse(url) && ['https://hooks.slack.com', new URL(apiUrl).origin].includes(new URL(url).origin);
