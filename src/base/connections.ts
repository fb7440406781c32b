import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';

/** What strangers and peers may send over a connection, counted before it is parsed. */

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
type FrameReader = { readonly read: (bytes: Uint8Array) => Frames };

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

/** Takes bytes for the parser. False: it wants no more for now. */
type Pass = (bytes: Uint8Array) => boolean;

/**
 * Calls `hear` with all that a socket receives, before a parser of HTTP gets it. `hear` passes on what the parser may
 * have, and returns false if nothing more is wanted. A parser goes through a whole chunk without looking up, even after
 * its connection was destroyed, so a limit on its work has to be applied to the bytes.
 */
function beforeParsing(socket: Socket, hear: (bytes: Uint8Array, pass: Pass) => boolean): void {
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

/** Above this multiple of the limit Node drops new connections at once, so that the machine keeps file descriptors. */
const maxFactor = 5;
/** The most requests of one connection whose answers have not been taken. Slack waits for an answer before its next one. */
const maxAhead = 4;
/** How long a connection may be silent, or leave an answer where it is, in ms. Slack itself waits three seconds. */
export const silenceMs = 10_000;
/** How long a part of what was received is: at least three of the shortest requests, and hardly more than one with a head. */
const [minPart, maxPart] = [64, 4_096];

/** For every server: limits for slow requests, in ms. Node would answer a request without a host itself, uncounted. */
export const serverOptions: ServerOptions = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
};

/**
 * Limits a server with `serverOptions` to `max` connections. A further one closes the connection that has waited longest
 * for a complete request, so silent connections keep nobody out. Connections with a complete request stay until it is
 * answered; if all have one, the new connection is closed. A connection that has sent more requests than it takes answers
 * is closed too, and hardly any more of what it sent is parsed. `endUnheard` closes those without a complete request,
 * which nothing else closes at a stop.
 */
export function boundConnections(server: Server, max: number): { readonly endUnheard: () => void } {
  const { requests, isBusy, isFull, enqueue, end } = createPlaces(max);
  server.maxConnections = max * maxFactor;
  server.timeout = silenceMs;
  server.on('connection', (socket) => {
    if (isFull()) return void socket.destroy();
    requests.set(socket, new Set());
    socket.once('close', () => end(socket));
    parseInParts(socket);
    // Data that has already arrived is read in the next turn of the event loop, so judge the connection after that.
    setImmediate(() => setImmediate(() => enqueue(socket)));
  });
  const count = (request: IncomingMessage, response: ServerResponse): void => {
    const own = requests.get(request.socket);
    if (own !== undefined && own.size >= maxAhead) return end(request.socket);
    // A body in chunks can come in one object for each byte. Slack and probes send none, so it is not read.
    if (request.headers['transfer-encoding'] !== undefined) {
      request.socket.write('HTTP/1.1 411 Length Required\r\nconnection: close\r\n\r\n');
      return end(request.socket);
    }
    own?.add(request);
    // When the server is getting full, don't keep connections alive: the client could reuse one that was just closed.
    if (requests.size > max / 2) response.shouldKeepAlive = false;
    response.once('close', () => {
      own?.delete(request);
      enqueue(request.socket);
    });
  };
  server.prependListener('request', count);
  // Node would answer this itself, uncounted.
  server.on('checkExpectation', (request, response) => {
    count(request, response);
    response.writeHead(417).end();
  });
  return {
    endUnheard: () => {
      for (const socket of requests.keys()) if (!isBusy(socket)) end(socket);
    },
  };
}

/** Gives the parser few requests at a time, so that none is parsed after the connection was closed for too many. */
function parseInParts(socket: Socket): void {
  // Without a listener, Node's parser takes what was received straight from the system.
  socket.on('data', () => undefined);
  beforeParsing(socket, (bytes, pass) => {
    const received = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let wantsMore = true;
    for (let from = 0; from < received.length && !socket.destroyed;) {
      const headEnd = received.indexOf('\r\n\r\n', from + minPart);
      const to = Math.min(headEnd < 0 ? received.length : headEnd + 4, from + maxPart);
      wantsMore = pass(received.subarray(from, to));
      from = to;
    }
    return wantsMore && !socket.destroyed;
  });
}

/** The connections with their requests. `enqueue` puts one at the end of those to be closed, and closes what is too much. */
function createPlaces(max: number) {
  const requests = new Map<Socket, Set<IncomingMessage>>();
  /** Connections in the order they are closed: oldest wait for a complete request first. */
  const queue = new Set<Socket>();
  const isBusy = (socket: Socket): boolean => {
    for (const { complete } of requests.get(socket) ?? []) if (complete) return true;
    return false;
  };
  const isFull = (): boolean => requests.size >= max && [...requests.keys()].every(isBusy);
  const end = (socket: Socket): void => {
    queue.delete(socket);
    requests.delete(socket);
    // Otherwise what it holds already would still be parsed.
    socket.pause();
    socket.destroy();
  };
  const enqueue = (socket: Socket): void => {
    if (!requests.has(socket)) return;
    queue.delete(socket);
    queue.add(socket);
    for (const one of queue) {
      if (requests.size <= max) return;
      if (!isBusy(one)) end(one);
    }
  };
  return { requests, isBusy, isFull, enqueue, end };
}
