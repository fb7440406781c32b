import { watch, watchFile, unwatchFile, type FSWatcher } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadPolicy, MOST_BYTES, unusable, type Loaded } from './load.ts';
import { canonicalId, idsOf } from './people.ts';
import { PolicyMistakes, type Mistake } from './mistakes.ts';
import type { Catalogue, Policy } from './rules.ts';

/** What is told of a file that changed; neither may throw. */
export type PolicyEvents = {
  /** Another policy holds from now on, or the file is whole again. */
  readonly onReload: (policy: Policy, before: Policy) => void;
  /** The file cannot be used; the last good policy still holds. Told once for each broken text. */
  readonly onBroken: (mistakes: readonly Mistake[]) => void;
};

/** A policy file that is open: whoever asks gets the policy that holds at this moment. */
export type PolicyFile = {
  readonly current: () => Policy;
  /** Every id of the person behind one, and the one that stands for all of them; by the same rules. */
  readonly idsOf: (id: string) => readonly string[];
  readonly behind: (id: string) => string;
  /** The file as it is now cannot be used; what held before still holds. */
  readonly isBroken: () => boolean;
  /** Reads the file now; settles when that is done. Never rejects for what the file says. */
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A save arrives as several events; this long after the last one, in milliseconds, the file is read. */
const SETTLE = 100;
/** How often the file is looked at besides, in milliseconds: some folders report no events. */
const LOOK = 2_000;

/** Opens the policy file and follows its changes. Rejects with `PolicyMistakes` if it cannot be used. */
export async function openPolicy(path: string, catalogue: Catalogue, events: PolicyEvents): Promise<PolicyFile> {
  const first = await read(path, catalogue);
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
  // One reading after the other, so that an older text never replaces a newer one.
  let reading = Promise.resolve();
  const reload = () => {
    reading = reading.then(async () => take(await read(path, catalogue)));
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
 * Tells of changes until the returned function is called. The folder is watched rather than the file: a save by
 * renaming and a swapped link put another file under the same name.
 */
function follow(path: string, onChanged: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(settling);
    settling = setTimeout(onChanged, SETTLE);
    settling.unref();
  };
  const folder = watchFolder(dirname(path), changed);
  watchFile(path, { interval: LOOK, persistent: false }, changed);
  return () => {
    clearTimeout(settling);
    folder?.close();
    unwatchFile(path, changed);
  };
}

/** Where a folder cannot be watched, looking now and then has to do. */
function watchFolder(folder: string, onChanged: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, onChanged).on('error', onChanged);
  } catch {
    return undefined;
  }
}

async function read(path: string, catalogue: Catalogue): Promise<Loaded> {
  try {
    return loadPolicy(new TextDecoder('utf-8', { fatal: true }).decode(await readStart(path)), catalogue);
  } catch (trouble) {
    return unusable(`the file cannot be read: ${trouble instanceof Error ? trouble.message : 'no reason given'}`);
  }
}

/** One byte more than a policy may have is enough to tell that it is too large. */
async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_BYTES + 1), position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
