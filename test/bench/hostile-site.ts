import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

/** A site, in a thread of its own, that answers every request with informational answers without end. */
const early = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000));

const server = createServer((socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(early));
  };
  socket.on('error', () => undefined).on('drain', more);
  socket.once('data', more);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined);
});
