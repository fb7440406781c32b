import { randomUUID } from 'node:crypto';
import { domainNamed, defaultDns } from '../../../src/playground/hosting/seed/domains.ts';
import type { World } from '../../../src/playground/hosting/world.ts';

/** Adds a site like the shop, with a domain for each environment, for one story alone. */
export function putUpSite(world: World, name: string): void {
  const model = world.sites.find((site) => site.name === 'acme-shop');
  if (model === undefined) throw new Error('there is no shop');
  const siteId = randomUUID();
  const environments = structuredClone(model.environments).map((environment) => ({
    ...environment,
    id: randomUUID(),
    containerId: randomUUID(),
    siteId,
  }));
  world.sites.push({ id: siteId, name, displayName: name, status: 'live', environments });
  for (const { id: environmentId, name: environment } of environments) {
    const given = { id: randomUUID(), siteId, environmentId, isActive: true };
    const domain = domainNamed(`${environment}.${name}.example`, given);
    domain.dns = defaultDns(domain.name);
    world.domains.push(domain);
  }
}
