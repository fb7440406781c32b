import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { beforeParsing } from './received-bytes.ts';

/** How many informational answers (1xx) may come before the final one. A browser needs one or two. */
const maxInformational = 8;
/** How many bytes may come until the headers of the final answer end. */
const maxHeadBytes = 65_536;
/** The rest of an answer may have this many bytes more than twice its longest body: frames of chunks, and trailers. */
const maxSurplus = 1_048_576;

/** The peer has sent more than an answer may have. Its message follows "the peer". */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
  readonly code = 'ANSWER_TOO_LONG';
}

/**
 * Bounds what a peer can make us parse for one request: informational answers, bytes before the final answer's headers
 * end, and bytes in all, for a body of at most `maxBody`. What is beyond that is not parsed, and destroys the socket with
 * `AnswerTooLong`. Each write to the socket begins a new answer.
 */
export function boundAnswers(socket: Socket, maxBody: number): void {
  const maxBytes = maxHeadBytes + 2 * maxBody + maxSurplus;
  let written = socket.bytesWritten;
  let heads = createHeads();
  let received = 0;
  const excessIn = (bytes: Uint8Array): string | undefined => {
    if (written !== socket.bytesWritten) {
      written = socket.bytesWritten;
      heads = createHeads();
      received = 0;
    }
    received += bytes.length;
    const { informational, length } = heads.read(bytes);
    if (informational > maxInformational) return `sent more than ${maxInformational} informational answers`;
    if (length > maxHeadBytes) return `sent more than ${maxHeadBytes} bytes before its answer`;
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

type Heads = {
  /** Reads on. Returns how many informational answers came before the final one, and the bytes until its headers end. */
  readonly read: (bytes: Uint8Array) => { readonly informational: number; readonly length: number };
};

const [newline, carriageReturn] = [10, 13];
/** As much of a line as the version and the status take. */
const maxLine = 12;

/** Finds the ends of the answers' heads. It stops at the first that is not informational: what follows is a body. */
function createHeads(): Heads {
  let [informational, length, line, status, isFinal] = [0, 0, '', '', false];
  const endLine = (): void => {
    // Empty lines before a status belong to no head.
    if (line === '' && status !== '') {
      if (/^\S+ 1(?!01)\d\d/.test(status)) informational += 1;
      else isFinal = true;
      status = '';
    } else status ||= line;
    line = '';
  };
  return {
    read(bytes) {
      for (const byte of bytes) {
        if (isFinal || length > maxHeadBytes || informational > maxInformational) break;
        length += 1;
        if (byte === newline) endLine();
        else if (byte !== carriageReturn && line.length < maxLine) line += String.fromCharCode(byte);
      }
      return { informational, length };
    },
  };
}
