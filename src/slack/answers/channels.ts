import { bindingOf } from '../../pipeline/builtin/channel-binding.ts';
import type { Channel, Person } from '../../pipeline/access/authorise.ts';
import type { Context } from '../../pipeline/language/parse.ts';
import type { Names } from '../../pipeline/language/resolve.ts';
import { folded } from '../../pipeline/language/name-search.ts';
import { cardsChannel } from '../../policy/channels.ts';
import { findByCard, type Change } from '../../storage/changes.ts';
import { channel as inChannel, say } from '../../text.ts';
import { drawNote } from '../draw/blocks.ts';
import type { Interaction, SlackContext } from '../context/context.ts';

/** Where the card will stand, if it is not where it was asked for. */
export async function sayWhere(context: SlackContext, interaction: Interaction, change: Change): Promise<void> {
  if (change.channel === interaction.channel) return;
  const direct = change.channel === change.asker;
  const where = direct ? say`our direct messages` : say`${inChannel(change.channel)}`;
  const why =
    direct && interaction.channel && !interaction.channel.startsWith('D')
      ? ' I am not in this channel: to have cards here, use /invite.'
      : '';
  await context.ephemeral(
    interaction,
    drawNote({ text: say`#${change.number} is on its way; its card stands in ${where}.${why}` }),
  );
}

/** Where a card goes: as the policy has it, and to the asker's direct messages where Slack does not show us the channel. */
export async function placeFor(
  { people, front }: SlackContext,
  { channel, person }: Pick<Interaction, 'channel' | 'person'>,
): Promise<Channel> {
  if (channel === undefined || channel.startsWith('D')) return { id: channel ?? person, shared: false };
  const asked = await people.channel(channel);
  if (asked.shared) return asked;
  const cards = cardsChannel(front.policy(), channel);
  const place = cards === channel ? asked : await people.channel(cards);
  return place.shared === undefined ? { id: person, shared: false } : place;
}

/**
 * In the thread of a change its target need not be said, and a bare name means its sibling; in a channel that is bound to
 * a site a bare name is one of that site's, outside of threads.
 */
export async function contextOf(
  { front }: SlackContext,
  { channel, thread }: Interaction,
  person: Person,
): Promise<Context> {
  if (channel === undefined) return {};
  const { environments } = front.names(person);
  const inSite = (site: string | undefined) => (word: string) =>
    environments.find((one) => site !== undefined && siteOf(one) === site && folded(ownName(one)) === folded(word))?.id;
  const change = thread === undefined ? undefined : await findByCard(front.database.db, channel, thread);
  const [kind, target] = change?.target.split(':') ?? [];
  if (kind === 'environment') {
    const known = environments.find((one) => one.id === target);
    return { target, sibling: inSite(known && siteOf(known)) };
  }
  if (target !== undefined) return { target };
  // A thread whose card is not noted yet may be about another site than its channel.
  const bound = thread === undefined ? await bindingOf(front.database.db, channel) : undefined;
  return bound ? { sibling: inSite(bound.site), isLoose: true } : {};
}

type Environment = Names['environments'][number];
const siteOf = ({ site }: Environment): string | undefined => site?.id ?? site?.name;
const ownName = ({ name }: Environment): string => name.slice(name.indexOf('/') + 1);
