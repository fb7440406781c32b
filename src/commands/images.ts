import {
  imageOptimizations,
  imagesOf,
  optimizeImages,
  type ImageOptimization,
} from '../hosting/contract/environment.ts';
import { say } from '../words/text.ts';
import { action } from './kit/action.ts';
import { choice, environment, withHint } from './kit/fields.ts';

const meanings = {
  off: 'images are delivered as they are',
  lossy: 'images become smaller and lose some quality',
  lossless: 'images become smaller and keep their quality',
} as const;

/** `images`: the setting as the host lists it; null if it does not say. `off`: what is sent to switch it off. */
type Snapshot = { readonly images: ImageOptimization | null; readonly off: 'off' | false };

export const images = action({
  summary: 'Set how the CDN shrinks the images of an environment',
  button: 'Set image optimization',
  also: `
    compress image, image lossy, image lossless, image off, turn off image, turn on image, enable image, image
    quality, webp, lossy, lossless`,
  examples: ['acme-shop/live lossless'],
  risk: 'routine',
  fields: {
    env: environment(),
    images: withHint(
      'off leaves images as they are; lossless keeps their quality; lossy makes them smallest.',
      choice('Image optimization', imageOptimizations),
    ),
  },
  target: 'env',
  look: async ({ input: { env }, read, company, imagesOff: off }): Promise<Snapshot> => ({
    images: (company.id !== '' && (await imagesOf(read, company.id, env.id))) || null,
    off,
  }),
  // The setting becomes the same, whatever it was.
  preconditions: () => null,
  call: ({ input: { env, images: wanted }, snapshot: { off } }) =>
    optimizeImages({ environment_id: env.id, image_optimization_type: wanted === 'off' ? off : wanted }),
  card: ({ input, snapshot }) => ({
    title: say`Set image optimization of ${input.env.name} to ${input.images}`,
    done: say`Set image optimization of ${input.env.name} to ${input.images}`,
    facts: {
      Means: meanings[input.images],
      Before: snapshot.images ?? 'not known: the host does not show this setting',
    },
  }),
  impossible: ({ input: { env, images: wanted }, snapshot }) =>
    snapshot.images === wanted
      ? { field: 'images', says: say`Image optimization of ${env.name} is ${wanted} already. Nothing was changed.` }
      : undefined,
  proof: ({ input: { env, images: wanted }, snapshot, current: { images: now } }) => {
    const { name } = env;
    if (now === null)
      return { verdict: 'no', isUnclear: true, says: say`the host does not show image optimization of ${name}` };
    const says = say`the host shows image optimization of ${name} as ${now}`;
    if (now !== wanted) return { verdict: 'not yet', says };
    if (snapshot.images !== null) return { verdict: 'yes', says };
    return { verdict: 'no', isUnclear: true, says: say`${says} now, and did not show it before` };
  },
  twice: 'Setting this twice is harmless, unless somebody has changed it since.',
  after: 'If the host does not show this setting, look at an image of the site.',
});
