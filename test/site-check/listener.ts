import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on loopback that counts connections. `seen`: what the requests began with. */
export type Listener = {
  readonly port: number;
  readonly seen: readonly string[];
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => Promise<void>;
};

/** Answers the first bytes of each connection. Closed after the test, unless `keeps`. */
export async function listening(answer: (socket: Socket, request: string) => void, keeps = false): Promise<Listener> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      seen.push(bytes.toString('latin1'));
      answer(socket, bytes.toString('latin1'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  if (!keeps) onTestFinished(close);
  return { port: portOf(server), seen, sockets, close };
}

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
