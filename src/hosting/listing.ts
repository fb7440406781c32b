import type { HostTrouble } from './trouble.ts';
import type { CompanyDomain } from './contract/domains.ts';
import type { ListedSite } from './contract/operations.ts';
import type { CompanyTheme } from './contract/themes.ts';

/** Everything that has a name, as last seen. */
export type Listing = {
  /** When all of it was last read, in epoch milliseconds; undefined: never yet. */
  readonly at: number | undefined;
  readonly environments: readonly ListedEnvironment[];
  readonly domains: readonly ListedDomain[];
  readonly company: { readonly id: string } | undefined;
  /**
   * When (epoch ms) the host was last asked for its sites, and for its domains, and told of all of them; undefined:
   * never. An empty list, one that could not be read whole, and names that come from themes do not count.
   */
  readonly sitesAt: number | undefined;
  readonly domainsAt: number | undefined;
  /** When (epoch ms) the host was last asked for what stands here and answered, wholly or not, by sites or by themes. */
  readonly environmentsReadAt: number | undefined;
  readonly domainsReadAt: number | undefined;
  /** There is more than a listing holds: at most 100,000 environments and as many domains. */
  readonly cut: boolean;
  /** Why the last refresh came to nothing, in whole or in part; what was known before stands. */
  readonly trouble: HostTrouble | undefined;
};

/** A site as far as it is known: where the host does not list sites, its id comes from the policy or from nowhere. */
export type SiteName = { readonly id: string | undefined; readonly name: string; readonly displayName: string };

/** An environment the host tells of, or the policy. */
export type ListedEnvironment = {
  readonly id: string;
  /** One word, as people type it: `live`. */
  readonly name: string;
  readonly displayName: string;
  readonly site: SiteName | undefined;
  /** Who gave it its name; a display name can be changed by anybody and does not prove what kind it is. */
  readonly named: 'by the host' | 'by its display name' | 'by policy';
};

/** A domain of the company; `siteId` is the host's, `site` what is known of it. */
export type ListedDomain = {
  readonly id: string;
  readonly name: string;
  readonly siteId: string | undefined;
  readonly site: SiteName | undefined;
};

/** A domain as a sites listing tells of it: with the environment it belongs to. */
export type SiteDomain = { readonly id: string; readonly name: string; readonly environmentId: string };

/** What the policy says where the host cannot; ids in small letters. */
export type Pins = {
  readonly environments: readonly { readonly id: string; readonly site: string; readonly name: string }[];
  readonly sites: readonly { readonly id: string; readonly name: string; readonly environments: readonly string[] }[];
};

/** More than this is left out of a listing, which then says so. */
export const maxEnvironments = 100_000;
export const maxDomains = 100_000;

/** The environments of a sites listing. What has no id cannot be spoken of and is left out. */
export function fromSites(sites: readonly ListedSite[]): readonly ListedEnvironment[] {
  return sites.flatMap((listed) => {
    const name = wordFor(listed.name, listed.display_name, listed.id);
    const site = { id: listed.id, name, displayName: listed.display_name ?? name };
    return listed.environments.flatMap(({ id, name, display_name: display }) => {
      if (id === undefined) return [];
      const word = wordFor(name, display, id);
      const named = name === undefined ? 'by its display name' : 'by the host';
      return [{ id, name: word, displayName: display ?? word, site, named } as const];
    });
  });
}

/** The domains of a sites listing. What has no id or name is left out. */
export function domainsFromSites(sites: readonly ListedSite[]): readonly SiteDomain[] {
  return sites
    .flatMap(({ environments }) => environments)
    .flatMap(({ id: environmentId, domains }) =>
      domains.flatMap(({ id, name }) =>
        environmentId === undefined || id === undefined || name === undefined ? [] : [{ id, name, environmentId }],
      ),
    );
}

/** The environments that themes tell of: named by display names only, their sites without ids. */
export function fromThemes(themes: readonly CompanyTheme[]): readonly ListedEnvironment[] {
  const found = new Map<string, ListedEnvironment>();
  for (const { id, display_name: display, site_display_name: siteDisplay } of themes.flatMap(
    (one) => one.environments,
  )) {
    if (id === undefined || found.has(id)) continue;
    const name = wordFor(undefined, display, id);
    const site = siteDisplay === undefined ? undefined : named(undefined, siteDisplay);
    found.set(id, { id, name, displayName: display ?? name, site, named: 'by its display name' });
  }
  return [...found.values()];
}

/** The same environments as the policy names them, with those that only the policy knows. */
export function pinned(environments: readonly ListedEnvironment[], pins: Pins): readonly ListedEnvironment[] {
  const known = new Map(environments.map((one) => [one.id, one]));
  const homes = pins.sites.flatMap(({ id, name, environments }) =>
    environments.map((member) => [member, { id, name, displayName: name }] as const),
  );
  for (const [id, site] of homes) {
    const environment = known.get(id);
    if (environment) known.set(id, { ...environment, site });
  }
  const home = new Map(homes);
  for (const { id, site: siteName, name } of pins.environments) {
    const environment = known.get(id);
    const host = home.get(id) ?? environment?.site;
    const site = {
      id: host?.id ?? siteIdOf(pins, siteName),
      name: siteName,
      displayName: host?.displayName ?? siteName,
    };
    const displayName = environment?.displayName ?? name;
    known.set(id, { id, name, displayName, site, named: 'by policy' });
  }
  return [...known.values()];
}

/**
 * Domains with what is known of their sites. What has no id or name is left out. Where exactly one domain of the sites
 * listing has that name, its id is the one to ask by, and its environment says which site it is of.
 */
export function domainsOf(
  domains: readonly CompanyDomain[],
  siteDomains: readonly SiteDomain[],
  environments: readonly ListedEnvironment[],
  pins: Pins,
): readonly ListedDomain[] {
  const sites = new Map<string, SiteName>();
  for (const { site } of environments) if (site?.id !== undefined) sites.set(site.id, site);
  for (const { id, name } of pins.sites) sites.set(id, { id, name, displayName: name });
  const homes = new Map(environments.map(({ id, site }) => [id, site]));
  const [here, there] = [byName(domains), byName(siteDomains)];
  return domains.flatMap(({ id, name, site_id: siteId }) => {
    if (id === undefined || name === undefined) return [];
    const key = name.toLowerCase();
    const same = here.get(key)?.length === 1 ? there.get(key) : undefined;
    const known = same?.length === 1 ? same[0] : undefined;
    const home = known && homes.get(known.environmentId);
    const site = home ?? sites.get(siteId ?? '');
    return [{ id: known?.id ?? id, name, siteId: home?.id ?? siteId, site }];
  });
}

const byName = <T extends { readonly name?: string | undefined }>(named: readonly T[]): ReadonlyMap<string, T[]> =>
  Map.groupBy(named, ({ name = '' }) => name.toLowerCase());

const siteIdOf = (pins: Pins, name: string): string | undefined => pins.sites.find((site) => site.name === name)?.id;

const named = (id: string | undefined, displayName: string): SiteName => ({
  id,
  name: wordFor(undefined, displayName, id),
  displayName,
});

/** One word without slashes: the host's own name if it is one, else made of the display name (`Acme Shop` → `acme-shop`). */
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
