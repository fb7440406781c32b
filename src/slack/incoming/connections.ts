import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Beyond that even those go at once that came just now, so that a machine does not run out of descriptors. */
const atOnce = 5;
/** Requests of one connection that are not answered yet: nobody who delivers sends the next one before. */
const maxAhead = 4;

/**
 * Keeps a server to so many connections. Where one more comes, the one goes that has been without a whole request for
 * longest, rather than the new one: whoever holds connections and says nothing keeps nobody out. What has sent its
 * whole request keeps its connection until it is answered; where all have, the new one goes. Whoever asks for much before
 * they are answered goes, too. `endUnheard` ends all that have sent no whole request: nothing else would end them.
 */
export function boundConnections(server: Server, most: number): { readonly endUnheard: () => void } {
  const requests = new Map<Socket, Set<IncomingMessage>>();
  /** In the order in which they go: since when each has been waiting for its next request, or has told half of it. */
  const queue = new Set<Socket>();
  server.maxConnections = most * atOnce;

  const isWorkedOn = (socket: Socket): boolean => {
    for (const { complete } of requests.get(socket) ?? []) if (complete) return true;
    return false;
  };
  const end = (socket: Socket): void => {
    queue.delete(socket);
    requests.delete(socket);
    socket.destroy();
  };
  const join = (socket: Socket): void => {
    if (!requests.has(socket)) return;
    queue.delete(socket);
    queue.add(socket);
    for (const one of queue) {
      if (requests.size <= most) return;
      if (!isWorkedOn(one)) end(one);
    }
  };
  const isFull = (): boolean => requests.size >= most && [...requests.keys()].every(isWorkedOn);

  server.on('connection', (socket) => {
    if (isFull()) return void socket.destroy();
    requests.set(socket, new Set());
    socket.once('close', () => end(socket));
    // What it has sent by now is read in the next turn, and before that nobody can say that it sent nothing.
    setImmediate(() => setImmediate(() => join(socket)));
  });
  server.prependListener('request', (request, response) => {
    const own = requests.get(request.socket);
    if (own !== undefined && own.size >= maxAhead) return end(request.socket);
    own?.add(request);
    // In a crowd nobody keeps a connection for later, to find it closed when it is used.
    if (requests.size > most / 2) response.shouldKeepAlive = false;
    response.once('close', () => {
      own?.delete(request);
      join(request.socket);
    });
  });
  return {
    endUnheard: () => {
      for (const socket of requests.keys()) if (!isWorkedOn(socket)) end(socket);
    },
  };
}
