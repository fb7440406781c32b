import { matches } from './pattern.ts';
import type { Policy } from './rules.ts';

/**
 * Whether these sites may be discussed in a channel. `denied`: no site may. `outside`: the channel is bound to other
 * sites. An `undefined` name is an unknown site, which is outside every binding.
 */
export function channelRule(
  policy: Policy,
  channel: string,
  sites: readonly (string | undefined)[],
): 'ok' | 'denied' | 'outside' {
  if (policy.channels.denied.has(channel)) return 'denied';
  const bound = policy.channels.bounds.get(channel)?.sites;
  const inside = (site: string | undefined) => site !== undefined && bound?.some((glob) => matches(glob, site));
  return !bound || sites.every(inside) ? 'ok' : 'outside';
}

/** The channel that gets the cards for commands in this channel. */
export function cardsChannel(policy: Policy, channel: string): string {
  return policy.channels.bounds.get(channel)?.cards ?? channel;
}
