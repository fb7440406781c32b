import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** Reads at most so many bytes, of a file or of a stream. */

/** What this is if not a regular file, such as `a pipe`, whose opening would wait for its other end; else undefined. */
export function otherThanFile(found: Stats | undefined): string | undefined {
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a folder';
  return found.isFIFO() ? 'a pipe' : 'a device or a socket';
}

/** Reads a file, up to one byte more than `max`. Rejects if it can't be read or isn't a regular file. */
export async function readAtMost(path: string, max: number): Promise<Uint8Array> {
  // Without waiting for somebody to write into a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const other = otherThanFile(await file.stat());
    if (other) throw new Error(`it is ${other}`);
    // `end` is the index of the last byte.
    return await buffer(file.createReadStream({ end: max, autoClose: false }));
  } finally {
    await file.close();
  }
}

/** The beginning of a stream: at most `most` bytes, and whether that is everything. Rejects if the stream does. */
export async function readBeginning(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop destroys the stream.
  for await (const part of stream) {
    parts.push(part.subarray(0, most - size));
    size += part.length;
    if (size > most) return { bytes: Buffer.concat(parts), isWhole: false };
  }
  return { bytes: Buffer.concat(parts), isWhole: true };
}
