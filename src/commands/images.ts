import { imageOptimizations, optimizeImages } from '../hosting/contract/cdn.ts';
import { say } from '../text.ts';
import { action } from './kit/action.ts';
import { choice, environment } from './kit/fields.ts';

const meanings = {
  off: 'images are delivered as they are',
  lossy: 'images become smaller and lose some quality',
  lossless: 'images become smaller and keep their quality',
} as const;

export const images = action({
  summary: 'Set how the CDN shrinks the images of an environment',
  button: 'Set image optimization',
  also: `
    image, image optimization, optimize image, shrink image, compress image, image compression, image lossy, image
    lossless, image off, turn off image, photo, webp, picture`,
  examples: ['acme-shop/live lossless'],
  risk: 'routine',
  fields: { env: environment(), images: choice('Image optimization', imageOptimizations) },
  target: 'env',
  call: ({ input }) => optimizeImages({ environment_id: input.env.id, image_optimization_type: input.images }),
  card: ({ input }) => ({
    title: say`Set image optimization of ${input.env.name} to ${input.images}`,
    done: say`Set image optimization of ${input.env.name} to ${input.images}`,
    facts: { Means: meanings[input.images], Before: 'not known: the host does not show this setting' },
  }),
  twice: 'Setting this twice is harmless, unless somebody has changed it since.',
  after: 'This setting cannot be read back: look at an image of the site.',
});
