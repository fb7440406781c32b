import type { HostingOptions } from '../../../src/playground/hosting/server.ts';
import { channel, BOT, BOT_USER, person, type WorkspaceSeed } from '../../../src/playground/slack/seed.ts';

/** Everybody may clear caches, and the ops channel hears of trouble. */
export const policy = `
version: 1
live: ['*/live']
rules:
  - { allow: [read, routine], to: everyone }
channels: { ops: C0OPS }
`;

/** Where one action happens. Each has an environment of its own: a second write there is the same change sent twice. */
export type Spot = {
  readonly environment: string;
  readonly environmentId: string;
  readonly person: string;
  readonly channel: string;
};

export type World = {
  readonly plan: NonNullable<HostingOptions['plan']>;
  readonly seed: WorkspaceSeed;
  readonly spots: readonly Spot[];
};

const environmentsEach = 10;

/** A world for this many actions by as many people as are said, each of whom speaks in one of the channels. */
export function fireWorld(actions: number, people: number, channels: number): World {
  const sites = Array.from({ length: Math.ceil(actions / environmentsEach) }, (_, at) => ({
    id: idOf('51735179', at),
    name: `site-${at}`,
    environments: Array.from({ length: environmentsEach }, (_, nth) => ({
      id: idOf('e0e0e0e9', at * environmentsEach + nth),
      name: nth === 0 ? 'live' : `stage-${nth}`,
    })),
  }));
  const ids = Array.from({ length: people }, (_, at) => `U1F${at}`);
  const places = Array.from({ length: channels }, (_, at) => `C1F${at}`);
  const environments = sites.flatMap((site) =>
    site.environments.map(({ id, name }) => ({ environmentId: id, environment: `${site.name}/${name}` })),
  );
  return {
    plan: { sites, domains: [] },
    seed: {
      people: [...ids.map((id, at) => person(id, `Person${at} Fire`, 'Developer')), BOT],
      groups: [],
      channels: ['C0OPS', ...places].map((id) => channel(id, id.toLowerCase(), [...ids, BOT_USER])),
    },
    spots: environments.slice(0, actions).map((environment, at) => ({
      ...environment,
      person: ids[at % people] ?? '',
      channel: places[(at % people) % channels] ?? '',
    })),
  };
}

const idOf = (what: string, which: number): string => `${what}-0000-4000-8000-${which.toString(16).padStart(12, '0')}`;
