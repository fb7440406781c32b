/** What came for one request so far, beside the bytes of its body. */
type Frames = {
  /** Informational answers (1xx) before the final one. */
  readonly informational: number;
  /** Bytes until the headers of the final answer end. */
  readonly headBytes: number;
  /** Pieces in which the body came. */
  readonly chunks: number;
};

/** Follows the frames of one answer, which may arrive in any parts. `read` is given the next bytes. */
export type FrameReader = { readonly read: (bytes: Uint8Array) => Frames };

const [newline, carriageReturn] = [10, 13];
const encoding = 'transfer-encoding:';
/** As much of a line of a head as is looked at: the status, or this header's name. */
const maxLine = encoding.length;

/**
 * Reads each byte of the heads, and of the body only the sizes of its chunks. `informational` and `headBytes` are not
 * counted further beyond these limits.
 */
export function createFrameReader(limits: Pick<Frames, 'informational' | 'headBytes'>): FrameReader {
  const count = { informational: 0, headBytes: 0, chunks: 0 };
  let [line, status] = ['', ''];
  let [isChunked, isBody] = [false, false];
  /** How many bytes the current chunk still has. */
  let left = 0;
  const size = createSizeReader();
  const endLine = (): void => {
    if (isBody) {
      // The next size comes after the chunk and the end of its line.
      left = size.end() + 2;
      count.chunks += 1;
    } else if (line !== '') {
      status ||= line;
      // No other encoding is in use, and one that we misread is bounded by its bytes.
      isChunked ||= line.toLowerCase() === encoding;
    } else if (/^\S+ 1(?!01)\d\d/.test(status)) {
      count.informational += 1;
      [status, isChunked] = ['', false];
    } else isBody = status !== '';
    line = '';
  };
  const isOver = (): boolean =>
    (isBody && !isChunked) || count.informational > limits.informational || count.headBytes > limits.headBytes;
  return {
    read(bytes) {
      for (let at = 0; at < bytes.length && !isOver(); at += 1) {
        if (left > 0) {
          const skipped = Math.min(left, bytes.length - at);
          left -= skipped;
          at += skipped - 1;
          continue;
        }
        const byte = bytes[at] ?? 0;
        if (!isBody) count.headBytes += 1;
        if (byte === newline) endLine();
        else if (isBody) size.read(byte);
        else if (byte !== carriageReturn && line.length < maxLine) line += String.fromCharCode(byte);
      }
      return count;
    },
  };
}

/** Reads the size of a chunk, a hexadecimal number that any other sign ends; `end`: the number, for the end of its line. */
function createSizeReader() {
  let [size, isSize] = [0, true];
  return {
    read: (byte: number): void => {
      const digit = isSize ? Number.parseInt(String.fromCharCode(byte), 16) : Number.NaN;
      if (Number.isNaN(digit)) isSize = false;
      else size = Math.min(size * 16 + digit, Number.MAX_SAFE_INTEGER);
    },
    end: (): number => {
      const said = size;
      [size, isSize] = [0, true];
      return said;
    },
  };
}
