import { z } from 'zod';
import { mendEnvironment } from '../breakages.ts';
import { type Dialect, type Route, uuid } from '../endpoint.ts';
import { missBurst } from '../logs/cache.ts';
import type { Environment } from '../resources.ts';

type Images = Environment['images'];
const named = z.object({ environment_id: uuid });
const imagesWith = <Off extends 'off' | false>(off: Off) =>
  named.extend({ image_optimization_type: z.enum(['lossy', 'lossless']).or(z.literal(off)) });
/** The public service takes `false` for off. */
const images: Readonly<
  Record<Dialect, z.ZodType<{ environment_id: string; image_optimization_type: Images | false }>>
> = { document: imagesWith('off'), kinsta: imagesWith(false) };

/** Tools for a running environment: images, cache, PHP. */
export const toolRoutes: readonly Route[] = [
  {
    section: '4.11',
    method: 'PUT',
    path: '/sites/cdn/image-optimization',
    errors: [401, 500],
    answer: (call, { world, operations, dialect }) => {
      const { environment_id, image_optimization_type: type } = call.body(images[dialect]);
      world.environment(environment_id);
      return operations.start('cdn:update-image-optimization', {
        finish: () => {
          world.environment(environment_id).images = type || 'off';
        },
      });
    },
  },
  {
    section: '4.12',
    method: 'POST',
    path: '/sites/tools/clear-cache',
    errors: [401, 500],
    answer: (call, { world, operations, now, seed }) => {
      const { environment_id } = call.body(named);
      world.environment(environment_id);
      return operations.start('cache:clear', {
        finish: () => {
          const environment = world.environment(environment_id);
          environment.cacheClearedAt = now();
          environment.cacheGeneration += 1;
          environment.written = [...environment.written, ...missBurst(environment, seed, now())].slice(-2_000);
        },
      });
    },
  },
  {
    section: 'beyond',
    method: 'POST',
    path: '/sites/tools/restart-php',
    errors: [400, 401, 404, 500],
    optional: 'restartPhp',
    answer: (call, { world, operations, now }) => {
      const { environment_id } = call.body(named);
      world.environment(environment_id);
      return operations.start('sites:restart-php', {
        finish: () => {
          const environment = world.environment(environment_id);
          environment.phpRestartedAt = now();
          mendEnvironment(environment, 'slow');
        },
      });
    },
  },
];
