import { randomFrom } from '../random.ts';
import type { Environment, Seeded, Site } from '../resources.ts';
import { backupsUpTo } from './backups.ts';
import { domainNamed, usualDns } from './domains.ts';
import { filesWith } from './files.ts';
import { companyId, containerId, domainId, environmentNames, seededId, siteNames } from './ids.ts';
import { redirectRules } from './redirects.ts';
import { installed, themes } from './themes.ts';

const hour = 3_600_000;

/** Who may use SSH where, at the start; everywhere else the list is empty. */
const allowlists: Readonly<Record<string, readonly string[]>> = {
  'acme-shop/live': ['203.0.113.10', '203.0.113.11', '198.51.100.0/24', '2001:db8:4::/48'],
  'acme-shop/staging': ['203.0.113.10'],
  'north-bakery/live': ['192.0.2.44'],
};

/** A fresh world as of `now` (epoch milliseconds); the same seed and time give the same world. */
export function seedWorld(seed: string, now: number): Seeded {
  const sites = siteNames.map((name) => seedSite(name, seed, now));
  const domains = sites
    .flatMap((site) => domainsOf(site))
    .map(([name, site, environment], at) => {
      const ids = { id: domainId(at + 1), siteId: site.id, environmentId: environment.id };
      const active = !name.startsWith('new.');
      const domain = domainNamed(name, { ...ids, isActive: active });
      domain.dns = active ? usualDns(name) : [];
      return domain;
    });
  return { company: { id: companyId, name: 'Acme & Friends' }, themes, themesReadAt: now - 5 * hour, sites, domains };
}

function seedSite(name: string, seed: string, now: number): Site {
  const displayName = name.replace(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`,
  );
  const environments = environmentNames.map((environment) => seedEnvironment(name, environment, seed, now));
  return { id: seededId(name), name, displayName, status: 'live', environments };
}

function seedEnvironment(site: string, name: 'live' | 'staging', seed: string, now: number): Environment {
  const words = `${site}/${name}`;
  const random = randomFrom(`${seed} ${words}`);
  const hostname = name === 'live' ? `${site}.example` : `staging-${site}.sitehost.example`;
  const wardrobe = installed(site, name, random);
  const release = `release-${name === 'live' ? 41 : 42}`;
  return {
    id: seededId(words),
    containerId: containerId(words),
    siteId: seededId(site),
    name,
    displayName: name === 'live' ? 'Live' : 'Staging',
    hostname,
    themes: wardrobe,
    redirects: redirectRules(hostname, random),
    files: filesWith(
      wardrobe.map((theme) => theme.name),
      release,
    ),
    backups: backupsUpTo(now, random.integer(10_000, 900_000), random),
    allowlist: [...(allowlists[words] ?? [])],
    passwordEnabled: true,
    passwordExpiry: 'days_30',
    images: 'off',
    cacheClearedAt: null,
    phpRestartedAt: null,
    database: { from: words, since: now - 400 * 24 * hour },
    written: [],
  };
}

/** Each environment's own hostname; the shop has two more, one of them not verified yet. */
function domainsOf(site: Site): (readonly [name: string, site: Site, environment: Environment])[] {
  return site.environments.flatMap((environment) => {
    const more = site.name === 'acme-shop' && environment.name === 'live' ? ['acme.example', 'new.acme.example'] : [];
    return [environment.hostname, ...more].map((name) => [name, site, environment] as const);
  });
}
