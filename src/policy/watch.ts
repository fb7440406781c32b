import { watch, watchFile, unwatchFile } from 'node:fs';
import { dirname } from 'node:path';
import { attempt, errorMessage } from '../errors.ts';
import { readAtMost } from '../regular-file.ts';
import { loadPolicy, maxPolicyBytes, unusable, type Loaded } from './load.ts';
import { canonicalId, idsOf } from './people.ts';
import { PolicyMistakes, type Mistake } from './mistakes.ts';
import type { Catalogue, Policy } from './rules.ts';

/** Called when the file changes. Must not throw. */
export type PolicyEvents = {
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
  /** Reads the file now. Resolves when it is read, and never rejects because of its content. */
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A save arrives as several events. The file is read this long after the last one, in milliseconds. */
const settleMs = 100;
/** How often the file is polled as well, in milliseconds, because some folders report no events. */
const pollMs = 2_000;

/** Opens the policy file and follows its changes. Rejects with `PolicyMistakes` if it cannot be used. */
export async function openPolicy(path: string, catalogue: Catalogue, events: PolicyEvents): Promise<PolicyFile> {
  const first = await readPolicy(path, catalogue);
  if (first.kind === 'mistakes') throw new PolicyMistakes(path, first.mistakes);
  let current = first.policy;
  let broken = '';

  const take = (loaded: Loaded) => {
    if (loaded.kind === 'mistakes') {
      const now = JSON.stringify(loaded.mistakes);
      if (now !== broken) events.onBroken(loaded.mistakes);
      broken = now;
    } else if (loaded.policy.hash !== current.hash || broken !== '') {
      const before = current;
      current = loaded.policy;
      broken = '';
      events.onReload(current, before);
    }
  };
  // Reads run one after another, so that an older text never replaces a newer one.
  let reading = Promise.resolve();
  const reload = () => {
    reading = reading.then(async () => take(await readPolicy(path, catalogue)));
    return reading;
  };
  const stop = follow(path, () => void reload());
  const close = async () => {
    stop();
    await reading;
  };
  const people = {
    idsOf: (id: string) => idsOf(current, id),
    behind: (id: string) => canonicalId(current, id),
  };
  return { current: () => current, ...people, isBroken: () => broken !== '', reload, close };
}

/**
 * Calls `onChanged` after changes, until the returned function is called. Watches the folder, not the file, because a
 * save by renaming or a swapped link puts another file under the same name.
 */
function follow(path: string, onChanged: () => void): () => void {
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
    return loadPolicy(
      new TextDecoder('utf-8', { fatal: true }).decode(await readAtMost(path, maxPolicyBytes)),
      catalogue,
    );
  } catch (error) {
    return unusable(`the file cannot be read: ${errorMessage(error)}`);
  }
}
