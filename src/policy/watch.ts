import { watch, watchFile, unwatchFile } from 'node:fs';
import { dirname } from 'node:path';
import { attempt, errorMessage } from '../base/errors.ts';
import { readAtMost } from '../base/bounded-reads.ts';
import { loadPolicy, maxPolicyBytes, unusable, type Loaded } from './load.ts';
import { loadMatcher } from './reason-match.ts';
import { canonicalId, idsOf } from './memberships.ts';
import { PolicyMistakes, type Mistake } from './yaml-document.ts';
import type { Catalogue, Policy } from './rules.ts';

/** What happens when the file changes. Only `record` may fail. */
export type PolicyEvents = {
  /** Saves the text of a policy, before anything is decided by it. Until it resolves, the former policy applies. */
  readonly record: (policy: Policy) => Promise<void>;
  /** A policy could not be recorded. It is tried again; this is called once, until one was recorded. */
  readonly onUnrecorded: (policy: Policy, error: unknown) => void;
  /** Another policy applies from now on, or the file can be used again. */
  readonly onReload: (policy: Policy, before: Policy) => void;
  /** The file cannot be used; the last good policy still applies. Called once for each new list of mistakes. */
  readonly onBroken: (mistakes: readonly Mistake[]) => void;
};

/** An open policy file. */
export type PolicyFile = {
  /** The policy that applies now. */
  readonly current: () => Policy;
  /** `idsOf` and `canonicalId` by the current policy. */
  readonly idsOf: (id: string) => readonly string[];
  readonly behind: (id: string) => string;
  /** Whether the file can't be used as it is now; the previous policy still applies. */
  readonly isBroken: () => boolean;
  /** Records the policy, then follows the file, until `close`. Call it once. Rejects if the policy can't be recorded. */
  readonly follow: (events: PolicyEvents) => Promise<void>;
  /** Reads a followed file now. Resolves when that is done, and never rejects. */
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A save arrives as several events. The file is read this long after the last one, in milliseconds. */
const settleMs = 100;
/** How often the file is polled as well, in milliseconds, because some folders report no events. */
const pollMs = 2_000;
/** When a policy that could not be recorded is read and recorded again, in milliseconds. */
const recordAgainMs = 1_000;

/** The policy that applies, and the mistakes of the file if it can't be used now, as JSON; otherwise empty. */
type InForce = { current: Policy; broken: string };

/** Opens the policy file. Rejects with `PolicyMistakes` if it cannot be used. */
export async function openPolicy(path: string, catalogue: Catalogue): Promise<PolicyFile> {
  const first = await readPolicy(path, catalogue);
  if (first.kind === 'mistakes') throw new PolicyMistakes(path, first.mistakes);
  const inForce: InForce = { current: first.policy, broken: '' };
  let stop = (): void => undefined;
  // Reads run one after another, so that an older text never replaces a newer one.
  let reading = Promise.resolve();
  let reload = async (): Promise<void> => undefined;
  return {
    current: () => inForce.current,
    idsOf: (id) => idsOf(inForce.current, id),
    behind: (id) => canonicalId(inForce.current, id),
    isBroken: () => inForce.broken !== '',
    follow: async (events) => {
      await events.record(inForce.current);
      const take = createTaker(inForce, events, () => void reload());
      reload = () => (reading = reading.then(async () => take(await readPolicy(path, catalogue))));
      stop = watchFor(path, () => void reload());
      // It may have changed since it was opened.
      await reload();
    },
    reload: () => reload(),
    close: async () => {
      stop();
      reload = async () => undefined;
      await reading;
    },
  };
}

/** The function lets what was read apply, once it is recorded. `onAgain` is called when the file is to be read again. */
function createTaker(inForce: InForce, events: PolicyEvents, onAgain: () => void): (read: Loaded) => Promise<void> {
  const recordOrLater = createRecorder(events, onAgain);
  return async (read) => {
    if (read.kind === 'mistakes') {
      const now = JSON.stringify(read.mistakes);
      if (now !== inForce.broken) events.onBroken(read.mistakes);
      inForce.broken = now;
      return;
    }
    const [before, { policy }] = [inForce.current, read];
    const isNew = policy.hash !== before.hash;
    if (!(await recordOrLater(policy, isNew)) || (!isNew && inForce.broken === '')) return;
    Object.assign(inForce, { current: policy, broken: '' });
    events.onReload(policy, before);
  };
}

/**
 * The function records a policy if it is new; false: it could not, and `onAgain` follows. The one in force is recorded
 * too after a failure, because only the answer to saving the other one may have been lost.
 */
function createRecorder({ record, onUnrecorded }: PolicyEvents, onAgain: () => void) {
  let isUnsure = false;
  let again: NodeJS.Timeout | undefined;
  return async (policy: Policy, isNew: boolean): Promise<boolean> => {
    if (!isNew && !isUnsure) return true;
    try {
      await record(policy);
      isUnsure = false;
      return true;
    } catch (error) {
      if (!isUnsure) onUnrecorded(policy, error);
      isUnsure = true;
      clearTimeout(again);
      again = setTimeout(onAgain, recordAgainMs).unref();
      return false;
    }
  };
}

/**
 * Calls `onChanged` after changes, until the returned function is called. Watches the folder, not the file, because a
 * save by renaming or a swapped link puts another file under the same name.
 */
function watchFor(path: string, onChanged: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(settling);
    settling = setTimeout(onChanged, settleMs);
    settling.unref();
  };
  // If the folder cannot be watched, polling covers it.
  const folder = attempt(() => watch(dirname(path), { persistent: false }, changed).on('error', changed));
  watchFile(path, { interval: pollMs, persistent: false }, changed);
  return () => {
    clearTimeout(settling);
    folder?.close();
    unwatchFile(path, changed);
  };
}

/** Reads a policy file. Never rejects: a file that can't be read is a mistake too. */
export async function readPolicy(path: string, catalogue: Catalogue): Promise<Loaded> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readAtMost(path, maxPolicyBytes));
    // A key `match` is written like this, or with an escape.
    if (/match|\\/.test(text)) await loadMatcher();
    return loadPolicy(text, catalogue);
  } catch (error) {
    return unusable(`the file cannot be read: ${errorMessage(error)}`);
  }
}
