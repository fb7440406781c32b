import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { boundConnections, serverOptions } from '../../src/base/connections.ts';

const half = 'POST / HTTP/1.1\r\nhost: bot\r\ncontent-length: 8\r\n\r\nhalf';
const whole = 'GET / HTTP/1.1\r\nhost: bot\r\n\r\n';

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

type Caller = { readonly socket: Socket; readonly said: () => string; readonly closed: Promise<unknown> };

/** A server with this many connections. It answers only complete requests, and only when the test says so. */
async function listening(most: number) {
  const held: ServerResponse[] = [];
  let parsed = 0;
  class Counted extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      parsed += 1;
    }
  }
  const server = createServer({ ...serverOptions, IncomingMessage: Counted }, (request, response) => {
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
    const closed = new Promise((resolve) => void socket.once('close', resolve));
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
  return { calls, untilHeld, answerAll, endUnheard, parsed: () => parsed };
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

test.each([
  ['short', whole],
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['that expect something', 'GET / HTTP/1.1\r\nhost: bot\r\nexpect: much\r\n\r\n'],
  ['with a body', 'POST / HTTP/1.1\r\nhost: bot\r\ncontent-length: 4\r\n\r\nbody'],
  ['of version 1.0', 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n'],
])('of two thousand requests %s in one chunk, hardly more are parsed than may wait', async (_, request) => {
  const { calls, parsed } = await listening(4);
  const eager = await calls(request.repeat(Math.min(2_000, Math.floor(65_536 / request.length))));
  await eager.closed;
  expect(parsed()).toBeGreaterThan(4);
  expect(parsed()).toBeLessThanOrEqual(9);
});

test('a body in chunks is refused before any of it is read', async () => {
  const { calls, parsed } = await listening(4);
  const head = 'POST / HTTP/1.1\r\nhost: bot\r\ntransfer-encoding: chunked\r\n\r\n';
  const odd = await calls(`${head}0\r\n\r\n`);
  await odd.closed;
  expect(odd.said()).toBe('HTTP/1.1 411 Length Required\r\nconnection: close\r\n\r\n');
  const eager = await calls(head + '1\r\na\r\n'.repeat(50_000));
  await eager.closed;
  expect(parsed()).toBe(2);
});

test('four requests may wait on one connection, and their answers come in order', async () => {
  const { calls, untilHeld, answerAll } = await listening(4);
  const proxy = await calls(whole.repeat(4));
  for (let round = 0; round < 3; round += 1) {
    await untilHeld(4);
    answerAll();
    await expect.poll(() => proxy.said().match(/200 OK/g)).toHaveLength(4 * (round + 1));
    proxy.socket.write(whole.repeat(4));
  }
  expect(proxy.socket.closed).toBe(false);
});

test('a body of many empty lines arrives as it was sent', async () => {
  const { calls, untilHeld, answerAll } = await listening(4);
  const body = '\r\n\r\n'.repeat(20_000);
  const odd = await calls(`POST / HTTP/1.1\r\nhost: bot\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await untilHeld(1);
  answerAll();
  await expect.poll(odd.said).toContain('200 OK');
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
