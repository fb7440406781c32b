import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { setDefaultCACertificates, getCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Receipt, type Unsent, NotSent } from '../../src/hosting/client.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import type { Write } from '../../src/hosting/contract/call.ts';
import { addDomain } from '../../src/hosting/contract/domains.ts';
import { deleteEnvironment } from '../../src/hosting/contract/sites.ts';
import { Secret } from '../../src/base/secret.ts';
import { selfSigned } from './certificate.ts';
import { clientOf, http, portOf, says, startHost, uuid, type Answer } from './host.ts';

const call = clearCache({ environment_id: uuid(1) });
const accepted = { kind: 'accepted', status: 202 };
const acknowledged = '{"message":"Begun","status":202,"operation_id":"cache:clear-1"}';

type Sending = { readonly write?: Write; readonly answerMs?: number };

async function send(url: string, { write = call, answerMs = 10_000 }: Sending = {}): Promise<Receipt | Unsent> {
  const client = clientOf(url, { budgets: { writes: { answerMs } } });
  const opened = await client.open();
  const receipt = await opened.write(write);
  await client.close();
  return receipt;
}

/** The head of an answer that announces more bytes than follow. */
const head = (status: number, headers = 'content-length: 1000'): string => `HTTP/1.1 ${status} X\r\n${headers}\r\n\r\n`;

