import { randomFrom } from '../../../src/playground/hosting/random.ts';
import { ids } from '../../stories/scenario.ts';
import { approve, waitingPush } from '../push.ts';
import type { Scene } from '../scene.ts';

/** A kind of change, up to the last step that a person does for it. */
export type Kind = {
  readonly name: 'routine' | 'sensitive' | 'destructive' | 'timed';
  /** What Ana types after the slash command's name. */
  readonly words: string;
  /** Everything before the last step, without trouble. */
  readonly prepare: (scene: Scene) => Promise<unknown>;
  /** The last step. It is repeated only if nothing came of it. */
  readonly act: (scene: Scene) => Promise<unknown>;
};

const address = '198.51.100.4';
const says = ({ scenario: { slack } }: Scene, words: string): Promise<unknown> =>
  slack.command(ids.ana, 'C0ACME', `/site ${words}`);

/** Clears a cache with one command. */
const routine: Kind = {
  name: 'routine',
  words: 'cache clear acme-shop/staging',
  prepare: async () => {},
  act: (scene) => says(scene, routine.words),
};

/** Adds an address to a live environment's allowlist; a form shows it first. */
const sensitive: Kind = {
  name: 'sensitive',
  words: `allowlist add acme-shop/live ${address}`,
  prepare: ({ scenario }) => scenario.person('ana').opens(`/site ${sensitive.words}`, `Let ${address} in over SSH`),
  act: async (scene) => {
    const { slack } = scene.scenario;
    const { modals } = slack.views(ids.ana);
    if (modals.at(-1)?.callback_id === 'review') return slack.submit(ids.ana);
    // The form said why nothing came of it. Open it again, and submit it at the next call.
    if (modals.length > 0) await slack.closeModal(ids.ana, true);
    return says(scene, sensitive.words);
  },
};

/** A push that waits for approval. */
const destructive: Kind = {
  name: 'destructive',
  words: 'push acme-shop/staging acme-shop/live --database',
  prepare: (scene) => waitingPush(scene, randomFrom('trouble')),
  act: (scene) => approve(scene, ids.chi),
};

/** An address that was allowed for five minutes, which are over. */
const timed: Kind = {
  name: 'timed',
  words: `allowlist add acme-shop/staging ${address} --for 5m`,
  prepare: async (scene) => {
    await says(scene, timed.words);
    await scene.atRest();
  },
  act: ({ write }) => write('update timers set due_at = 1 where due_at is not null'),
};

/** Every kind of change, and the timed removal. */
export const kinds: readonly Kind[] = [routine, sensitive, destructive, timed];
