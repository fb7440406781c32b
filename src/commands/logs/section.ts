import { beginning, type Text } from '../../words/text.ts';
import { setImmediate } from 'node:timers/promises';

/** The part of a log page that is specific to the kind of log. */
export type Section = {
  /** If entries were grouped: how many kinds and messages there are. A line counts once for each kind in it. */
  readonly groups?: { readonly kinds: number; readonly messages: number };
  /** Each non-empty part is shown separately. */
  readonly parts: readonly Text[];
  /** Problems and when each was first seen, worst first. */
  readonly firsts: readonly First[];
};
export type First = { readonly says: string; readonly at: number };

/** At most `limit` characters, with an ellipsis if it was cut. */
export const cutTo = (text: string, limit: number): string =>
  text.length <= limit ? text : `${beginning(text, limit)}…`;

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
