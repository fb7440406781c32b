import { z } from 'zod';
import { cloneEnvironment, slug } from '../clone.ts';
import { type Route, uuid } from '../endpoint.ts';
import { missing, Refused } from '../refused.ts';
import { push, type PushedParts } from '../push.ts';
import { addBackup } from './backups.ts';

const maxSites = 50;
const cloning = z.object({ company: uuid, display_name: z.string().trim().min(1).max(200), source_env_id: uuid });
const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine((one) => !one.startsWith('/') && !one.split('/').includes('..'), 'a path relative to the site root');

/** Absent options mean the fullest push, as in the service. */
const pushing = z
  .object({
    source_env_id: uuid,
    target_env_id: uuid,
    push_db: z.boolean().default(true),
    push_files: z.boolean().default(true),
    run_search_and_replace: z.boolean().default(true),
    push_files_option: z.enum(['ALL_FILES', 'SPECIFIC_FILES']).default('ALL_FILES'),
    file_list: z.array(path).max(10_000).default([]),
  })
  .refine((body) => body.source_env_id.toLowerCase() !== body.target_env_id.toLowerCase(), 'source is target')
  .refine(
    (body) => !body.push_files || body.push_files_option === 'ALL_FILES' || body.file_list.length > 0,
    'SPECIFIC_FILES needs a file_list',
  );

/** Whole sites and environments: cloning, pushing, deleting. */
export const siteRoutes: readonly Route[] = [
  {
    section: '4.8',
    method: 'POST',
    path: '/sites/clone',
    errors: [400, 401, 500],
    answer: (call, { world, operations, now }) => {
      const { company, display_name, source_env_id } = call.body(cloning);
      if (company.toLowerCase() !== world.company.id) missing('company');
      world.environment(source_env_id);
      return operations.start('site:clone', {
        finish: () => {
          const taken = world.sites.some((site) => site.name === slug(display_name));
          if (taken || world.sites.length >= maxSites) throw new Refused('failure', 'no room for such a site');
          const { site, domain } = cloneEnvironment(world.environment(source_env_id), display_name, now());
          world.sites.push(site);
          world.domains.push(domain);
        },
      });
    },
  },
  {
    section: '4.9',
    method: 'PUT',
    path: '/sites/{site_id}/environments',
    errors: [400, 401, 500],
    answer: (call, { world, operations, now }) => {
      const { id: siteId } = world.site(call.uuid());
      const { source_env_id, target_env_id, ...body } = call.body(pushing);
      const source = world.environment(source_env_id);
      const target = world.environment(target_env_id);
      if (source.siteId !== siteId || target.siteId !== siteId)
        throw new Refused('missing', 'environment of that site');
      const parts: PushedParts = {
        database: body.push_db,
        files: body.push_files ? (body.push_files_option === 'ALL_FILES' ? 'all' : body.file_list) : 'none',
      };
      addBackup(target, 'system-generated', now(), `Before a push from ${source.name}`);
      return operations.start('environments:push', {
        finish: () => push(world, world.environment(source.id), world.environment(target.id), parts, now()),
      });
    },
  },
  {
    section: '4.10',
    method: 'DELETE',
    path: '/sites/environments/{env_id}',
    errors: [400, 401, 500],
    answer: (call, { world, operations }) => {
      const { id } = world.environment(call.uuid());
      return operations.start('environments:delete', { finish: () => world.removeEnvironment(world.environment(id)) });
    },
  },
];
