import { matches } from './pattern.ts';
import type { Policy } from './rules.ts';

/**
 * Whether these sites may be spoken of in a channel: `denied` where nothing may, `outside` where the channel is bound
 * to other sites. `undefined` among the names is a site that is not known: outside every boundary.
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

/** Where a card that is asked for in this channel is posted. */
export function cardsChannel(policy: Policy, channel: string): string {
  return policy.channels.bounds.get(channel)?.cards ?? channel;
}
