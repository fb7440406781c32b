import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createAnswers } from '../../src/api/untaken.ts';

test('if clients take too little in all, the connection that has waited longest ends, and what is taken stays', async () => {
  const answers = createAnswers(12_000_000);
  const taken: string[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    void answers.follow(request, response).taken.then(() => taken.push(url));
    // More than the system takes for a client that reads nothing.
    response.end('x'.repeat(8_000_000));
    server.emit('written');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It listens on a port.
  const { port } = server.address() as AddressInfo;
  const asks = async (path: string) => {
    const client = connect(port, '127.0.0.1').pause();
    client.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await once(server, 'written');
    return client;
  };
  const first = await asks('/first');
  answers.bound();
  const second = await asks('/second');
  expect(taken).toEqual([]);
  answers.bound();
  await expect.poll(() => taken).toEqual(['/first']);
  second.resume();
  await expect.poll(() => taken).toEqual(['/first', '/second']);
  for (const client of [first, second]) client.destroy();
  server.close();
});
