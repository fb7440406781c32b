import { connect } from 'node:net';

/** What a stranger needs no key for. */
type Burst = { readonly connections: number; readonly path: string };

/** As much as one read of a socket takes. */
const chunkBytes = 65_536;

/**
 * Opens these connections at once, and sends 64 KB of pipelined requests on each before it reads anything. Resolves with
 * the number of requests sent when the other end has closed them all.
 */
export async function burst(port: number, { connections, path }: Burst): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const requests = Math.floor(chunkBytes / request.length);
  const bytes = Buffer.from(request.repeat(requests));
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).once('close', resolve);
      socket.write(bytes, () => socket.resume());
    });
  await Promise.all(Array.from({ length: connections }, one));
  return connections * requests;
}
