import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields to the event loop. */
export const breathe = (): Promise<void> => nextTurn();

/** Lines read between two looks at the clock; even the longest take only a few milliseconds together. */
const piece = 20;
/** Milliseconds of work before yielding. */
const maxBusyMs = 5;

/** Visits lines in pieces: twenty thousand at once would block the event loop. */
export async function eachPiece<T>(all: readonly T[], visit: (piece: readonly T[]) => void): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length; at += piece) {
    visit(all.slice(at, at + piece));
    if (performance.now() - began < maxBusyMs) continue;
    await breathe();
    began = performance.now();
  }
}

/** Reads lines in pieces, yielding in between. */
export async function inPieces<T, R>(
  all: readonly T[],
  read: (piece: readonly T[]) => readonly R[],
): Promise<readonly R[]> {
  const results: R[] = [];
  await eachPiece(all, (piece) => results.push(...read(piece)));
  return results;
}
