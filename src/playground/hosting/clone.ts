import { randomUUID } from 'node:crypto';
import { domainNamed, defaultDns } from './seed/domains.ts';
import type { Domain, Environment, Site } from './resources.ts';

/** A site's name, made from its display name: `Acme Shop 2` becomes `acme-shop-2`. */
export function slug(displayName: string): string {
  const plain = displayName.normalize('NFKD').toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'site';
}

/** A new site with one live environment, copied from `source`, and its domain. */
export function cloneEnvironment(
  source: Environment,
  displayName: string,
  now: number,
): { site: Site; domain: Domain } {
  const name = slug(displayName);
  const hostname = `${name}.sitehost.example`;
  const siteId = randomUUID();
  const environment: Environment = {
    ...structuredClone(source),
    id: randomUUID(),
    containerId: randomUUID(),
    siteId,
    name: 'live',
    displayName: 'Live',
    hostname,
    backups: [],
    allowlist: [],
    written: [],
    nextPushBreaks: false,
    database: { from: source.database.from, since: now },
  };
  const domain = domainNamed(hostname, { id: randomUUID(), siteId, environmentId: environment.id, isActive: true });
  domain.dns = defaultDns(hostname);
  return { site: { id: siteId, name, displayName, status: 'live', environments: [environment] }, domain };
}
