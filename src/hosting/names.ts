import type { HostTrouble } from './failure.ts';
import type { CompanyDomain } from './contract/domains.ts';
import type { ListedSite } from './contract/sites.ts';
import type { CompanyTheme } from './contract/themes.ts';

/** All names, as last read. */
export type Listing = {
  /** When everything was last read, in epoch milliseconds; undefined if never. */
  readonly at: number | undefined;
  readonly environments: readonly ListedEnvironment[];
  readonly domains: readonly ListedDomain[];
  /** The domains whose environment the host says. */
  readonly environmentDomains: readonly SiteDomain[];
  readonly company: { readonly id: string } | undefined;
  /**
   * When (epoch ms) the host was last asked for its sites, or its domains, and listed all of them; undefined if never.
   * Empty lists, incomplete lists and names from themes do not count.
   */
  readonly sitesAt: number | undefined;
  readonly domainsAt: number | undefined;
  /** When (epoch ms) the host was last asked and answered, completely or not, from sites or from themes. */
  readonly environmentsReadAt: number | undefined;
  readonly domainsReadAt: number | undefined;
  /** Whether the host has more than a listing holds: at most 100,000 environments and 100,000 domains. */
  readonly cut: boolean;
  /** Why the last refresh failed, wholly or in part; earlier values are kept. */
  readonly trouble: HostTrouble | undefined;
};

/** What is known of a site. If the host lists no sites, its id comes from the policy or is unknown. */
type SiteName = { readonly id: string | undefined; readonly name: string; readonly displayName: string };

/** An environment from the host or the policy. */
export type ListedEnvironment = {
  readonly id: string;
  /** One word, as people type it: `live`. */
  readonly name: string;
  readonly displayName: string;
  readonly site: SiteName | undefined;
  /** Where its name comes from. Anybody can change a display name, so a display name doesn't prove what kind it is. */
  readonly named: 'by the host' | 'by its display name' | 'by policy';
  /** Whether the host has blocked it; undefined: it does not say. */
  readonly isBlocked?: boolean | undefined;
};

/** A domain of the company. `site`: what is known about its site. */
type ListedDomain = {
  readonly id: string;
  readonly name: string;
  readonly site: SiteName | undefined;
  /** False: the host has not verified it yet. Undefined: the host does not say. */
  readonly isActive: boolean | undefined;
};

/** A domain in a sites listing, with its environment. */
export type SiteDomain = { readonly id: string; readonly name: string; readonly environmentId: string };

/** Names from the policy, where the host gives none; ids are in lower case. */
export type NameOverrides = {
  readonly environments: readonly { readonly id: string; readonly site: string; readonly name: string }[];
  readonly sites: readonly { readonly id: string; readonly name: string; readonly environments: readonly string[] }[];
};

/** The maximum length of each list. A longer list is cut, and `cut` says so. */
export const maxEnvironments = 100_000;
export const maxDomains = 100_000;

/** The environments of a sites listing. Those without an id cannot be used and are dropped. */
export function fromSites(sites: readonly ListedSite[]): readonly ListedEnvironment[] {
  return sites.flatMap((listed) => {
    const name = wordFor(listed.name, listed.display_name, listed.id);
    const site = { id: listed.id, name, displayName: listed.display_name ?? name };
    return (listed.environments?.entries ?? []).flatMap(
      ({ id, name, display_name: display, is_blocked: isBlocked }) => {
        if (id === undefined) return [];
        const word = wordFor(name, display, id);
        const named = name === undefined ? 'by its display name' : 'by the host';
        return [{ id, name: word, displayName: display ?? word, site, named, isBlocked } as const];
      },
    );
  });
}

/** The domains of a sites listing. Those without an id or a name are dropped. */
export function domainsFromSites(sites: readonly ListedSite[]): readonly SiteDomain[] {
  return sites
    .flatMap(({ environments }) => environments?.entries ?? [])
    .flatMap(({ id: environmentId, domains }) =>
      (domains?.entries ?? []).flatMap(({ id, name }) =>
        environmentId === undefined || id === undefined || name === undefined ? [] : [{ id, name, environmentId }],
      ),
    );
}