describe('one write is one request on one connection, whatever the host does', () => {
  const cases: readonly (readonly [string, Answer, object])[] = [
    ['202', says(202, JSON.parse(acknowledged)), { ...accepted, operation: 'cache:clear-1' }],
    ['200 done at once', says(200, { result: null }), { kind: 'accepted', status: 200, immediate: true }],
    [
      '202 with broken JSON',
      (socket) => socket.write(http(202, '{"operation_id":')),
      { ...accepted, immediate: false, isUnread: true },
    ],
    ['202 without a body', (socket) => socket.write(http(202)), { ...accepted, immediate: false }],
    ['201', (socket) => socket.write(http(201)), { kind: 'accepted', status: 201 }],
    ['204', (socket) => socket.write(http(204)), { kind: 'accepted', status: 204 }],
    ['302', (socket) => socket.write(http(302, '', { location: '/v2/elsewhere' })), { kind: 'unknown', status: 302 }],
    ['307', (socket) => socket.write(http(307, '', { location: '/v2/elsewhere' })), { kind: 'unknown', status: 307 }],
    ['418', (socket) => socket.write(http(418)), { kind: 'rejected', status: 418 }],
    [
      '429',
      (socket) => socket.write(http(429, '', { 'retry-after': '7' })),
      { kind: 'throttled', retryAfterMs: 7_000 },
    ],
    ['503', (socket) => socket.write(http(503)), { kind: 'unknown', why: 'the host answered 503' }],
    ['100, then 202', (socket) => socket.write(`HTTP/1.1 103 Early\r\n\r\n${http(202).toString()}`), accepted],
    [
      '101',
      (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      { kind: 'unknown' },
    ],
    [
      'a reset',
      (socket) => socket.resetAndDestroy(),
      { kind: 'unknown', why: 'the connection was reset before a whole answer' },
    ],
    ['an end', (socket) => socket.end(), { kind: 'unknown', why: 'the connection was closed before a whole answer' }],
    [
      'a reset after the status line',
      (socket) => reset(socket, 'HTTP/1.1 202 X\r\n'),
      {
        kind: 'unknown',
        status: 202,
        why: 'the host began to answer 202, but the connection was reset before a whole answer',
      },
    ],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20'), { kind: 'unknown' }],
    ['an end after the headers', (socket) => socket.end(head(202)), accepted],
    ['an end in the body', (socket) => socket.end(`${head(202)}{"oper`), accepted],
    ['a body that never ends', (socket) => socket.write(`${head(202)}{"oper`), accepted],
    ['a body that never ends, refused', (socket) => socket.write(head(403)), { kind: 'rejected', status: 403 }],
    ['an endless body', (socket) => pour(socket, head(202, 'transfer-encoding: chunked')), accepted],
    ['a gzip bomb', (socket) => socket.write(http(202, bomb, { 'content-encoding': 'gzip' })), accepted],
    [
      'no HTTP at all',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      { kind: 'unknown', why: 'the host did not answer in HTTP' },
    ],
    [
      'an HTTP/2 GOAWAY',
      (socket) => socket.end(Buffer.from('000008070000000000000000000000000b', 'hex')),
      { kind: 'unknown' },
    ],
    ['monstrous headers', (socket) => socket.end(head(202, `x: ${'y'.repeat(100_000)}`)), { kind: 'unknown' }],
    ['two answers', (socket) => socket.write(Buffer.concat([http(202, acknowledged), http(500)])), accepted],
  ];

  test.each(cases)('%s', async (_, answer, expected) => {
    const host = await startHost(answer);
    expect(await send(host.url)).toMatchObject(expected);
    expect(host.requests).toHaveLength(1);
    expect(host.sockets).toHaveLength(1);
  });

  test('silence', async () => {
    const host = await startHost(() => undefined);
    expect(await send(host.url, { answerMs: 150 })).toMatchObject({
      kind: 'unknown',
      why: 'the host gave no answer within 0.2 s',
    });
    expect([host.requests.length, host.sockets.length]).toEqual([1, 1]);
  });

  test('any status', async () => {
    const host = await startHost((socket, _, nth) => socket.write(http(199 + nth)));
    for (let status = 200; status < 600; status += 1) {
      const receipt = await send(host.url);
      expect('status' in receipt ? receipt.status : receipt.kind).toBe(status === 429 ? 'throttled' : status);
      expect(host.requests).toHaveLength(status - 199);
      expect(host.sockets).toHaveLength(status - 199);
    }
  });

  test('any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('', head(202), head(500)),
        async (bytes, begin) => {
          const host = await startHost((socket) => socket.end(Buffer.concat([Buffer.from(begin), bytes])));
          const { kind } = await send(host.url);
          // A gateway's page says nothing about the write, whatever its status.
          const isPage = /^\s*</.test(Buffer.from(bytes).toString());
          expect(kind).toBe(begin === head(202) && !isPage ? 'accepted' : 'unknown');
          expect(host.requests).toHaveLength(1);
          expect(host.sockets).toHaveLength(1);
          await host.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const reset = (socket: Parameters<Answer>[0], first: string): void => {
    socket.write(first, () => socket.resetAndDestroy());
  };
  const pour = (socket: Parameters<Answer>[0], first: string): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`));
    };
    socket.write(first);
    socket.on('drain', more);
    more();
  };
});

test('the body is awaited for a shorter time than the status', async () => {
  const host = await startHost((socket) => socket.write(head(202)));
  const times: number[] = [];
  const budgets = { writes: { answerMs: 5_000, bodyMs: 50 } };
  const client = clientOf(host.url, { budgets, onCall: ({ ms }) => times.push(ms) });
  expect(await (await client.open()).write(call)).toMatchObject(accepted);
  expect(times).toHaveLength(1);
  expect(times[0]).toBeLessThan(2_500);
});

describe('the sent request', () => {
  test('a body is sent as it was pinned, with the credential and its type', async () => {
    const host = await startHost(says(202, {}));
    await send(host.url);
    expect(host.requests[0]).toMatchObject({ method: 'POST', path: '/v2/sites/tools/clear-cache' });
    expect(host.requests[0]?.body).toBe(JSON.stringify(call.body));
    expect(host.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-of-the-tests',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
    });
  });

  test('a call without a body sends none', async () => {
    const host = await startHost(says(202, {}));
    await send(host.url, { write: deleteEnvironment({ env_id: uuid(3) }) });
    expect(host.requests[0]).toMatchObject({ method: 'DELETE', path: `/v2/sites/environments/${uuid(3)}`, body: '' });
    expect(host.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test('each write has its own connection, although the host would keep connections open', async () => {
    const host = await startHost(says(202, {}, { connection: 'keep-alive' }));
    const client = clientOf(host.url);
    for (const _ of [1, 2, 3]) await (await client.open()).write(call);
    expect(host.requests).toHaveLength(3);
    expect(host.sockets).toHaveLength(3);
  });

  test('secrets are filled in just before sending, if they are the approved ones', async () => {
    const host = await startHost(says(202, {}));
    const [key, cert] = [new Secret('key-of-the-shop'), new Secret('cert-of-the-shop')];
    const domain = addDomain({
      env_id: uuid(1),
      domain_name: 'example.com',
      custom_ssl_key: { $secret: 'shop.key', sha256: key.digest() },
      custom_ssl_cert: { $secret: 'shop.pem', sha256: cert.digest() },
    });
    const kept = new Map([
      ['shop.key', key],
      ['shop.pem', cert],
    ]);
    const client = clientOf(host.url, { secrets: (name) => kept.get(name) });
    await (await client.open()).write(domain);
    expect(JSON.parse(host.requests[0]?.body ?? '')).toEqual({
      domain_name: 'example.com',
      custom_ssl_key: 'key-of-the-shop',
      custom_ssl_cert: 'cert-of-the-shop',
    });
    kept.set('shop.pem', new Secret('cert-of-another-shop'));
    expect(await (await client.open()).write(domain)).toEqual({
      kind: 'not sent',
      why: 'the secret shop.pem is not the one that was approved',
    });
    kept.delete('shop.key');
    expect(await (await client.open()).write(domain)).toEqual({
      kind: 'not sent',
      why: 'the secret shop.key is missing',
    });
    expect(host.requests).toHaveLength(1);
  });
});

describe('requests that were certainly not sent', () => {
  test('a connection sends nothing before the write, and is used once', async () => {
    const host = await startHost(says(202, {}));
    const opened = await clientOf(host.url).open();
    expect(host.requests).toHaveLength(0);
    expect(await opened.write(call)).toMatchObject(accepted);
    expect(await opened.write(call)).toEqual({ kind: 'not sent', why: 'its connection was already used' });
    expect(host.requests).toHaveLength(1);
  });

  test('an abandoned connection closes without writing', async () => {
    const gone = Promise.withResolvers<void>();
    const host = await startHost(says(202, {}), { onConnection: (socket) => socket.on('close', () => gone.resolve()) });
    const opened = await clientOf(host.url).open();
    opened.abandon();
    await gone.promise;
    expect(await opened.write(call)).toMatchObject({ kind: 'not sent' });
    expect(host.requests).toHaveLength(0);
  });

  test.each([
    ['ends', (socket: Parameters<Answer>[0]) => socket.end()],
    ['resets', (socket: Parameters<Answer>[0]) => socket.resetAndDestroy()],
  ])('the host %s it before anything is written', async (_, leave) => {
    const gone = Promise.withResolvers<void>();
    const host = await startHost(says(202, {}), {
      onConnection: (socket) => {
        socket.on('close', () => gone.resolve());
        setImmediate(leave, socket);
      },
    });
    const client = clientOf(host.url);
    const opened = await client.open();
    await gone.promise;
    await client.read({ ...ping, section: 'a round trip later' }).catch(() => undefined);
    expect(await opened.write(call)).toEqual({
      kind: 'not sent',
      why: 'the host closed the connection before anything was sent',
    });
    expect(host.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  test('data before the request is not an answer', async () => {
    const host = await startHost(says(200, {}), { onConnection: (socket) => socket.write(http(202, acknowledged)) });
    const client = clientOf(host.url);
    const opened = await client.open();
    await client.read(ping).catch(() => undefined);
    expect(await opened.write(call)).toMatchObject({ kind: 'not sent' });
    expect(host.requests.filter(({ method }) => method === 'POST')).toHaveLength(0);
  });

  const ping = { kind: 'read', section: '0', method: 'GET', path: '/ping', reply: z.unknown() } as const;

  const refusals: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    ['no server listens', closedPort, /^The host refused the connection\.$/],
    ['the name does not exist', async () => `http://${'a'.repeat(64)}.invalid/v2`, /name could not be looked up/],
    [
      'the certificate is self-signed',
      async () => (await startHost(says(202, {}), { tls: mine })).url,
      /certificate is not valid/,
    ],
    [
      'TLS is never answered',
      async () => (await silent()).replace('http', 'https'),
      /the connection to the host took too long/i,
    ],
    [
      'it speaks no TLS',
      async () =>
        (await startHost(() => undefined, { onConnection: (socket) => void socket.end('?') })).url.replace(
          'http',
          'https',
        ),
      /./,
    ],
  ];
  const mine = selfSigned();

  test.each(refusals)('%s', async (_, url, message) => {
    const observed: string[] = [];
    const client = clientOf(await url(), {
      budgets: { writes: { connectMs: 300 } },
      onCall: ({ section, outcome }) => observed.push(`${section} ${outcome}`),
    });
    const error: unknown = await client.open().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(NotSent);
    expect(error).toHaveProperty('message', expect.stringMatching(message));
    expect(observed).toEqual(['connection not sent']);
  });
});

describe('over TLS', () => {
  const mine = selfSigned();

  test('a host that offers HTTP/2 gets one HTTP/1.1 request', async () => {
    setDefaultCACertificates([...getCACertificates('default'), mine.cert]);
    const host = await startHost(says(202, JSON.parse(acknowledged)), {
      tls: { ...mine, ALPNProtocols: ['h2', 'http/1.1'] },
    });
    expect(await send(host.url)).toMatchObject({ ...accepted, operation: 'cache:clear-1' });
    expect(host.requests).toHaveLength(1);
    expect(host.sockets).toHaveLength(1);
  });

  test('a host that supports only HTTP/2 gets no request', async () => {
    const streams: unknown[] = [];
    const server = createHttp2Server().on('stream', (stream) => streams.push(stream));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const receipt = await send(`http://127.0.0.1:${portOf(server.address())}/v2`);
    expect(receipt.kind).toBe('unknown');
    expect(streams).toEqual([]);
  });
});

describe('closing', () => {
  test('waits for a running write and closes idle connections', async () => {
    const asked = Promise.withResolvers<() => void>();
    const host = await startHost((socket) => asked.resolve(() => socket.write(http(202, acknowledged))));
    const client = clientOf(host.url, { budgets: { writes: { answerMs: 5_000 } } });
    const idle = await client.open();
    const receipt = (await client.open()).write(call);
    const answer = await asked.promise;
    const order: string[] = [];
    void receipt.then(() => order.push('answered'));
    const closed = client.close().then(() => order.push('closed'));
    answer();
    await closed;
    expect(order).toEqual(['answered', 'closed']);
    expect(await receipt).toMatchObject(accepted);
    expect(await idle.write(call)).toMatchObject({ kind: 'not sent' });
    expect(host.requests).toHaveLength(1);
  });

  test('an error in the metrics callback changes nothing', async () => {
    const host = await startHost(says(202, {}));
    const client = clientOf(host.url, {
      onCall: () => {
        throw new Error('no such label');
      },
    });
    expect(await (await client.open()).write(call)).toMatchObject(accepted);
  });
});

async function closedPort(): Promise<string> {
  const host = await startHost(() => undefined);
  await host.close();
  return host.url;
}

async function silent(): Promise<string> {
  const host = await startHost(() => undefined);
  return host.url;
}
