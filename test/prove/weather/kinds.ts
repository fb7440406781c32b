import { randomFrom } from '../../../src/playground/hosting/random.ts';
import { ids } from '../../stories/house.ts';
import { approve, waitingPush } from '../push.ts';
import type { Scene } from '../scene.ts';

/** A change that weather comes upon, up to the last thing that somebody has to do for it. */
export type Kind = {
  readonly name: 'routine' | 'sensitive' | 'destructive' | 'timed';
  /** What Ana says for it, without the slash command's name. */
  readonly words: string;
  /** Everything before the last thing; in good weather. */
  readonly prepare: (scene: Scene) => Promise<unknown>;
  /** The last thing. Said again only where nothing came of it before. */
  readonly act: (scene: Scene) => Promise<unknown>;
};

const address = '198.51.100.4';
const says = ({ house: { slack } }: Scene, words: string): Promise<unknown> =>
  slack.command(ids.ana, 'C0ACME', `/site ${words}`);

/** A cache that is cleared: words alone. */
const routine: Kind = {
  name: 'routine',
  words: 'cache clear acme-shop/staging',
  prepare: async () => {},
  act: (scene) => says(scene, routine.words),
};

/** An address that is let in on a live environment: a form shows it first. */
const sensitive: Kind = {
  name: 'sensitive',
  words: `allowlist add acme-shop/live ${address}`,
  prepare: ({ house }) => house.person('ana').opens(`/site ${sensitive.words}`, `Let ${address} in over SSH`),
  act: async (scene) => {
    const { slack } = scene.house;
    const { modals } = slack.views(ids.ana);
    if (modals.at(-1)?.callback_id === 'review') return slack.submit(ids.ana);
    // The form has said why nothing came of it: it is opened anew, and submitted the next time.
    if (modals.length > 0) await slack.closeModal(ids.ana, true);
    return says(scene, sensitive.words);
  },
};

/** A push that waits for an approval. */
const destructive: Kind = {
  name: 'destructive',
  words: 'push acme-shop/staging acme-shop/live --database',
  prepare: (scene) => waitingPush(scene, randomFrom('weather')),
  act: (scene) => approve(scene, ids.chi),
};

/** An address that was let in for five minutes, which are over. */
const timed: Kind = {
  name: 'timed',
  words: `allowlist add acme-shop/staging ${address} --for 5m`,
  prepare: async (scene) => {
    await says(scene, timed.words);
    await scene.atRest();
  },
  act: ({ write }) => write('update timers set due_at = 1 where due_at is not null'),
};

/** Every kind of change, and the removal that is due by itself. */
export const kinds: readonly Kind[] = [routine, sensitive, destructive, timed];
