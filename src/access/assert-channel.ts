import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { channelRule, type Policy } from '../policy/rules.ts';
import { channel as channelLink, either, list, say, type Text } from '../words/text.ts';
import type { Channel } from './access-check.ts';

/** Which places may hear about which targets: direct messages, or a channel that the policy lets. */

/**
 * Whether a place is somebody's direct messages: a conversation with one person, or that person. Everything else is a
 * channel. No other file of the pipeline knows how Slack writes the ids of places.
 */
export const isDirect = (place: string): boolean => /^[DUW]/.test(place);

/** Why a card about these targets may not be posted in the channel, and where else to ask; undefined: it may. */
export function channelRefusal(
  policy: Policy,
  channel: Channel,
  targets: readonly (Target | undefined)[],
): { readonly why: Text; readonly hint: Text; readonly isLater: boolean } | undefined {
  if (channel.shared !== false) {
    const is = channel.shared
      ? 'is shared with another organisation'
      : 'may be shared with another organisation (Slack gives no answer)';
    return {
      why: say`${{ channel: channel.id }} ${is}, so sites can't be discussed there.`,
      hint: say`Ask me in an internal channel or in a direct message.`,
      isLater: channel.shared === undefined,
    };
  }
  const sites = targets.filter((target) => target !== undefined).map(siteOf);
  const rule = channelRule(policy, channel.id, sites);
  if (rule === 'ok') return undefined;
  // If there are several sites, name those that may not be discussed here. A single site is what was typed.
  const all = [...new Set(sites)];
  const others = all.flatMap((site) => (site && channelRule(policy, channel.id, [site]) === 'outside' ? [site] : []));
  const than = all.length > 1 && others.length > 0 ? say` than ${list(others, 3)}` : undefined;
  const why =
    rule === 'denied' ? say`Sites can't be discussed in this channel.` : say`This channel is for other sites${than}.`;
  const right = [...policy.channels.bounds.keys()].filter((id) => channelRule(policy, id, sites) === 'ok');
  const where = [...right.slice(0, maxRight).map((id) => [channelLink(id)]), 'a direct message'];
  return { why, hint: say`Ask me in ${either(where)}.`, isLater: false };
}

/** Throws `Refusal` if a card about these targets may not be posted in the channel. */
export function assertChannel(policy: Policy, channel: Channel, targets: readonly (Target | undefined)[]): void {
  const refused = channelRefusal(policy, channel, targets);
  if (refused) throw new Refusal(say`${refused.why} Nothing was done.`, refused);
}

/** Whether a channel may hear of these targets, by the rules. What is posted there without being asked for asks this. */
export const mayHear = (policy: Policy, channel: string, targets: readonly Target[]): boolean =>
  channelRule(policy, channel, targets.map(siteOf)) === 'ok';

/** How many channels are named in which the sites can be discussed. */
const maxRight = 3;

const siteOf = (target: Target): string | undefined => (target.kind === 'company' ? undefined : target.site?.name);
