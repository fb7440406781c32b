import { once } from 'node:events';
import { createServer } from 'node:http';

/** Makes something for all tests of a run, says where it is, and removes it. */
export type Make = () => Promise<{ readonly answer: string; readonly remove: () => Promise<void> }>;

/**
 * An address on loopback that answers with where that is. The first request makes it, once for the whole run; `close`
 * removes it if it was made.
 */
export async function onRequest(
  make: Make,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  let made: ReturnType<Make> | undefined;
  const desk = createServer((_, response) => {
    made ??= make();
    made.then(
      ({ answer }) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const address = desk.address();
  if (address === null || typeof address === 'string') throw new Error('the desk has no port');
  const close = async (): Promise<void> => {
    desk.close();
    desk.closeAllConnections();
    await made?.then(
      ({ remove }) => remove(),
      () => undefined,
    );
  };
  return { address: `http://127.0.0.1:${address.port}`, close };
}

/** What that address answers with. */
export async function requested(address: string): Promise<string> {
  const response = await fetch(address);
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}
