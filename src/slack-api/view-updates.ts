import { setTimeout as wait } from 'node:timers/promises';
import type { WebClient } from '@slack/web-api';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { BoundedMap } from '../base/caches.ts';
import type { Logger } from '../base/log.ts';
import { isPassing } from './api-errors.ts';
import { platformError } from './messenger.ts';
import { rateLimitMs } from './rate-limits.ts';

/** An open view. With a hash, only that version of it, or what we have made of that, is replaced. */
export type OpenView = { readonly id: string; readonly hash?: string | undefined };

/**
 * `outdated`: closed, submitted, or replaced by something newer. `unconfirmed`: tried for seconds, and not refused for
 * good. It may be there if an answer was lost.
 */
export type DrawnView = 'drawn' | 'outdated' | 'unconfirmed';

/** Draws into an open view. Rejects if Slack refuses what is drawn. */
export type UpdateView = (view: OpenView, drawn: ModalView) => Promise<DrawnView>;

/** What this process knows about one open view. */
type ViewUpdates = {
  /** The newest update; aborted as soon as there is a newer one. */
  newest: AbortController;
  running: Promise<unknown>;
  /** The hashes of a version that we replaced and of those that we made of it; the last is the newest that we know. */
  versions: readonly string[];
  /** Whether something that we drew after the last of them may be there, because an answer was lost. */
  isUnsure: boolean;
};

const maxViews = 500;
/** How many versions of a view are remembered. */
const maxVersions = 50;
/** How long one update is tried, in ms. Somebody is looking at the view meanwhile. */
const tryForMs = 8_000;
/** The first pause before another try, in ms. Each is twice the one before, unless Slack asks for another. */
const firstPauseMs = 250;

const updateReply = z.object({ view: z.object({ hash: z.string() }) });

/** Slack may be asked again to update a view: its last state counts. An older drawing never replaces a newer one. */
export function createViewUpdates(client: Pick<WebClient, 'views'>, log: Logger): UpdateView {
  const updates = new BoundedMap<string, ViewUpdates>(maxViews);
  return async (view, drawn) => {
    const begun = { newest: new AbortController(), running: Promise.resolve(), versions: [], isUnsure: false };
    const of = updates.get(view.id) ?? begun;
    of.newest.abort();
    of.newest = new AbortController();
    const { signal } = of.newest;
    updates.set(view.id, of);
    const draw = async (hash: string | undefined): Promise<void> => {
      const answer = await client.views.update({ view_id: view.id, ...(hash !== undefined && { hash }), view: drawn });
      remember(of, view.hash, updateReply.safeParse(answer).data?.view.hash);
    };
    const onGivenUp = (error: unknown): void => log.warn({ err: error }, 'Slack did not draw a form');
    const update = of.running.then(() => tryFor(draw, view.hash, of, { newer: signal, onGivenUp }));
    of.running = update.catch(() => undefined);
    return update;
  };
}

function remember(of: ViewUpdates, over: string | undefined, became: string | undefined): void {
  const before = over === undefined || of.versions.includes(over) ? of.versions : [over];
  of.versions = [...before, ...(became === undefined ? [] : [became])].slice(-maxVersions);
  of.isUnsure = false;
}

const newestSince = (over: string | undefined, { versions }: ViewUpdates): string | undefined =>
  over !== undefined && versions.includes(over) ? versions.at(-1) : over;

/** Tries for some seconds, or until there is a newer drawing. */
async function tryFor(
  draw: (hash: string | undefined) => Promise<void>,
  over: string | undefined,
  of: ViewUpdates,
  { newer, onGivenUp }: { readonly newer: AbortSignal; readonly onGivenUp: (error: unknown) => void },
): Promise<DrawnView> {
  const end = performance.now() + tryForMs;
  // What replaces any version follows a submission: nothing that was drawn for an older version may come after it.
  if (over === undefined) Object.assign(of, { versions: [], isUnsure: false });
  const mayCoverOlder = of.isUnsure;
  let hash = newestSince(over, of);
  for (let pauseMs = firstPauseMs; !newer.aborted; pauseMs *= 2) {
    try {
      await draw(hash);
      return 'drawn';
    } catch (error) {
      const word = platformError(error);
      const isConflict = word === 'hash_conflict';
      // The other version may be the older drawing. If nothing of ours was lost, it is somebody else's, and stays.
      if (isConflict && mayCoverOlder && hash !== undefined) {
        hash = undefined;
        continue;
      }
      if (isConflict || word === 'not_found') return 'outdated';
      if (word !== undefined && !isPassing(word)) throw error;
      const askedMs = rateLimitMs(error, pauseMs);
      if (askedMs === undefined) of.isUnsure = over !== undefined;
      const restMs = askedMs ?? pauseMs;
      if (performance.now() + restMs > end) {
        onGivenUp(error);
        return 'unconfirmed';
      }
      await wait(restMs, undefined, { signal: newer }).catch(() => undefined);
    }
  }
  return 'outdated';
}
