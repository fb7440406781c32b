import { Refusal } from '../base/errors.ts';
import type { Target } from '../hosting/contract/target.ts';
import { channelRule, type Calling, type Policy } from '../policy/rules.ts';
import { channel as channelLink, code, either, list, say, type Text } from '../words/text.ts';
import type { Channel } from './access-check.ts';

/** Which places may hear about which targets: direct messages, or a channel that the policy lets. */

/**
 * Whether a place is somebody's direct messages: a conversation with one person, or that person. Everything else is a
 * channel. No other file of the pipeline knows how Slack writes the ids of places.
 */
export const isDirect = (place: string): boolean => /^[DUW]/.test(place);

/**
 * Why a card about these targets may not be posted in the channel, and where else to ask; undefined: it may. `caller`:
 * the program that asks, which is in no channel itself.
 */
export function channelRefusal(
  policy: Policy,
  channel: Channel,
  targets: readonly (Target | undefined)[],
  caller?: Calling,
): { readonly why: Text; readonly hint: Text; readonly isLater: boolean } | undefined {
  if (channel.shared !== false) {
    const is = channel.shared
      ? 'is shared with another organisation'
      : 'may be shared with another organisation (Slack gives no answer)';
    return {
      why: say`${{ channel: channel.id }} ${is}, so sites can't be discussed there.`,
      hint: caller ? anotherFor(caller) : say`Ask me in an internal channel or in a direct message.`,
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
  const [here, thisOne] = caller
    ? [channelLink(channel.id), channelLink(channel.id)]
    : ['this channel', 'This channel'];
  const why =
    rule === 'denied' ? say`Sites can't be discussed in ${here}.` : say`${thisOne} is for other sites${than}.`;
  const right = [...policy.channels.bounds.keys()].filter((id) => channelRule(policy, id, sites) === 'ok');
  const where = right.slice(0, maxRight).map((id) => [channelLink(id)]);
  const hint = caller ? anotherFor(caller, where) : say`Ask me in ${either([...where, 'a direct message'])}.`;
  return { why, hint, isLater: false };
}

/** Where a program's cards are posted stands in the policy. */
const anotherFor = ({ name }: Calling, where: readonly Text[] = []): Text =>
  say`The policy names it as the ${code('channel')} of ${code(name)}; that would have to be another${where.length > 0 ? say`: ${either(where)}` : ''}.`;

/** Throws `Refusal` if a card about these targets may not be posted in the channel. */
export function assertChannel(...about: Parameters<typeof channelRefusal>): void {
  const refused = channelRefusal(...about);
  if (refused) throw new Refusal(say`${refused.why} Nothing was done.`, refused);
}

/** Whether a channel may hear of these targets, by the rules. What is posted there without being asked for asks this. */
export const mayHear = (policy: Policy, channel: string, targets: readonly Target[]): boolean =>
  channelRule(policy, channel, targets.map(siteOf)) === 'ok';

/** How many channels are named in which the sites can be discussed. */
const maxRight = 3;

const siteOf = (target: Target): string | undefined => (target.kind === 'company' ? undefined : target.site?.name);
