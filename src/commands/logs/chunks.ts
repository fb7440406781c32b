import { setImmediate } from 'node:timers/promises';

/** Lines read between two looks at the clock: even the longest take only a few milliseconds. */
const chunkSize = 20;
/** Milliseconds of work before yielding. */
const maxBusyMs = 5;

/** Visits lines in chunks: twenty thousand at once would block the event loop. */
export async function eachChunk<T>(all: readonly T[], visit: (chunk: readonly T[]) => void): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length; at += chunkSize) {
    visit(all.slice(at, at + chunkSize));
    if (performance.now() - began < maxBusyMs) continue;
    await setImmediate();
    began = performance.now();
  }
}

/** Reads lines in chunks, yielding in between. */
export async function mapInChunks<T, R>(
  all: readonly T[],
  read: (chunk: readonly T[]) => readonly R[],
): Promise<readonly R[]> {
  const results: R[] = [];
  await eachChunk(all, (chunk) => results.push(...read(chunk)));
  return results;
}
