import { environmentNames, seededId, siteNames } from './ids.ts';

/** A site of a fresh world with its environments and their ids. */
export type PlannedSite = {
  readonly id: string;
  readonly name: string;
  readonly environments: readonly { readonly id: string; readonly name: string }[];
};

/** The sites of a fresh world, and domains beyond those of every site. */
export type Plan = { readonly sites: readonly PlannedSite[]; readonly domains: readonly string[] };

/** The default plan. */
export const defaultPlan: Plan = {
  sites: siteNames.map((site) => ({
    id: seededId(site),
    name: site,
    environments: environmentNames.map((name) => ({ id: seededId(`${site}/${name}`), name })),
  })),
  domains: [],
};
