import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { createFrameReader } from './answer-frames.ts';
import { beforeParsing } from './received-bytes.ts';

/** What may come before the body: informational answers (1xx), of which a browser needs one or two, and bytes in all. */
const heads = { informational: 8, headBytes: 65_536 };
/** A body may come in this many chunks, and one more for each so many bytes of the longest. */
const [fewChunks, chunkBytes] = [16_384, 256];
/** The rest of an answer may have this many bytes more than twice its longest body: frames of chunks, and trailers. */
const maxSurplus = 1_048_576;

/** The peer has sent more than an answer may have. Its message follows "the peer". */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
  readonly code = 'ANSWER_TOO_LONG';
}

/**
 * Bounds what a peer can make us parse for one request: informational answers, bytes before the final answer's headers
 * end, chunks, and bytes in all, for a body of at most `maxBody`. What is beyond that is not parsed, and destroys the
 * socket with `AnswerTooLong`. Each write to the socket begins a new answer.
 */
export function boundAnswers(socket: Socket, maxBody: number): void {
  const maxBytes = heads.headBytes + 2 * maxBody + maxSurplus;
  const maxChunks = fewChunks + maxBody / chunkBytes;
  let written = socket.bytesWritten;
  let frames = createFrameReader(heads);
  let received = 0;
  const excessIn = (bytes: Uint8Array): string | undefined => {
    if (written !== socket.bytesWritten) {
      written = socket.bytesWritten;
      frames = createFrameReader(heads);
      received = 0;
    }
    received += bytes.length;
    const { informational, headBytes, chunks } = frames.read(bytes);
    if (informational > heads.informational) return `sent more than ${heads.informational} informational answers`;
    if (headBytes > heads.headBytes) return `sent more than ${heads.headBytes} bytes before its answer`;
    if (chunks > maxChunks) return 'sent its answer in too many pieces';
    return received > maxBytes ? 'sent more than an answer may have' : undefined;
  };
  beforeParsing(socket, (bytes, pass) => {
    const excess = excessIn(bytes);
    if (excess === undefined) return pass(bytes);
    socket.destroy(new AnswerTooLong(excess));
    return false;
  });
}

type Connector = ReturnType<typeof buildConnector>;

/** Connects undici's clients by HTTP/1.1, with bounded answers. `timeout`: until the connection is open, in ms. */
export function boundedConnector(maxBody: number, timeout?: number): Connector {
  const connect = buildConnector({ allowH2: false, ...(timeout !== undefined && { timeout }) });
  return (options, done) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return done(error, null);
      boundAnswers(socket, maxBody);
      return done(null, socket);
    });
}
