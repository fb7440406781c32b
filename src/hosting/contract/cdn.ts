import { z } from 'zod';
import { values } from '../dialect.ts';
import { writeEndpoint } from './endpoint.ts';
import { uuid } from './fields.ts';

/** The ways to compress images. */
export const imageOptimizations = values.imageOptimizations;

/** 4.11 */
export const optimizeImages = writeEndpoint({
  section: '4.11',
  method: 'PUT',
  path: '/sites/cdn/image-optimization',
  body: { environment_id: uuid, image_optimization_type: z.enum(imageOptimizations) },
  operation: 'cdn:update-image-optimization',
  statuses: [202, 401, 500],
});
