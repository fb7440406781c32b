import { z } from 'zod';
import { values } from '../dialect.ts';
import { isAnswered } from '../failure.ts';
import type { HostReader } from './call.ts';
import { writeEndpoint } from './endpoint.ts';
import { uuid } from './fields.ts';
import { listSites } from './operations.ts';

/** The ways to compress images. */
export const imageOptimizations = values.imageOptimizations;
export type ImageOptimization = (typeof imageOptimizations)[number];

/** 4.11. `false` is another word for `off`. */
export const optimizeImages = writeEndpoint({
  section: '4.11',
  method: 'PUT',
  path: '/sites/cdn/image-optimization',
  body: { environment_id: uuid, image_optimization_type: z.enum(imageOptimizations).or(z.literal(false)) },
  operation: 'cdn:update-image-optimization',
  statuses: [202, 401, 500],
});

/**
 * The setting of an environment in the host's list of sites; undefined if the list does not say, or this key may not
 * read it. Rejects with any other trouble.
 */
export async function imagesOf(
  read: HostReader,
  company: string,
  env_id: string,
): Promise<ImageOptimization | undefined> {
  const { sites } = await read(listSites({ company, include_environments: true })).catch((error: unknown) => {
    if (isAnswered(error, 403, 404)) return { sites: [] };
    throw error;
  });
  const environments = sites.flatMap((site) => site.environments?.entries ?? []);
  return environments.find(({ id }) => id === env_id)?.image_optimization_type;
}
