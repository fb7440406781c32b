import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Drawn } from './blocks.ts';
import { inert, say, sayIn } from './thread.ts';

/** Where somebody spoke: how to answer them alone. */
export type Spoken = {
  readonly person: string;
  readonly channel: string | undefined;
  readonly thread?: string | undefined;
  readonly responseUrl?: string | undefined;
};

const timeoutMs = 3_000;

/**
 * Tells one person something that nobody else sees: by the response URL, which works wherever they spoke; else as an
 * ephemeral message; else in their direct messages. Rejects when nothing of this worked.
 */
export function createPrivately(client: WebClient, apiUrl: string): (to: Spoken, what: Drawn) => Promise<void> {
  return async ({ person, channel, thread, responseUrl }, what) => {
    if (responseUrl !== undefined && isSlacks(responseUrl, apiUrl) && (await respond(responseUrl, what))) return;
    if (channel !== undefined && !/^[DU]/.test(channel)) {
      const place = { channel, user: person, ...(thread && { thread_ts: thread }) };
      const told = await say(what, (drawn) =>
        client.chat.postEphemeral({ link_names: false, parse: 'none', ...place, ...drawn }),
      ).then(
        () => true,
        () => false,
      );
      if (told) return;
    }
    const direct = {
      channel: channel?.startsWith('D') ? channel : person,
      ...(channel?.startsWith('D') && thread && { thread_ts: thread }),
    };
    await sayIn(client, direct, what);
  };
}

async function respond(url: string, { text, blocks }: Drawn): Promise<boolean> {
  const body = (message: object): string =>
    JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...inert, ...message });
  for (const message of [{ text, blocks }, { text }]) {
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body(message),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      await answer.body.dump();
      if (answer.statusCode < 300) return true;
    } catch {
      return false;
    }
  }
  return false;
}

/** A response URL is followed only to Slack's own host, or to the host of the API that was configured. */
function isSlacks(url: string, apiUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  return (hostname === 'hooks.slack.com' && protocol === 'https:') || hostname === new URL(apiUrl).hostname;
}
