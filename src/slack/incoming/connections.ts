import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Above this multiple of the limit Node drops new connections at once, so that the machine keeps file descriptors. */
const maxFactor = 5;
/** The most unanswered requests on one connection. Slack waits for an answer before its next request. */
const maxAhead = 4;

/**
 * Limits a server to `max` connections. A further one closes the connection that has waited longest for a complete
 * request, so silent connections keep nobody out. Connections with a complete request stay until it is answered; if all
 * have one, the new connection is closed. A connection with too many unanswered requests is closed too. `endUnheard`
 * closes those without a complete request, which nothing else closes at a stop.
 */
export function boundConnections(server: Server, max: number): { readonly endUnheard: () => void } {
  const { requests, isBusy, isFull, enqueue, end } = createPlaces(max);
  server.maxConnections = max * maxFactor;
  server.on('connection', (socket) => {
    if (isFull()) return void socket.destroy();
    requests.set(socket, new Set());
    socket.once('close', () => end(socket));
    // Data that has already arrived is read in the next turn of the event loop, so judge the connection after that.
    setImmediate(() => setImmediate(() => enqueue(socket)));
  });
  server.prependListener('request', (request, response) => {
    const own = requests.get(request.socket);
    if (own !== undefined && own.size >= maxAhead) return end(request.socket);
    own?.add(request);
    // When the server is getting full, don't keep connections alive: the client could reuse one that was just closed.
    if (requests.size > max / 2) response.shouldKeepAlive = false;
    response.once('close', () => {
      own?.delete(request);
      enqueue(request.socket);
    });
  });
  return {
    endUnheard: () => {
      for (const socket of requests.keys()) if (!isBusy(socket)) end(socket);
    },
  };
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
