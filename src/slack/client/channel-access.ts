import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { Undeliverable, type ChannelLook } from '../../pipeline/messages/messenger.ts';
import { isLacking } from './api-errors.ts';
import { asUndeliverable, platformError } from './messenger.ts';

export type LookOptions = {
  readonly client: WebClient;
  /** How long an answer is believed. */
  readonly freshMs: number;
  /** Told whether Slack takes our token. */
  readonly onToken: (isTaken: boolean) => void;
};

const reply = z.object({
  channel: z.object({
    is_ext_shared: z.boolean().optional(),
    is_pending_ext_shared: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_member: z.boolean().optional(),
  }),
});
/** Answers kept; the oldest go first. */
const maxKept = 1_000;
/** Looks at channels, each at most so often; rejects with `Undeliverable` where Slack does not say now. */
export function createChannelLook(options: LookOptions): (channel: string) => Promise<ChannelLook> {
  const { freshMs } = options;
  const kept = new Map<string, { readonly look: Promise<ChannelLook>; at: number }>();
  return (channel) => {
    const found = kept.get(channel);
    if (found && performance.now() - found.at < freshMs) return found.look;
    // Many who ask while it is being asked share the answer.
    const asked = { look: ask(options, channel), at: Number.POSITIVE_INFINITY };
    kept.delete(channel);
    kept.set(channel, asked);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    const forget = (): void => void (kept.get(channel) === asked && kept.delete(channel));
    // Whoever is told to invite us does so, and tries again at once.
    asked.look.then((look) => (look.kind === 'hidden' ? forget() : (asked.at = performance.now())), forget);
    return asked.look;
  };
}

async function ask({ client, onToken }: LookOptions, channel: string): Promise<ChannelLook> {
  try {
    const { channel: seen } = reply.parse(await client.conversations.info({ channel }));
    const { is_ext_shared: shared, is_pending_ext_shared: pending } = seen;
    return {
      kind: 'seen',
      shared: Boolean(shared || pending),
      archived: seen.is_archived === true,
      member: seen.is_member !== false,
    };
  } catch (error) {
    const word = platformError(error) ?? '';
    if (isLacking(word)) return { kind: 'untold' };
    const refused = asUndeliverable(error);
    if (!(refused instanceof Undeliverable)) throw new Undeliverable('later', 'no answer about a channel');
    if (refused.kind === 'token') onToken(false);
    if (refused.kind === 'gone') return { kind: 'hidden', word };
    throw refused;
  }
}
