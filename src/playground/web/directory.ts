import type { Channel, Group, Person } from '../slack/shapes.ts';
import { ask } from './api.ts';

/** People, groups and channels by id. */
export type Directory = {
  readonly people: ReadonlyMap<string, Person>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly channels: ReadonlyMap<string, Channel>;
};

/** A workspace that has not been read yet. */
export const EMPTY: Directory = { people: new Map(), groups: new Map(), channels: new Map() };

/** Reads all people, groups and channels. */
export async function readDirectory(): Promise<Directory> {
  const [{ people, groups }, channels] = await Promise.all([
    ask<{ people: readonly Person[]; groups: readonly Group[] }>('/control/slack/people'),
    ask<readonly Channel[]>('/control/slack/channels'),
  ]);
  return { people: byId(people), groups: byId(groups), channels: byId(channels) };
}

const byId = <Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]));

/** People you can act as: everybody but bots and deactivated people. */
export const actors = ({ people }: Directory): readonly Person[] =>
  [...people.values()].filter((person) => !person.is_bot && !person.deleted);

/** The app's bot. */
export const botOf = ({ people }: Directory): Person | undefined =>
  [...people.values()].find((person) => person.is_bot);

/** The id of a person's direct message with the bot, whether it is open yet or not. */
export const directMessageId = (person: string): string => `D0${person}`;

/** The channels a person sees, without direct messages: their own, plus public ones for full members. */
export function channelsOf({ people, channels }: Directory, id: string): readonly Channel[] {
  const person = people.get(id);
  const outside = person === undefined || person.is_restricted || person.is_ultra_restricted || person.is_stranger;
  return [...channels.values()].filter(
    ({ kind, members }) => kind !== 'im' && (members.includes(id) || (kind === 'public' && !outside)),
  );
}

/** What a client shows for an id: `Ana`, `leads`, `acme-shop`; an unknown id is shown as it is. */
export const nameOf = {
  person: ({ people }: Directory, id: string): string => people.get(id)?.display_name ?? id,
  group: ({ groups }: Directory, id: string): string => groups.get(id)?.handle ?? id,
  channel: ({ channels }: Directory, id: string): string => channels.get(id)?.name ?? id,
};
