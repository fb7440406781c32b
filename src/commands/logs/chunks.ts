import { setImmediate as turn } from 'node:timers/promises';

/** Lets others have their turn. */
export const breathe = (): Promise<void> => turn();

/** Lines that are read before the clock is looked at; the longest ones take a few milliseconds together. */
const piece = 20;
/** Milliseconds after which others have their turn. */
const own = 5;

/** Goes through lines piece by piece: twenty thousand at once would keep everybody else waiting. */
export async function eachPiece<T>(all: readonly T[], visit: (piece: readonly T[]) => void): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length; at += piece) {
    visit(all.slice(at, at + piece));
    if (performance.now() - began < own) continue;
    await breathe();
    began = performance.now();
  }
}

/** Reads lines piece by piece, each after others have had their turn. */
export async function inPieces<T, R>(
  all: readonly T[],
  read: (piece: readonly T[]) => readonly R[],
): Promise<readonly R[]> {
  const told: R[] = [];
  await eachPiece(all, (piece) => told.push(...read(piece)));
  return told;
}
