import { setImmediate as turn } from 'node:timers/promises';

/** Lines that are read before others have their turn. */
const piece = 500;

/** Reads lines piece by piece: twenty thousand at once would keep everybody else waiting. */
export async function inPieces<T>(
  raw: readonly string[],
  read: (raw: readonly string[]) => readonly T[],
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let at = 0; at < raw.length; at += piece) {
    all.push(...read(raw.slice(at, at + piece)));
    await turn();
  }
  return all;
}
