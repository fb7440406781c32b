import { catalogue } from '../../commands/index.ts';
import { Refusal } from '../../base/errors.ts';
import { identifySender } from '../../talk/speaker.ts';
import { parse } from '../../language/parse.ts';
import type { ParsedCommand, BindContext } from '../../language/bind-arguments.ts';
import { bindingOf } from '../../decide/channel-binding.ts';
import type { Channel, Person } from '../../access/access-check.ts';
import { readerOf } from '../../access/visibility.ts';
import { isDirect } from '../../access/assert-channel.ts';
import type { Request } from '../../talk/conversation.ts';
import { ownName, siteOf } from '../../language/plain-things.ts';
import { environmentsOfSite } from '../../language/resolve.ts';
import { namesNoCommand } from '../../language/reader.ts';
import type { Place } from '../../language/things.ts';
import { comparableName } from '../../policy/pattern.ts';
import { cardsChannel } from '../../policy/rules.ts';
import { findByCard, type Change } from '../../storage/changes.ts';
import { originChannel } from '../../storage/messages-of-person.ts';
import { channel as channelNamed, joined, say, type Text, channel } from '../../words/text.ts';
import type { Interaction, SlackContext } from '../context/context.ts';
import { tell } from '../context/handler.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChannelLook } from '../../post/messenger.ts';
import { findCard } from '../../storage/messages.ts';

/** Tells the requester where the card is, unless they see it appear where they asked. */
export async function tellWhere(context: SlackContext, interaction: Interaction, change: Change): Promise<void> {
  context.askedFrom.keep(change.number, interaction);
  const place = await cardPlace(context, change);
  // Whoever mentions us in a thread may see only that.
  const isMention = interaction.trigger === undefined;
  const isThere =
    change.channel === interaction.channel || (isDirect(change.channel) && isDirect(interaction.channel ?? ''));
  const isInSight = isThere && !(isMention && interaction.thread !== undefined);
  if (isInSight && (place === 'channel' || place === 'direct')) return;
  const requested = interaction.cardsIn ?? interaction.channel;
  const isElsewhere = change.channel === change.requester && requested !== undefined && !isDirect(requested);
  const why = isElsewhere ? await whyElsewhere(context, interaction.person, requested) : undefined;
  await tell(context, interaction, { says: joined([savedAs(change, place), why]) });
}

/** Why a card isn't in its channel. Only if Slack hides a channel from us, we are not in it. */
async function whyElsewhere(context: SlackContext, person: string, requested: string): Promise<Text> {
  const { pipeline } = context;
  const isIn = await context.people.isIn(person, requested);
  if (isIn === false) return say`You aren't in ${channelNamed(requested)}. Join it if you want cards there.`;
  if (isIn === undefined) return say`Slack didn't tell me in time whether you're in ${channelNamed(requested)}.`;
  const cards = cardsChannel(pipeline.policy(), requested);
  const look = await pipeline.lookAt(cards).catch(() => undefined);
  const place = cards === requested ? 'this channel' : channelNamed(cards);
  return look?.kind === 'no scope'
    ? say`Slack doesn't let me see whether I'm in ${place}.`
    : say`I'm not in ${place}. Use /invite if you want cards there.`;
}

/**
 * The sender and the channel, for a conversation. Where a form or a button says that it came from proves nothing: it is
 * their direct messages, by their own id, or a channel that Slack says they are in.
 */
export const senderOf = (
  context: SlackContext,
  { person, team, channel, cardsIn = channel }: Pick<Interaction, 'person' | 'team' | 'channel' | 'cardsIn'>,
): Request['from'] => ({
  person,
  team,
  channel: async () => {
    if (channel === undefined) return undefined;
    if (isDirect(channel)) return person;
    return (await context.people.isIn(person, channel)) ? channel : undefined;
  },
  cardChannel: () => cardChannelFor(context, person, cardsIn),
});

/**
 * The channel in which the change or request of this message was asked for, if everybody in the workspace can see it,
 * and so can we; undefined: not certainly. Even its requester may have left a private one since.
 */
export async function originChannelFor(
  { pipeline }: SlackContext,
  message: { readonly channel: string; readonly ts: string },
): Promise<string | undefined> {
  const channel = await originChannel(pipeline.database.db, message);
  if (channel === undefined || isDirect(channel)) return undefined;
  const look = await pipeline.lookAt(channel).catch(() => undefined);
  const isSeen = look?.kind === 'seen' && look.member && !look.archived && !look.shared && !look.isPrivate;
  return isSeen ? channel : undefined;
}

/** The channel for a card: the policy's, or the requester's direct messages if Slack does not show it to us, or them in it. */
async function cardChannelFor(context: SlackContext, person: string, channel: string | undefined): Promise<Channel> {
  const direct = { id: person, shared: false };
  if (channel === undefined || isDirect(channel)) return direct;
  const [requested, isIn] = await Promise.all([shownChannel(context, channel), context.people.isIn(person, channel)]);
  if (requested?.shared) return requested;
  if (!isIn) return direct;
  const cards = cardsChannel(context.pipeline.policy(), channel);
  return (cards === channel ? requested : await shownChannel(context, cards)) ?? direct;
}

