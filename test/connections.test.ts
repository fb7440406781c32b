import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { boundConnections, serverOptions } from '../src/connections.ts';

const half = 'POST / HTTP/1.1\r\nhost: bot\r\ncontent-length: 8\r\n\r\nhalf';
const whole = 'GET / HTTP/1.1\r\nhost: bot\r\n\r\n';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

type Caller = { readonly socket: Socket; readonly said: () => string; readonly closed: Promise<unknown> };

/** A server with this many connections. It answers only complete requests, and only when the test says so. */
async function listening(most: number) {
  const held: ServerResponse[] = [];
  const server = createServer(serverOptions, (request, response) => {
    request.resume().on('end', () => {
      held.push(response);
      server.emit('held');
    });
    request.on('error', () => undefined);
  });
  const { endUnheard } = boundConnections(server, most);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  /** Connects and sends this text; resolves when the server has received it. */
  const calls = async (words: string): Promise<Caller> => {
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    closing.push(() => socket.destroy());
    let said = '';
    socket.on('error', () => undefined).on('data', (chunk) => (said += chunk.toString()));
    const closed = once(socket, 'close');
    socket.write(words);
    await accepted;
    return { socket, said: () => said, closed };
  };
  const untilHeld = async (count: number): Promise<void> => {
    while (held.length < count) await once(server, 'held');
  };
  const answerAll = (): void => {
    for (const response of held.splice(0)) response.end('well');
  };
  return { calls, untilHeld, answerAll, endUnheard };
}

test('at the limit, the connection that has been incomplete for longest is closed; complete requests are answered', async () => {
  const { calls, untilHeld, answerAll } = await listening(3);
  const early = await calls(whole);
  await untilHeld(1);
  const [first, second] = [await calls(half), await calls(half)];
  const late = await calls(whole);
  await untilHeld(2);
  await first.closed;
  expect(second.socket.closed).toBe(false);
  second.socket.write('half');
  await untilHeld(3);
  const third = await calls(half);
  await third.closed;
  answerAll();
  for (const one of [early, second, late]) await expect.poll(one.said).toContain('200 OK');
});

test('below the limit, a connection is kept for the next request', async () => {
  const { calls, untilHeld, answerAll } = await listening(4);
  const one = await calls(whole);
  await untilHeld(1);
  answerAll();
  await once(one.socket, 'data');
  one.socket.write(whole);
  await untilHeld(1);
  answerAll();
  await once(one.socket, 'data');
  expect(one.socket.closed).toBe(false);
});

test('a client that sends many requests without waiting for answers is closed', async () => {
  const { calls, untilHeld, answerAll } = await listening(4);
  const patient = await calls(whole);
  await untilHeld(1);
  const eager = await calls(whole.repeat(1_000));
  await eager.closed;
  answerAll();
  await expect.poll(patient.said).toContain('200 OK');
});

test('when the server ends, incomplete requests are closed and complete ones are answered', async () => {
  const { calls, untilHeld, answerAll, endUnheard } = await listening(4);
  const asked = await calls(whole);
  await untilHeld(1);
  const [silent, unfinished] = [await calls(''), await calls(half)];
  endUnheard();
  await Promise.all([silent.closed, unfinished.closed]);
  answerAll();
  await expect.poll(asked.said).toContain('200 OK');
});
