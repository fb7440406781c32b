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