/** The environments in the themes. They are named by display names only, and their sites have no ids. */
export function fromThemes(themes: readonly CompanyTheme[]): readonly ListedEnvironment[] {
  const found = new Map<string, ListedEnvironment>();
  for (const { id, display_name: display, site_display_name: siteDisplay } of themes.flatMap(
    (one) => one.environments?.entries ?? [],
  )) {
    if (id === undefined || found.has(id)) continue;
    const name = wordFor(undefined, display, id);
    const siteName = wordFor(undefined, siteDisplay, undefined);
    const site = siteDisplay === undefined ? undefined : { id: undefined, name: siteName, displayName: siteDisplay };
    found.set(id, { id, name, displayName: display ?? name, site, named: 'by its display name' });
  }
  return [...found.values()];
}

/** The environments under the policy's names, and those that only the policy knows. */
export function withOverrides(
  environments: readonly ListedEnvironment[],
  overrides: NameOverrides,
): readonly ListedEnvironment[] {
  const known = new Map(environments.map((one) => [one.id, one]));
  const homes = overrides.sites.flatMap(({ id, name, environments }) =>
    environments.map((member) => [member, { id, name, displayName: name }] as const),
  );
  for (const [id, site] of homes) {
    const environment = known.get(id);
    if (environment) known.set(id, { ...environment, site });
  }
  const home = new Map(homes);
  for (const { id, site: siteName, name } of overrides.environments) {
    const environment = known.get(id);
    const host = home.get(id) ?? environment?.site;
    const site = {
      id: host?.id ?? overrides.sites.find((one) => one.name === siteName)?.id,
      name: siteName,
      displayName: host?.displayName ?? siteName,
    };
    const displayName = environment?.displayName ?? name;
    known.set(id, { ...environment, id, name, displayName, site, named: 'by policy' });
  }
  return [...known.values()];
}

/**
 * Domains with what is known about their sites. Those without an id or a name are dropped. If exactly one domain in the
 * sites listing has the same name, its id is used for requests and its environment decides the site.
 */
export function domainsOf(
  domains: readonly CompanyDomain[],
  siteDomains: readonly SiteDomain[],
  environments: readonly ListedEnvironment[],
  overrides: NameOverrides,
): readonly ListedDomain[] {
  const sites = new Map<string, SiteName>();
  for (const { site } of environments) if (site?.id !== undefined) sites.set(site.id, site);
  for (const { id, name } of overrides.sites) sites.set(id, { id, name, displayName: name });
  const homes = new Map(environments.map(({ id, site }) => [id, site]));
  const [here, there] = [byName(domains), byName(siteDomains)];
  return domains.flatMap(({ id, name, site_id: siteId, is_active: isActive }) => {
    if (id === undefined || name === undefined) return [];
    const key = name.toLowerCase();
    const same = here.get(key)?.length === 1 ? there.get(key) : undefined;
    const known = same?.length === 1 ? same[0] : undefined;
    const home = known && homes.get(known.environmentId);
    const site = home ?? sites.get(siteId ?? '');
    return [{ id: known?.id ?? id, name, site, isActive }];
  });
}

const byName = <T extends { readonly name?: string | undefined }>(named: readonly T[]): ReadonlyMap<string, T[]> =>
  Map.groupBy(named, ({ name = '' }) => name.toLowerCase());

/** One word without slashes: the host's own name, or one made from the display name (`Acme Shop` → `acme-shop`). */
function wordFor(name: string | undefined, displayName: string | undefined, id: string | undefined): string {
  if (name !== undefined && /^[^\s/\p{C}]{1,100}$/u.test(name)) return name;
  const word = (name ?? displayName ?? '')
    .normalize('NFC')
    .toLowerCase()
    .slice(0, 100)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return word || `unnamed-${(id ?? '').slice(0, 8)}`;
}
