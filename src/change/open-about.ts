import type { Environment } from '../hosting/contract/target.ts';
import { listChanges, type Change } from '../storage/changes.ts';
import type { ReadHandle } from '../storage/tx.ts';
import { batchTarget, storedTargets, targetKey } from '../access/targets.ts';
import { batchProgress, standingsOf } from './batch.ts';

/** How many open changes of an environment are read, and how many open batches, the newest first. */
const maxRead = 100;

/** The open changes about an environment, newest first. `more`: there may be others. */
export type OpenAbout = (env: Environment) => Promise<{ readonly open: readonly Change[]; readonly more: boolean }>;

/**
 * Who reads what is open about environments: the changes of one alone, and the batches that have still to begin one.
 * Batches are read once, and first, so that a change that one begins meanwhile is in one of the two.
 */
export async function openAbout(db: ReadHandle): Promise<OpenAbout> {
  const batches = await listChanges(db, { target: batchTarget, isOpen: true, limit: maxRead });
  const left = batches.map((batch) => {
    const standings = standingsOf(batchProgress(batch), []);
    return storedTargets(batch).filter((_, at) => standings[at] === 'to do');
  });
  return async (env) => {
    const own = await listChanges(db, { target: targetKey(env), isOpen: true, limit: maxRead });
    const about = batches.filter((_, at) => left[at]?.some(({ id }) => id === env.id));
    const open = [...own, ...about].toSorted((one, other) => other.number - one.number);
    return { open, more: own.length === maxRead || batches.length === maxRead };
  };
}
