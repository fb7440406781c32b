import type { Socket } from 'node:net';

/** Takes bytes for the parser. False: it wants no more for now. */
type Pass = (bytes: Uint8Array) => boolean;

/**
 * Calls `hear` with all that a socket receives, before a parser of HTTP gets it. `hear` passes on what the parser may
 * have, and returns false if nothing more is wanted. A parser goes through a whole chunk without looking up, even after
 * its connection was destroyed, so a limit on its work has to be applied to the bytes.
 */
export function beforeParsing(socket: Socket, hear: (bytes: Uint8Array, pass: Pass) => boolean): void {
  const push = socket.push.bind(socket);
  // Node and undici both read from the socket's stream, and this is how a stream is given what was received.
  socket.push = (chunk: unknown, encoding?: BufferEncoding) =>
    chunk instanceof Uint8Array ? hear(chunk, (bytes) => push(bytes)) : push(chunk, encoding);
}

/** The characters of `HTTP/1.1 202 `. */
const statusLength = 13;

/** The status that what comes from now on begins with, also if the rest of that answer never comes. */
export function statusHeard(socket: Socket): () => number | undefined {
  let head = '';
  beforeParsing(socket, (bytes, pass) => {
    if (head.length < statusLength) head += Buffer.from(bytes.subarray(0, statusLength)).toString('latin1');
    return pass(bytes);
  });
  return () => {
    const status = /^HTTP\/1\.\d ([2-5]\d\d)\b/.exec(head)?.[1];
    return status === undefined ? undefined : Number(status);
  };
}
