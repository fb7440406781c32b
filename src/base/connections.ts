import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beforeParsing } from './answer-bounds.ts';

/** Above this multiple of the limit Node drops new connections at once, so that the machine keeps file descriptors. */
const maxFactor = 5;
/** The most requests of one connection whose answers have not been taken. Slack waits for an answer before its next one. */
const maxAhead = 4;
/** How long a connection may be silent, or leave an answer where it is, in ms. Slack itself waits three seconds. */
const silenceMs = 10_000;
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
