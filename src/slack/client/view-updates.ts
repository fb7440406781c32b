import { setTimeout as wait } from 'node:timers/promises';
import type { WebClient } from '@slack/web-api';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { BoundedMap } from '../../bounded-map.ts';
import type { Logger } from '../../log.ts';
import { isPassing } from './api-errors.ts';
import { platformError } from './messenger.ts';
import { rateLimitMs } from './rate-limits.ts';

/** An open view. With a hash, only that version of it, or what we have made of that, is replaced. */
export type OpenView = { readonly id: string; readonly hash?: string | undefined };

/** `outdated`: closed, submitted, or replaced by something newer. `not taken`: Slack took it at no time within seconds. */
export type DrawnView = 'drawn' | 'outdated' | 'not taken';

/** Draws into an open view. Rejects if Slack refuses what is drawn. */
export type UpdateView = (view: OpenView, drawn: ModalView) => Promise<DrawnView>;

/** What this process knows about one open view. */
type ViewUpdates = {
  /** The newest update; aborted as soon as there is a newer one. */
  newest: AbortController;
  running: Promise<unknown>;
  /** For each version that we replaced, the hash of its successor. */
  readonly became: Map<string, string>;
};

const maxViews = 500;
/** How long one update is tried, in ms. Somebody is looking at the view meanwhile. */
const tryForMs = 8_000;
/** The first pause before another try, in ms. Each is twice the one before, unless Slack asks for another. */
const firstPauseMs = 250;

const updateReply = z.object({ view: z.object({ hash: z.string() }) });

/** Slack may be asked again to update a view: its last state counts. An older drawing never replaces a newer one. */
export function createViewUpdates(client: Pick<WebClient, 'views'>, log: Logger): UpdateView {
  const updates = new BoundedMap<string, ViewUpdates>(maxViews);
  return async (view, drawn) => {
    const of = updates.get(view.id) ?? { newest: new AbortController(), running: Promise.resolve(), became: new Map() };
    of.newest.abort();
    of.newest = new AbortController();
    const { signal } = of.newest;
    updates.set(view.id, of);
    const onRefused = (error: unknown): void => log.warn({ err: error }, 'Slack did not draw a form');
    const update = of.running.then(() => tryFor(() => updateOnce(client, view, drawn, of.became), signal, onRefused));
    of.running = update.catch(() => undefined);
    return update;
  };
}

async function updateOnce(
  { views }: Pick<WebClient, 'views'>,
  { id, hash }: OpenView,
  view: ModalView,
  became: Map<string, string>,
): Promise<void> {
  let current = hash;
  for (let next = hash; next !== undefined; next = became.get(next)) current = next;
  if (current === undefined) return void (await views.update({ view_id: id, view }));
  const answer = updateReply.safeParse(await views.update({ view_id: id, hash: current, view }));
  if (answer.data && answer.data.view.hash !== current) became.set(current, answer.data.view.hash);
}

async function tryFor(
  update: () => Promise<void>,
  newer: AbortSignal,
  onRefused: (error: unknown) => void,
): Promise<DrawnView> {
  const end = performance.now() + tryForMs;
  for (let pauseMs = firstPauseMs; !newer.aborted; pauseMs *= 2) {
    try {
      await update();
      return 'drawn';
    } catch (error) {
      const word = platformError(error);
      if (word === 'not_found' || word === 'hash_conflict') return 'outdated';
      if (word !== undefined && !isPassing(word)) throw error;
      const restMs = rateLimitMs(error, pauseMs) ?? pauseMs;
      if (performance.now() + restMs > end) {
        onRefused(error);
        return 'not taken';
      }
      await wait(restMs, undefined, { signal: newer }).catch(() => undefined);
    }
  }
  return 'outdated';
}
