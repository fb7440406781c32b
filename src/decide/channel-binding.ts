import { parseStored } from '../storage/parse-json.ts';
import { randomUUID } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { Environment, NamedSite } from '../hosting/contract/target.ts';
import type { Database, Tx } from '../storage/database.ts';
import { enqueueMessage } from '../storage/messages.ts';
import { readKv, removeKv, writeKv } from '../storage/kv.ts';
import { mention, say, type Text } from '../words/text.ts';
import type { Note } from '../change/card.ts';
import { assertChannel, isDirect } from '../access/assert-channel.ts';
import { mayRunOn } from '../access/may-run.ts';
import { environmentsOfSite } from '../language/resolve.ts';
import { record, type Actor, type SaidIn } from './admin-actions.ts';
import type { Person } from '../access/access-check.ts';
import type { AccessContext } from '../access/context.ts';
import type { SendContext } from '../send/context.ts';
import { exclusiveTransaction } from '../storage/transactions.ts';

/** The site that a channel is bound to. */
type ChannelBinding = {
  /** Its id, or its name where the host lists no sites. */
  readonly site: string;
  readonly name: string;
  /** Slack user id of the person who bound it. */
  readonly by: string;
};

const keyOf = (channel: string): string => `channel_site:${channel}`;

/** The site that a channel is bound to, or undefined. People there can write `live` instead of `site/live`. */
export async function bindingOf(db: Database['db'], channel: string): Promise<ChannelBinding | undefined> {
  const stored = await readKv(db, keyOf(channel));
  return stored && parseStored<ChannelBinding>(stored.value);
}

/** The binding of the channel in which it was said, for the commands that read and change it. */
export const bindingFor = (context: SendContext, { saidIn, ...actor }: Actor & SaidIn) => ({
  /** The site that this channel is bound to. */
  bound: async () => boundNow(context, actor.person, await saidIn()),
  /** Binds this channel to a site and announces it; false if it was already bound to it. */
  use: async (site: NamedSite) => {
    const place = placeOf(await saidIn());
    const target = bindableEnvironment(context, actor, site.id);
    if (target === undefined) throw new Refusal(say`**You may not bind a channel to ${site.name}.** Nothing was done.`);
    assertChannel(context.policy(), await context.channelOf(place), [target]);
    return exclusiveTransaction(context.database, async (tx, at) => {
      const before = await bindingOf(tx, place);
      if (before?.site === site.id) return false;
      const binding: ChannelBinding = { site: site.id, name: site.name, by: actor.person.id };
      await writeKv(tx, { key: keyOf(place), value: JSON.stringify(binding), at });
      await recordUse(context, actor, tx, { at, place, site: binding, before });
      const text = say`**This channel is now bound to ${site.name}**, set by ${mention(actor.person.id)}. Here \`live\` means ${site.name}/live. Commands that destroy something still need the full name.`;
      await announce(tx, place, [target], { text }, at);
      return true;
    });
  },
  /** Ends the binding; resolves with it, or undefined if there was none. */
  forget: async () => {
    const place = placeOf(await saidIn());
    return exclusiveTransaction(context.database, async (tx, at) => {
      const before = await bindingOf(tx, place);
      if (before === undefined) return undefined;
      const name = nameNow(context, before);
      refuseToForget(context, actor, before.site, name);
      if (!(await removeKv(tx, keyOf(place)))) return undefined;
      await recordUse(context, actor, tx, { at, place, before });
      const about = environmentsOfSite(context.names(undefined), before.site).slice(0, 1);
      await announce(tx, place, about, unboundNote(actor.person.id, name), at);
      return { ...before, name };
    });
  },
});

/** The binding as this person may see it: a listed site that they can see nothing of is not named. */
async function boundNow(
  context: SendContext,
  person: Person,
  channel: string | undefined,
): Promise<ChannelBinding | undefined> {
  const bound = channel === undefined ? undefined : await bindingOf(context.database.db, channel);
  if (bound === undefined) return undefined;
  const isListed = environmentsOfSite(context.names(undefined), bound.site).length > 0;
  const isHidden = isListed && environmentsOfSite(context.names(person), bound.site).length === 0;
  return { ...bound, name: isHidden ? "a site that you can't see" : nameNow(context, bound) };
}

type Rebinding = {
  readonly at: number;
  readonly place: string;
  readonly site?: ChannelBinding;
  readonly before: ChannelBinding | undefined;
};

/** The line names both sites, so it is about the environments of both; of an unlisted site only the company may know. */
function recordUse(context: SendContext, actor: Actor, tx: Tx, { at, place, site, before }: Rebinding) {
  const named = [site, before].filter((one) => one !== undefined);
  const about = named.map((one) => environmentsOfSite(context.names(undefined), one.site));
  return record(context, actor, tx, at, {
    event: 'use',
    about: about.every((envs) => envs.length > 0) ? about.flat() : 'company',
    channel: place,
    site: site?.name,
    before: before?.name,
  });
}

/** Throws `Refusal` if this person may not unbind the site. If the host no longer lists the site, no right is needed. */
function refuseToForget(context: AccessContext, actor: Actor, site: string, name: string): void {
  const all = context.names(undefined);
  const { trouble } = all;
  const isListed = environmentsOfSite(all, site).length > 0;
  if (!isListed && trouble) {
    throw new Refusal(
      say`I can't tell whether you may unbind this channel from ${name}. ${trouble} Nothing was done.`,
      {
        hint: 'Try again in a minute.',
      },
    );
  }
  if (isListed && bindableEnvironment(context, actor, site) === undefined)
    throw new Refusal(say`**You may not unbind this channel from ${name}.** Nothing was done.`);
}

function unboundNote(by: string, name: string): Note {
  const from = (site: string): Text =>
    say`**${mention(by)} unbound this channel from ${site}.** Please use full names here again.`;
  return { text: from(name), hidden: from('its site') };
}

/** `about`: one environment of the site, because a channel may hear of all environments of a site or of none. */
const announce = (tx: Tx, channel: string, about: readonly Environment[], note: Note, at: number): Promise<unknown> =>
  enqueueMessage(tx, {
    key: `use:${channel}:${randomUUID()}`,
    kind: 'notice',
    recipient: channel,
    about: JSON.stringify(about),
    body: JSON.stringify(note),
    at,
  });

/** The current name of a bound site, which may have been renamed. */
const nameNow = (context: AccessContext, { site, name }: ChannelBinding): string =>
  environmentsOfSite(context.names(undefined), site)[0]?.site?.name ?? name;

function placeOf(channel: string | undefined): string {
  if (channel !== undefined && !isDirect(channel)) return channel;
  throw new Refusal('Only a channel can be bound to a site. Nothing was done.', { hint: 'Type it in the channel.' });
}

/** An environment of the site for which this person has the right `use`, or undefined: one is enough. */
const bindableEnvironment = (context: AccessContext, { person }: Actor, site: string): Environment | undefined =>
  environmentsOfSite(context.names(person), site).find(
    (target) => mayRunOn(context.policy(), person, 'use', target) === 'yes',
  );
