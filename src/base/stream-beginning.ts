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
