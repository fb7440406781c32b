import * as fc from 'fast-check';
import { describe, expect, test, afterEach } from 'vitest';
import { createFrameReader, boundConnections, serverOptions } from '../../src/base/connections.ts';
import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

describe('answer bounds', () => {
  const limits = { informational: 8, headBytes: 65_536 };
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n';
  const head = (headers: string): string => `HTTP/1.1 200 OK\r\n${headers}\r\n`;
  const chunk = (text: string): string => `${text.length.toString(16)};x=y\r\n${text}\r\n`;
  const chunked = head('A: b\r\nTRANSFER-Encoding:   chunked\r\n');
  /** Looks like heads and chunks, but is text. */
  const tricky = '\r\n\r\nHTTP/1.1 103 X\r\n\r\n1\r\nx\r\n';

  const read = (text: string, cuts: readonly number[] = []) => {
    const reader = createFrameReader(limits);
    const at = [0, ...cuts.filter((cut) => cut < text.length).toSorted((one, other) => one - other), text.length];
    return at
      .slice(1)
      .map((to, n) => ({ ...reader.read(Buffer.from(text.slice(at[n], to))) }))
      .at(-1);
  };

  describe('the frames of an answer', () => {
    test.each([
      ['nothing yet', '', 0, 0, 0],
      ['a status line', 'HTTP/1.1 200 OK\r\n', 0, 17, 0],
      ['a final answer with a body', `${head('a: b\r\n')}${tricky}`, 0, head('a: b\r\n').length, 0],
      ['two early ones and a final one', early + early + head(''), 2, 2 * early.length + head('').length, 0],
      ['empty lines before a status', `\r\n\r\n${early}`, 1, 4 + early.length, 0],
      ['101, which is final', 'HTTP/1.1 101 X\r\n\r\nHTTP/1.1 103 X\r\n\r\n', 0, 18, 0],
      ['chunks', chunked + chunk(tricky) + chunk('abc'), 0, chunked.length, 2],
      ['all chunks', `${chunked}${chunk('a'.repeat(1_000))}0\r\n\r\n`, 0, chunked.length, 2],
      ['more early ones than allowed, of which the next counts', early.repeat(20), 9, 9 * early.length, 0],
    ])('%s', (_, text, informational, headBytes, chunks) => {
      expect(read(text, [0])).toEqual({ informational, headBytes, chunks });
    });

    test('are the same however the bytes arrive', () => {
      const part = fc.constantFrom(
        early,
        chunked,
        head('a: b\r\n'),
        chunk(tricky),
        chunk('x'),
        '\r\n',
        tricky,
        '0\r\n\r\n',
      );
      fc.assert(
        fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(800), { maxLength: 40 }), (parts, cuts) => {
          expect(read(parts.join(''), cuts)).toEqual(read(parts.join('')));
        }),
      );
    });
  });
});

describe('connections', () => {
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
});
