import { z } from 'zod';
import { type Dialect, type Route, uuid } from '../endpoint.ts';
import { missing } from '../refused.ts';
import { ok } from '../reply.ts';
import type { Domain, Environment, Site } from '../resources.ts';

const year = 365 * 24 * 3_600_000;
const listing = z.object({ company: uuid, include_environments: z.enum(['true', 'false']).default('false') });

/** Endpoints of the public service beyond the document; each can be switched off. */
export const beyondRoutes: readonly Route[] = [
  {
    section: 'beyond',
    method: 'GET',
    path: '/operations/{operation_id}',
    errors: [401, 404, 500],
    optional: 'operations',
    answer: (call, { operations }) => operations.status(call.id),
  },
  {
    section: 'beyond',
    method: 'GET',
    path: '/sites',
    errors: [400, 401, 404, 500],
    optional: 'sites',
    answer: (call, { world, dialect }) => {
      const { company, include_environments } = call.query(listing);
      if (company.toLowerCase() !== world.company.id) missing('company');
      const withEnvironments = include_environments === 'true';
      const domains = Map.groupBy(world.domains, ({ environmentId }) => environmentId);
      const shown = (environment: Environment) => listedEnvironment(environment, domains, dialect);
      return ok({
        company: { sites: world.sites.map((site) => listed(site, withEnvironments ? shown : undefined)) },
      });
    },
  },
  {
    section: 'beyond',
    method: 'GET',
    path: '/validate',
    errors: [401, 500],
    optional: 'validate',
    answer: (_call, { world, dialect, now }) => {
      const end = now() + year;
      // The public service sends milliseconds as text.
      const expires_at = dialect === 'kinsta' ? String(end) : new Date(end).toISOString();
      return ok({ name: 'playground key', expires_at, company: world.company.id, status: 'active' });
    },
  },
];

/** A site as the listing shows it; with its environments if `shown` says how. */
function listed(
  { id, name, displayName, status, environments }: Site,
  shown: ((environment: Environment) => object) | undefined,
) {
  const site = { id, name, display_name: displayName, status };
  if (shown === undefined) return site;
  // Staging first, so that a client that takes the first one for live is wrong here too.
  return { ...site, environments: environments.toReversed().map(shown) };
}

function listedEnvironment(
  { id, name, displayName, isBlocked, images }: Environment,
  allDomains: ReadonlyMap<string, readonly Domain[]>,
  dialect: Dialect,
) {
  const domains = (allDomains.get(id) ?? []).map((domain) => ({
    id: domain.id,
    name: domain.name,
    type: domain.isActive ? 'live' : 'pending',
  }));
  const image_optimization_type = dialect === 'kinsta' && images === 'off' ? false : images;
  const flags = { is_blocked: isBlocked, is_premium: false };
  return { id, name, display_name: displayName, ...flags, image_optimization_type, domains };
}
