import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';

/** What was found in place of a regular file, such as `a pipe`: opening one would wait for its other end. Else undefined. */
export function otherThanFile(found: Stats | undefined): string | undefined {
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a folder';
  return found.isFIFO() ? 'a pipe' : 'a device or a socket';
}

/** Reads a file, but one byte more than `most` at most. Rejects if it can't be read or is no regular file. */
export async function readAtMost(path: string, most: number): Promise<Uint8Array> {
  const other = otherThanFile(await stat(path));
  if (other) throw new Error(`it is ${other}`);
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(most + 1);
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
