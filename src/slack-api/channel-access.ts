import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { ChannelLook } from '../post/messenger.ts';
import { isLacking } from './api-errors.ts';
import { asUndeliverable, platformError } from './messenger.ts';
import { BoundedMap } from '../base/caches.ts';

type LookOptions = {
  readonly client: WebClient;
  /** How long an answer stays fresh, if not as long as usual. */
  readonly freshMs?: number | undefined;
  /** Called with whether Slack accepts our token. */
  readonly onToken: (isTaken: boolean) => void;
};

const reply = z.object({
  channel: z.object({
    is_ext_shared: z.boolean().optional(),
    is_pending_ext_shared: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_private: z.boolean().optional(),
    is_member: z.boolean().optional(),
  }),
});
/** How long an answer stays fresh. */
const usualFreshMs = 15_000;
/** How many answers are cached; the oldest are dropped first. */
const maxKept = 1_000;
/** Looks up channels, each at most once in `freshMs`. Rejects with `Undeliverable` if Slack does not answer now. */
export function createChannelLook(options: LookOptions): (channel: string) => Promise<ChannelLook> {
  const { freshMs = usualFreshMs } = options;
  const cache = new BoundedMap<string, { readonly look: Promise<ChannelLook>; at: number }>(maxKept);
  return (channel) => {
    const found = cache.get(channel);
    if (found && performance.now() - found.at < freshMs) return found.look;
    // Callers that come while the answer is pending share it.
    const entry = { look: ask(options, channel), at: Number.POSITIVE_INFINITY };
    cache.set(channel, entry);
    const forget = (): void => void (cache.get(channel) === entry && cache.delete(channel));
    // Don't cache `hidden`: the person is told to invite us, and tries again at once.
    entry.look.then((look) => (look.kind === 'hidden' ? forget() : (entry.at = performance.now())), forget);
    return entry.look;
  };
}

async function ask({ client, onToken }: LookOptions, channel: string): Promise<ChannelLook> {
  try {
    const { channel: info } = reply.parse(await client.conversations.info({ channel }));
    const { is_ext_shared: shared, is_pending_ext_shared: pending } = info;
    return {
      kind: 'seen',
      shared: Boolean(shared || pending),
      archived: info.is_archived === true,
      isPrivate: info.is_private !== false,
      member: info.is_member !== false,
    };
  } catch (error) {
    const errorCode = platformError(error) ?? '';
    if (isLacking(errorCode)) return { kind: 'no scope' };
    const refused = asUndeliverable(error);
    if (refused.kind === 'token') onToken(false);
    if (refused.kind === 'gone') return { kind: 'hidden', word: errorCode };
    throw refused;
  }
}
