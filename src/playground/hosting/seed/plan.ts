import { environmentNames, seededId, siteNames } from './ids.ts';

/** A site that a world begins with, and its environments, with their ids. */
export type PlannedSite = {
  readonly id: string;
  readonly name: string;
  readonly environments: readonly { readonly id: string; readonly name: string }[];
};

/** Which sites a world begins with, and which domains beside those that every site has. */
export type Plan = { readonly sites: readonly PlannedSite[]; readonly domains: readonly string[] };

/** What there is unless somebody plans otherwise. */
export const defaultPlan: Plan = {
  sites: siteNames.map((site) => ({
    id: seededId(site),
    name: site,
    environments: environmentNames.map((name) => ({ id: seededId(`${site}/${name}`), name })),
  })),
  domains: [],
};
