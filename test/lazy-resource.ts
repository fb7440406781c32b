import { once } from 'node:events';
import { createServer } from 'node:http';

/** Makes a resource for all tests of a run. `answer` says where it is. */
export type Make = () => Promise<{ readonly answer: string; readonly remove: () => Promise<void> }>;

/**
 * A loopback address that answers with where the resource is. The first request makes it, once for the whole run.
 * `close` removes it if it was made.
 */
export async function lazyResource(
  make: Make,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  let made: ReturnType<Make> | undefined;
  const server = createServer((_, response) => {
    made ??= make();
    made.then(
      ({ answer }) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await made?.then(
      ({ remove }) => remove(),
      () => undefined,
    );
  };
  return { address: `http://127.0.0.1:${address.port}`, close };
}

/** Where the resource is. */
export async function resourceAt(address: string): Promise<string> {
  const response = await fetch(address);
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}
