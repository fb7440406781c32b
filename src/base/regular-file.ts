import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** What this is if not a regular file, such as `a pipe`, whose opening would wait for its other end; else undefined. */
export function otherThanFile(found: Stats | undefined): string | undefined {
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a folder';
  return found.isFIFO() ? 'a pipe' : 'a device or a socket';
}

/** Reads a file, up to one byte more than `max`. Rejects if it can't be read or isn't a regular file. */
export async function readAtMost(path: string, max: number): Promise<Uint8Array> {
  const other = otherThanFile(await stat(path));
  if (other) throw new Error(`it is ${other}`);
  // `end` is the index of the last byte.
  return buffer(createReadStream(path, { end: max }));
}
