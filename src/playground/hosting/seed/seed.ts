import { slug } from '../clone.ts';
import { randomFrom } from '../random.ts';
import type { Environment, Product, Seeded, Site } from '../resources.ts';
import { backupsUpTo } from './backups.ts';
import { domainNamed, defaultDns } from './domains.ts';
import { filesWith } from './files.ts';
import { companyId, containerId, domainId } from './ids.ts';
import { type Plan, type PlannedSite, defaultPlan } from './plan.ts';
import { redirectRules } from './redirects.ts';
import { installed, themes } from './themes.ts';

const hour = 3_600_000;

/** The SSH allowlists at the start; all others are empty. */
const allowlists: Readonly<Record<string, readonly string[]>> = {
  'acme-shop/live': ['203.0.113.10', '203.0.113.11', '198.51.100.0/24', '2001:db8:4::/48'],
  'acme-shop/staging': ['203.0.113.10'],
  'north-bakery/live': ['192.0.2.44'],
};

const usualProducts: readonly Product[] = [
  { name: 'Oak lamp', price: 8_900 },
  { name: 'Wool blanket', price: 6_400 },
  { name: 'Bread knife', price: 3_250 },
  { name: 'Tea pot', price: 4_800 },
];

/** A fresh world as of `now` (epoch milliseconds). The same seed, time and plan give the same world. */
export function seedWorld(seed: string, now: number, plan: Plan = defaultPlan): Seeded {
  const sites = plan.sites.map((site) => seedSite(site, seed, now));
  const domains = withExtraDomains(sites, plan.domains).map(([name, site, environment], at) => {
    const ids = { id: domainId(at + 1), siteId: site.id, environmentId: environment.id };
    const active = !name.startsWith('new.');
    const domain = domainNamed(name, { ...ids, isActive: active });
    domain.dns = active ? defaultDns(name) : [];
    return domain;
  });
  return { company: { id: companyId, name: 'Acme & Friends' }, themes, themesReadAt: now - 5 * hour, sites, domains };
}

function seedSite({ id, name, environments: planned }: PlannedSite, seed: string, now: number): Site {
  const environments = planned.map((one) => seedEnvironment({ id, name }, one, seed, now));
  return { id, name, displayName: titled(name), status: 'live', environments };
}

/** `acme-shop` as `Acme Shop`. */
function titled(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`);
}

type Named = { readonly id: string; readonly name: string };

function seedEnvironment(site: Named, { id, name }: Named, seed: string, now: number): Environment {
  const fullName = `${site.name}/${name}`;
  const random = randomFrom(`${seed} ${fullName}`);
  const hostname = name === 'live' ? `${slug(site.name)}.example` : `${slug(`${name}-${site.name}`)}.sitehost.example`;
  const installedThemes = installed(site.name, name, random);
  const release = `release-${name === 'live' ? 41 : 42}`;
  return {
    id,
    containerId: containerId(id),
    siteId: site.id,
    name,
    displayName: titled(name),
    hostname,
    themes: installedThemes,
    redirects: redirectRules(hostname, random),
    files: filesWith(
      installedThemes.map((theme) => theme.name),
      release,
    ),
    backups: backupsUpTo(now, random.integer(10_000, 900_000), random),
    allowlist: [...(allowlists[fullName] ?? [])],
    passwordEnabled: true,
    passwordExpiry: 'days_30',
    images: 'off',
    isBlocked: false,
    cacheClearedAt: null,
    phpRestartedAt: null,
    database: { from: fullName, since: now - 400 * 24 * hour },
    products: productsOf(site.name, name),
    broken: [],
    nextPushBreaks: false,
    cacheGeneration: 0,
    written: [],
  };
}

/** What a seeded environment sells; its staging environment has something new, and new prices. */
function productsOf(site: string, environment: string): readonly Product[] {
  const own = { name: `${site} gift card`, price: 2_500 };
  if (environment === 'live') return [...usualProducts, own];
  return [
    ...usualProducts.map(({ name, price }) => ({ name, price: price + 500 })),
    own,
    { name: 'Candle set', price: 1_900 },
  ];
}

type PlacedDomain = readonly [name: string, site: Site, environment: Environment];

/** The domains of these sites. Domains of `more` that are not among them belong to the first environment. */
function withExtraDomains(sites: readonly Site[], more: readonly string[]): readonly PlacedDomain[] {
  const usual = sites.flatMap((site) => domainsOf(site));
  const [site] = sites;
  const [environment] = site?.environments ?? [];
  if (site === undefined || environment === undefined) return usual;
  const taken = new Set(usual.map(([name]) => name));
  return [...usual, ...more.filter((name) => !taken.has(name)).map((name) => [name, site, environment] as const)];
}

/** Each environment's own hostname. The shop has two more; one is not verified yet. */
function domainsOf(site: Site): PlacedDomain[] {
  return site.environments.flatMap((environment) => {
    const more = site.name === 'acme-shop' && environment.name === 'live' ? ['acme.example', 'new.acme.example'] : [];
    return [environment.hostname, ...more].map((name) => [name, site, environment] as const);
  });
}
