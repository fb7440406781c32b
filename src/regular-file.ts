import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** What this is instead of a regular file, such as `a pipe`, whose opening would wait for its other end; else undefined. */
export function otherThanFile(found: Stats | undefined): string | undefined {
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a folder';
  return found.isFIFO() ? 'a pipe' : 'a device or a socket';
}

/** Reads a file up to one byte more than `max`. Rejects if it can't be read or is no regular file. */
export async function readAtMost(path: string, max: number): Promise<Uint8Array> {
  const other = otherThanFile(await stat(path));
  if (other) throw new Error(`it is ${other}`);
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(max + 1);
    let length = 0;
    // One read may bring less than there is.
    for (;;) {
      const { bytesRead } = await file.read({ buffer, offset: length, position: length });
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
  } finally {
    await file.close();
  }
}
