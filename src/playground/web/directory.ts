import { ask } from './api.ts';
import type { Channel, Group, Person } from './shapes.ts';

/** Who and what there is, by id. */
export type Directory = {
  readonly people: ReadonlyMap<string, Person>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly channels: ReadonlyMap<string, Channel>;
};

/** A workspace in which nothing is known yet. */
export const EMPTY: Directory = { people: new Map(), groups: new Map(), channels: new Map() };

/** Asks for everybody and everything. */
export async function readDirectory(): Promise<Directory> {
  const [{ people, groups }, channels] = await Promise.all([
    ask<{ people: readonly Person[]; groups: readonly Group[] }>('/control/slack/people'),
    ask<readonly Channel[]>('/control/slack/channels'),
  ]);
  return { people: byId(people), groups: byId(groups), channels: byId(channels) };
}

const byId = <Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]));

/** Who can be acted as: everybody but bots and those who left. */
export const actors = ({ people }: Directory): readonly Person[] =>
  [...people.values()].filter((person) => !person.is_bot && !person.deleted);

/** The app's bot. */
export const botOf = ({ people }: Directory): Person | undefined =>
  [...people.values()].find((person) => person.is_bot);

/** The id of the direct message between somebody and the bot, whether it is open yet or not. */
export const directMessageId = (person: string): string => `D0${person}`;

/** The channels somebody sees, direct messages apart: as a member, or public ones for those of the house. */
export function channelsOf({ people, channels }: Directory, id: string): readonly Channel[] {
  const person = people.get(id);
  const outside = person === undefined || person.is_restricted || person.is_ultra_restricted || person.is_stranger;
  return [...channels.values()].filter(
    ({ kind, members }) => kind !== 'im' && (members.includes(id) || (kind === 'public' && !outside)),
  );
}

/** What a client shows for ids: `Ana`, `leads`, `acme-shop`; an unknown id stands for itself. */
export const nameOf = {
  person: ({ people }: Directory, id: string): string => people.get(id)?.display_name ?? id,
  group: ({ groups }: Directory, id: string): string => groups.get(id)?.handle ?? id,
  channel: ({ channels }: Directory, id: string): string => channels.get(id)?.name ?? id,
};
