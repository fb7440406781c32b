import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import { spokenDuration, minuteMs } from '../words/duration.ts';
import { readBeginning } from '../base/bounded-reads.ts';
import { isDirect } from '../access/assert-channel.ts';
import { joined, say } from '../words/text.ts';
import { drawNote, type Drawn } from '../block-kit/blocks.ts';
import { startDeadline } from '../base/time-limit.ts';
import { postTimeoutMs, toSlack } from './calls.ts';
import { noUnfurl, sendDrawn, postDrawn } from './messenger.ts';
import { BoundedMap } from '../base/caches.ts';
import type { PostContext } from '../post/context.ts';

/** Answers people privately where they asked, and tells them there while Slack takes their cards nowhere. */

/** Where a request came from, to answer its sender privately. */
export type ReplyTarget = {
  readonly person: string;
  readonly channel: string | undefined;
  readonly thread?: string | undefined;
  readonly responseUrl?: string | undefined;
  /** When the request came, in milliseconds of `performance.now`. */
  readonly since: number;
};

/** After this, an answer says how long it took if it does not go to the response URL. */
const longMs = 60_000;
/** How much of Slack's error is read, in bytes. */
const maxErrorBytes = 2_000;

/**
 * Sends a message that only one person sees: through the response URL (works anywhere, for half an hour), else as an
 * ephemeral message, else in direct messages. Rejects if all of these fail.
 */
export function createEphemeral(
  client: WebClient,
  apiUrl: string,
  ticks: () => number = () => performance.now(),
): (to: ReplyTarget, content: Drawn) => Promise<void> {
  return async ({ person, channel, thread, responseUrl, since }, content) => {
    const mayRespond = responseUrl !== undefined && isSlacks(responseUrl, apiUrl);
    const answer = mayRespond ? await respond(responseUrl, content, thread) : 'refused';
    if (answer === 'taken') return;
    const message = withRemark(content, answer === 'expired', ticks() - since);
    const ephemeral = async (): Promise<boolean> => {
      if (channel === undefined || isDirect(channel)) return false;
      const place = { channel, user: person, ...(thread && { thread_ts: thread }) };
      const sending = sendDrawn(message, (drawn) =>
        client.chat.postEphemeral({ link_names: false, parse: 'none', ...place, ...drawn }),
      );
      return sending.then(
        () => true,
        () => false,
      );
    };
    // After half an hour the person may have left the channel and would miss an ephemeral message.
    if (answer !== 'expired' && (await ephemeral())) return;
    try {
      // By the person's own id: a place that is only said to be their direct messages can be somebody else's.
      await postDrawn(client, { channel: person }, message);
    } catch (error) {
      if (answer !== 'expired' || !(await ephemeral())) throw error;
    }
  };
}

/** Adds why the answer is here and how long it took, if the reader could wonder. */
function withRemark(content: Drawn, isExpired: boolean, tookMs: number): Drawn {
  if (!isExpired && tookMs <= longMs) return content;
  const why = isExpired ? 'Slack lets me answer there for half an hour only, so the answer is here.' : undefined;
  const remark = drawNote({ text: joined([why, say`It took ${spokenDuration(tookMs)}.`]) });
  return { ...content, blocks: [...content.blocks, ...remark.blocks] };
}

async function respond(
  url: string,
  { text, blocks }: Drawn,
  thread?: string,
): Promise<'taken' | 'expired' | 'refused'> {
  const body = (message: object): string =>
    JSON.stringify({ response_type: 'ephemeral', replace_original: false, thread_ts: thread, ...noUnfurl, ...message });
  for (const message of [{ text, blocks }, { text }]) {
    using late = startDeadline(postTimeoutMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body(message),
        dispatcher: toSlack,
        signal: late.signal,
      });
      if (answer.statusCode < 300) {
        // The rest says nothing more, and may not come.
        void answer.body.dump({ limit: maxErrorBytes }).catch(() => undefined);
        return 'taken';
      }
      const { bytes } = await readBeginning(answer.body, maxErrorBytes);
      if (bytes.includes('expired_url')) return 'expired';
    } catch {
      return 'refused';
    }
  }
  return 'refused';
}

/** A response URL must lead to Slack's own host or to the configured API: same scheme, host and port. */
const isSlacks = (url: string, apiUrl: string): boolean =>
  URL.canParse(url) && ['https://hooks.slack.com', new URL(apiUrl).origin].includes(new URL(url).origin);

/** Where changes were asked for, so that their requesters hear of them there while Slack takes their cards nowhere. */
export type AskedFrom = {
  readonly keep: (change: number, from: ReplyTarget) => void;
  /** Tells the requester once while the change is open, and once when it is settled. */
  readonly onUntold: PostContext['onUntold'];
};

/** How many changes are remembered, and for how long: as long as Slack takes answers to a command. */
const maxKept = 1_000;
const keptForMs = 30 * minuteMs;

/** Starts empty. What this process did not take itself, it does not tell: the message is kept in any case. */
export function createAskedFrom(answer: ReturnType<typeof createEphemeral>, ticks: () => number): AskedFrom {
  const kept = new BoundedMap<number, { readonly from: ReplyTarget; readonly told: Set<boolean> }>(maxKept);
  return {
    keep: (change, { person, channel, thread, responseUrl, since }) =>
      void kept.set(change, { from: { person, channel, thread, responseUrl, since }, told: new Set() }),
    onUntold: ({ number, settled_at }, note) => {
      const asker = kept.get(number);
      const isSettled = settled_at !== null;
      if (asker === undefined || ticks() - asker.from.since > keptForMs || asker.told.has(isSettled)) return;
      asker.told.add(isSettled);
      // The next attempt of the card tells again.
      answer(asker.from, drawNote(note)).catch(() => asker.told.delete(isSettled));
    },
  };
}
