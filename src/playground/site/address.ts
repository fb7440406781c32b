import type { Environment } from '../hosting/resources.ts';
import { hasRecord } from '../hosting/routes/domains.ts';
import type { World } from '../hosting/world.ts';

/** What a request's Host header names: an environment, another name to go to, or nothing here. */
export type ResolvedDomain =
  | { readonly kind: 'environment'; readonly environment: Environment }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'nowhere' };

/** The host's own address: a domain leads here if its A record says so. */
const ownAddress = '192.0.2.80';

/** A Host header without its port, and without `.localhost`, with which a browser reaches loopback. */
export const domainIn = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
    .replace(/\.localhost$/, '');

/** Where a domain leads, as the records of the company's domains are now. */
export function resolveDomain(world: World, domain: string): ResolvedDomain {
  const own = world.domains.find((one) => one.name.toLowerCase() === domain);
  if (own !== undefined && hasRecord(own, { type: 'A', name: domain, value: ownAddress })) {
    return { kind: 'environment', environment: world.environment(own.environmentId) };
  }
  const alias = world.domains.find(
    (one) =>
      domain.endsWith(`.${one.name.toLowerCase()}`) && hasRecord(one, { type: 'CNAME', name: domain, value: one.name }),
  );
  return alias === undefined ? { kind: 'nowhere' } : { kind: 'moved', to: alias.name };
}