/** A channel, unless Slack does not show it to us. If it doesn't answer now, each post asks it whether it is shared. */
async function shownChannel({ pipeline }: SlackContext, id: string): Promise<Channel | undefined> {
  const look = await pipeline.lookAt(id).catch(() => undefined);
  if (look === undefined) return { id, shared: false };
  return look.kind === 'seen' ? { id, shared: look.shared } : undefined;
}

/**
 * A typed line as it was parsed, and where it was typed. `refusal`: why it can't be parsed, or is probably something
 * else.
 */
type Asked = {
  readonly place: Place;
  readonly parsed?: ParsedCommand | undefined;
  readonly refusal?: Refusal;
};

/** Parses a typed line. */
export async function parseLine(context: SlackContext, interaction: Interaction, line: string): Promise<Asked> {
  const person = await identifySender(context.pipeline, interaction);
  const place = { ...(await placeOf(context, interaction, person)), isAddressed: interaction.trigger !== undefined };
  try {
    const parsed = parse(line, catalogue, bindContextOf(place));
    return { place, parsed, ...(parsed && namesNoCommand(parsed) && { refusal: noSuchCommand }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { place, refusal: error };
  }
}

const noSuchCommand = new Refusal("I don't know that command. Nothing was done.");

/** Where it was typed. A thread's change may not be saved yet, and may be about another site than the channel. */
async function placeOf({ pipeline }: SlackContext, { channel, thread }: Interaction, person: Person): Promise<Place> {
  if (channel === undefined) return {};
  const names = pipeline.names(person);
  const { environments } = names;
  const ofSite = (site: string | undefined) => (site === undefined ? [] : environmentsOfSite(names, site));
  const carded = thread === undefined ? undefined : await findByCard(pipeline.database.db, channel, thread);
  const change = carded && readerOf(pipeline, person)(carded) ? carded : undefined;
  const [kind, target] = change?.target.split(':') ?? [];
  if (target !== undefined) {
    const known = kind === 'environment' ? environments.find((one) => one.id === target) : undefined;
    const isUnsent = change?.state === 'waiting' || change?.state === 'approved';
    return { target, isUnsent, ...(known && { environment: known, site: ofSite(siteOf(known)) }) };
  }
  const bound = thread === undefined ? await bindingOf(pipeline.database.db, channel) : undefined;
  return bound ? { site: ofSite(bound.site) } : {};
}

/**
 * The default target of a line. In the thread of a change that this person may read, it is the change's target, and a
 * bare name means another environment of the same site. In a channel bound to a site, a bare name outside threads means
 * an environment of that site.
 */
function bindContextOf({ target, site }: Place): BindContext {
  const sibling = (word: string) => site?.find((one) => comparableName(ownName(one)) === comparableName(word))?.id;
  if (target !== undefined) return { target, sibling };
  return site ? { sibling, isLoose: true } : {};
}

/** Where the card of a change is: in its channel; in direct messages, and why; or not posted yet. */
type CardPlace = 'channel' | 'direct' | 'uninvited' | 'refused' | 'open';

/** How long we wait for a card to be posted, and how often we look. Only in channels that may not take it. */
const waitMs = 2_000;
const lookEveryMs = 100;

/** Where the card of a new change is. We can post in a channel that we are not in if Slack lets us, so its card tells. */
async function cardPlace({ pipeline }: Pick<SlackContext, 'pipeline'>, change: Change): Promise<CardPlace> {
  if (isDirect(change.channel)) return 'direct';
  const otherwise = elsewhere(await pipeline.lookAt(change.channel).catch(() => undefined));
  if (otherwise === undefined) return 'channel';
  for (let waited = 0; waited < waitMs; waited += lookEveryMs) {
    const at = (await findCard(pipeline.database.db, change.number))?.channel;
    if (at) return at === change.channel ? 'channel' : otherwise;
    await wait(lookEveryMs);
  }
  return 'open';
}

/** Why a card may not be in its channel; undefined: that takes it, as far as Slack says now. */
function elsewhere(look: ChannelLook | undefined): 'uninvited' | 'refused' | undefined {
  if (look === undefined) return undefined;
  if (look.kind === 'hidden') return 'uninvited';
  if (look.kind !== 'seen' || look.archived || look.shared) return 'refused';
  return look.member ? undefined : 'uninvited';
}

/** What became of a request, and where its card is. Under a card that was moved, its thread says how to invite us. */
function savedAs(change: Change, place: CardPlace): Text {
  const progress = change.state === 'waiting' ? 'is waiting for approval' : 'is on its way';
  const where = {
    channel: say`${channel(change.channel)}`,
    direct: say`our direct messages`,
    uninvited: say`our direct messages, because I'm not in ${channel(change.channel)}`,
    refused: say`our direct messages, because ${channel(change.channel)} takes no posts of mine`,
    open: say`${channel(change.channel)}, or in our direct messages if I can't post there`,
  };
  return say`**#${change.number} ${progress}.** Its card is in ${where[place]}.`;
}
