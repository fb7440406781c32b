import type { Environment } from '../hosting/resources.ts';
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
  if (own !== undefined && hasRecord(own, 'A', domain, ownAddress)) {
    return { kind: 'environment', environment: world.environment(own.environmentId) };
  }
  const alias = world.domains.find(
    (one) => domain.endsWith(`.${one.name.toLowerCase()}`) && hasRecord(one, 'CNAME', domain, one.name),
  );
  return alias === undefined ? { kind: 'nowhere' } : { kind: 'moved', to: alias.name };
}

function hasRecord({ dns }: World['domains'][number], type: string, name: string, value: string): boolean {
  const same = (one: string, other: string): boolean =>
    one.toLowerCase().replace(/\.$/, '') === other.toLowerCase().replace(/\.$/, '');
  return dns.some(
    (record) =>
      record.type === type && same(record.name, name) && record.resource_records.some((one) => same(one.value, value)),
  );
}
