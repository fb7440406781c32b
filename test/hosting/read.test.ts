import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { excerptBytes, jsonOf, readExcerpt, textOf } from '../../src/hosting/answer.ts';
import { HeldBack, HostTrouble, type Client, type ClientOptions } from '../../src/hosting/client.ts';
import { allThemesIfAllowed, listCompanyThemes } from '../../src/hosting/contract/themes.ts';
import { following, watching, type Read } from '../../src/hosting/contract/call.ts';
import { listFiles, getLogs, getAllowedIps } from '../../src/hosting/contract/environment.ts';
import { getOperation } from '../../src/hosting/contract/sites.ts';
import { clientOf, http, says, startHost, uuid, type Answer } from './host.ts';
import { cpuTime } from '../cpu-time.ts';

const anything: Read<unknown> = { kind: 'read', section: '0', method: 'GET', path: '/thing', reply: z.unknown() };
const env_id = uuid(1);

/** The error of a failed read. */
async function troubleOf(client: Client, call: Read<unknown> = anything): Promise<HostTrouble> {
  const error: unknown = await client.read(call).catch((error: unknown) => error);
  if (!(error instanceof HostTrouble)) throw new Error('there was no trouble', { cause: error });
  // One short line in the log.
  expect(error.stack).toBe(`HostTrouble: ${error.message}`);
  return error;
}

/** Gives these answers in order, and then repeats the last one. */
const inTurn =
  (...answers: readonly Answer[]): Answer =>
  (socket, request, nth) =>
    answers[Math.min(nth, answers.length) - 1]?.(socket, request, nth);

const gzipped = (body: string | Buffer): Buffer => http(200, body, { 'content-encoding': 'gzip' });
const reset: Answer = (socket) => socket.resetAndDestroy();

describe('the connections that all replicas share', () => {
  test.each([
    [1, undefined, 12],
    [3, undefined, 4],
    [5, undefined, 2],
    [100, undefined, 1],
    [1, 'ana', 2],
    [3, 'ana', 1],
    [1, following, 3],
    [2, following, 1],
  ])('of %i, one uses its share for %s: %i', async (replicas, onBehalfOf, most) => {
    const open: Socket[] = [];
    const host = await startHost((socket) => void open.push(socket));
    const client = clientOf(host.url, { replicas: () => replicas });
    const reads = Array.from({ length: 13 }, () => client.read(anything, onBehalfOf));
    let answered = 0;
    while (answered < reads.length) {
      await vi.waitFor(() => expect(open.length).toBeGreaterThan(0));
      expect(open.length).toBeLessThanOrEqual(most);
      if (answered === 0) await vi.waitFor(() => expect(open).toHaveLength(most));
      answered += open.length;
      for (const socket of open.splice(0)) socket.write(http(200, '{}'));
    }
    await Promise.all(reads);
  });

  test('are more at once when another replica has gone', async () => {
    let replicas = 12;
    const open: Socket[] = [];
    const host = await startHost((socket) => void open.push(socket));
    const client = clientOf(host.url, { replicas: () => replicas });
    const reads = Array.from({ length: 5 }, () => client.read(anything));
    await vi.waitFor(() => expect(open).toHaveLength(1));
    replicas = 3;
    open.splice(0)[0]?.write(http(200, '{}'));
    await vi.waitFor(() => expect(open).toHaveLength(4));
    for (const socket of open) socket.write(http(200, '{}'));
    await Promise.all(reads);
  });
});

describe('the requests a minute', () => {
  const forChange = { ...anything, isForChange: true } as const;
  const asked = async (client: Client, times: number, call: Read<unknown>, onBehalfOf?: string) =>
    (
      await Promise.all(
        Array.from({ length: times }, () =>
          client.read(call, onBehalfOf).then(
            () => 'answered',
            ({ kind, status, retryAfterMs }: HostTrouble) => [kind, status, retryAfterMs],
          ),
        ),
      )
    ).filter((answer) => answer !== 'answered');

  test('of 20, reports get 15, reads for changes 3 more, and writes the last', async () => {
    let now = 0;
    const host = await startHost(says(200, {}));
    const client = clientOf(host.url, { requestsPerMinute: 20, ticks: () => now });
    const full = ['no room', undefined, 62_000];
    // One person leaves two to others.
    expect(await asked(client, 40, anything, 'ana')).toEqual(Array.from({ length: 27 }, () => full));
    expect(await asked(client, 2, anything, 'ben')).toEqual([]);
    expect(await asked(client, 1, anything, watching)).toEqual([full]);
    expect(await asked(client, 1, forChange, 'ben')).toEqual([]);
    expect(await asked(client, 1, anything, following)).toEqual([]);
    expect(await asked(client, 3, anything)).toEqual([full, full]);
    expect(host.requests).toHaveLength(18);
    for (const opened of [await client.open(), await client.open()]) opened.abandon();
    await expect(client.open()).rejects.toBeInstanceOf(HeldBack);
    expect(host.requests).toHaveLength(18);
    now = 62_000;
    expect(await asked(client, 13, anything, 'ana')).toEqual([]);
  });

  test('a report waits a short time for room, and a read for a change passes it', async () => {
    let now = 0;
    const host = await startHost(says(200, {}));
    const reads = { forPeople: 1, forEach: 1, forIdle: 0 };
    const client = clientOf(host.url, { requestsPerMinute: 10, ticks: () => now, budgets: { reads } });
    await asked(client, 6, anything, 'ana');
    await asked(client, 1, anything, 'ben');
    now = 61_980;
    const report = client.read(anything, 'ana');
    await client.read(forChange, 'ana');
    expect(host.requests).toHaveLength(8);
    now = 62_000;
    await report;
    expect(host.requests).toHaveLength(9);
  });

  test('a report hears at once that there is no room soon; a read for a change waits for it', async () => {
    let now = 0;
    const host = await startHost(says(200, {}));
    const client = clientOf(host.url, { requestsPerMinute: 1, ticks: () => now });
    await client.read(anything);
    now = 59_000;
    expect(await asked(client, 1, anything, 'ana')).toEqual([['no room', undefined, 3_000]]);
    now = 61_990;
    const waiting = client.read(forChange, 'ana');
    now = 62_000;
    await waiting;
  });

  test('count from when they are sent, not from when they wait for a connection', async () => {
    let now = 0;
    const sockets: Socket[] = [];
    const host = await startHost((socket) => void sockets.push(socket));
    const client = clientOf(host.url, { requestsPerMinute: 4, ticks: () => now, budgets: { reads: { forEach: 1 } } });
    const reads = [client.read(anything, 'ana'), client.read(anything, 'ana')];
    await vi.waitFor(() => expect(sockets).toHaveLength(1));
    now = 30_000;
    sockets[0]?.write(http(200, '{}'));
    await vi.waitFor(() => expect(sockets).toHaveLength(2));
    now = 62_000;
    sockets[1]?.write(http(200, '{}'));
    await Promise.all(reads);
    // The second one is 32 seconds old.
    const more = Promise.all(['ben', 'cai', 'dan'].map((who) => asked(client, 1, anything, who)));
    await vi.waitFor(() => expect(sockets).toHaveLength(4));
    for (const socket of sockets.slice(2)) socket.write(http(200, '{}'));
    expect((await more).flat()).toEqual([['no room', undefined, 30_000]]);
  });

  test('are counted anew for each attempt, and are those of the dialect', async () => {
    const host = await startHost(says(500, {}));
    const client = clientOf(host.url, { dialect: 'kinsta', ticks: () => 0 });
    await asked(client, 40, anything);
    expect(host.requests).toHaveLength(108);
    const free = clientOf(host.url, { ticks: () => 0 });
    await asked(free, 40, anything);
    expect(host.requests).toHaveLength(108 + 120);
  });
});

describe('the request of a read', () => {
  test('path, query and credential', async () => {
    const host = await startHost(says(200, { environment: { container_info: { logs: 'one\n' } } }));
    const call = getLogs({ env_id, file_name: 'error', lines: 5, from: '2026-01-01T00:00:00Z', search: 'a b&c=ü' });
    expect(await clientOf(host.url).read(call)).toBe('one\n');
    expect(host.requests[0]).toMatchObject({
      method: 'GET',
      path: `/v2/sites/environments/${env_id}/logs?file_name=error&lines=5&from=2026-01-01T00%3A00%3A00Z&search=a+b%26c%3D%C3%BC`,
      body: '',
    });
    expect(host.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-of-the-tests',
      'accept-encoding': 'gzip',
    });
    expect(host.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test('a body on a GET', async () => {
    const host = await startHost(says(200, { company: { themes: { total: 0, items: [] } } }));
    await clientOf(host.url).read(listCompanyThemes({ id: uuid(9), limit: 10, status: 'active' }));
    expect(host.requests[0]).toMatchObject({ method: 'GET', body: '{"limit":10,"status":"active"}' });
    expect(host.requests[0]?.headers['content-type']).toBe('application/json');
  });

  test.each([
    ['document', 'service-cache-perf'],
    ['kinsta', 'kinsta-cache-perf'],
  ] as const)('in the dialect %s the third log is %s', async (dialect, name) => {
    const host = await startHost(says(200, { environment: { container_info: { logs: '' } } }));
    const client = clientOf(host.url, { dialect });
    await client.read(getLogs({ env_id, file_name: 'service-cache-perf' }));
    await client.read(getLogs({ env_id, file_name: 'access', search: 'service-cache-perf' }));
    expect(host.requests.map(({ path }) => path.split('?')[1])).toEqual([
      `file_name=${name}`,
      'file_name=access&search=service-cache-perf',
    ]);
  });
});

describe('temporary failures are tried again', () => {
  test.each([
    ['a reset', reset],
    ['an end', (socket) => socket.end()],
    ['a reset in the body', (socket) => socket.end('HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{"')],
    ['408', says(408, {})],
    ['429 without Retry-After', says(429, {})],
    ['429 with a short one', says(429, {}, { 'retry-after': '0' })],
    ['500', says(500, {})],
    ['503', says(503, {})],
  ] satisfies [string, Answer][])('%s', async (_, answer) => {
    const host = await startHost(inTurn(answer, says(200, { fine: true })));
    expect(await clientOf(host.url).read(anything)).toEqual({ fine: true });
    expect(host.requests).toHaveLength(2);
  });

  test('three times in total', async () => {
    const host = await startHost(says(500, { message: 'Error occurred', status: 500 }));
    const trouble = await troubleOf(clientOf(host.url));
    expect(trouble).toMatchObject({ kind: 'server error', status: 500, attempts: 3, words: 'Error occurred' });
    expect(trouble.elapsedMs).toBeGreaterThanOrEqual(2);
    expect(host.requests).toHaveLength(3);
  });

  test('not after its deadline, and not before Retry-After', async () => {
    const host = await startHost(says(429, { message: 'Slow down' }, { 'retry-after': '60' }));
    expect(await troubleOf(clientOf(host.url))).toMatchObject({
      kind: 'throttled',
      status: 429,
      attempts: 1,
      retryAfterMs: 60_000,
      words: 'Slow down',
    });
    expect(host.requests).toHaveLength(1);
  });

  test('with pauses that are random up to a bound that doubles', async () => {
    const host = await startHost(says(500, {}));
    const asked: number[] = [];
    const random = (): number => asked.push(0) && 1;
    const budgets = { reads: { tries: 9, pauseMs: 40, withinMs: 275 } };
    const { attempts } = await troubleOf(clientOf(host.url, { random, budgets }));
    expect(attempts).toBe(3);
    expect(asked).toHaveLength(3);
  });

  test('a host that is down', async () => {
    const host = await startHost(reset);
    await host.close();
    expect(await troubleOf(clientOf(host.url))).toMatchObject({ kind: 'unreachable', status: undefined, attempts: 3 });
    expect(await troubleOf(clientOf(`http://${'a'.repeat(64)}.invalid`))).toMatchObject({ kind: 'unreachable' });
  });
});

describe('permanent failures are not tried again', () => {
  test.each([
    [400, 'bad request'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not found'],
    [409, 'bad request'],
    [418, 'bad request'],
    [302, 'odd answer'],
    [304, 'odd answer'],
  ])('%i is %s', async (status, kind) => {
    const host = await startHost((socket) => socket.write(http(status, '', { location: '/v2/elsewhere' })));
    expect(await troubleOf(clientOf(host.url))).toMatchObject({ kind, status, attempts: 1 });
    expect(host.requests).toHaveLength(1);
  });

  test('a credential that the host echoes stays secret', async () => {
    const host = await startHost(says(401, { message: 'key-of-the-tests is not a key' }));
    expect((await troubleOf(clientOf(host.url))).words).toBe('*** is not a key');
  });
});

describe('a body that means something else than its status says nothing', () => {
  const listed = { environment: { active_container: { sftp_ip_allowlist: [] } } };
  test.each([
    [200, { message: 'It broke', status: 500 }, 'odd answer', 1],
    [200, { message: 'No key', status: '401' }, 'odd answer', 1],
    [200, { message: 'Gone', status: 404 }, 'odd answer', 1],
    [200, { message: 'Could not read', error: true }, 'odd answer', 1],
    [200, { ...listed, message: 'Could not read', error: true }, 'odd answer', 1],
    [404, { message: 'It broke', status: 500 }, 'odd answer', 1],
    [403, { ...listed, message: 'Fine', status: 200 }, 'odd answer', 1],
    [404, { message: 'Gone', status: 404, error: true }, 'not found', 1],
    [403, { message: 'No key', status: 401 }, 'unauthorized', 1],
    [404, { message: 'Gone', status: 7 }, 'not found', 1],
    [503, { message: 'It broke', status: 500 }, 'server error', 3],
  ])('%i with %j: %s', async (status, body, kind, attempts) => {
    const host = await startHost(says(status, body));
    const { message: words } = body;
    const trouble = { kind, status, words, attempts };
    const client = clientOf(host.url);
    expect(await troubleOf(client, getAllowedIps({ env_id }))).toMatchObject(trouble);
    const themes = allThemesIfAllowed(client.read, env_id).catch(() => undefined);
    const isWithheld = status < 500 && kind !== 'odd answer';
    expect(await themes).toEqual(isWithheld ? { withheld: status } : undefined);
  });

  test('the words of a packed error, also of one that broke off', async () => {
    const packed = gzipSync(JSON.stringify({ message: 'No key', data: 'x'.repeat(9) }));
    const headers = { 'content-encoding': 'gzip' };
    const whole = await startHost((socket) => socket.write(http(401, packed, headers)));
    expect(await troubleOf(clientOf(whole.url))).toMatchObject({ words: 'No key · xxxxxxxxx' });
    const part = Readable.from([gzipSync('Too many requests').subarray(0, -4)]);
    expect(await readExcerpt({ headers, body: part })).toBe('Too many requests');
    for (const [encoding, bytes] of [
      ['gzip', gzipSync('x'.repeat(excerptBytes + 1))],
      ['gzip', Buffer.from('{}')],
      ['br', Buffer.from('{}')],
    ] as const)
      expect(await readExcerpt({ headers: { 'content-encoding': encoding }, body: Readable.from([bytes]) })).toBe('');
  });
});

describe('odd answers are bounded and named', () => {
  const bomb = gzipSync(JSON.stringify('0'.repeat(3_000_000)));
  const small: ClientOptions['budgets'] = { reads: { bytes: 1_000_000 } };
  const chunked = 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n';

  test.each([
    ['nothing', 'the answer is not JSON', (socket) => socket.write(http(200))],
    ['204', 'the answer is not JSON', (socket) => socket.write(http(204))],
    ['broken JSON', 'the answer is not JSON', (socket) => socket.write(http(200, '{"a":'))],
    ['HTML', 'the answer is not JSON', (socket) => socket.write(http(200, '<html></html>'))],
    ['a gzip bomb', 'the answer is too large or badly compressed', (socket) => socket.write(gzipped(bomb))],
    ['no gzip', 'the answer is too large or badly compressed', (socket) => socket.write(gzipped('{}'))],
    [
      'brotli',
      'the answer is compressed in an unknown way',
      (socket) => socket.write(http(200, '{}', { 'content-encoding': 'br' })),
    ],
    ['too much', 'the answer is too large', (socket) => socket.write(http(200, JSON.stringify('x'.repeat(1_000_001))))],
    ['no HTTP', 'the host did not answer in HTTP', (socket) => socket.end('SSH-2.0\r\n')],
  ] satisfies [string, string, Answer][])('%s: %s', async (_, message, answer) => {
    const host = await startHost(answer);
    const client = clientOf(host.url, { budgets: small });
    expect(await troubleOf(client)).toMatchObject({ kind: 'odd answer', attempts: 1, message });
    expect(host.requests).toHaveLength(1);
  });

  test.each([
    ['silence', () => undefined],
    ['silence after the headers', (socket) => socket.write(chunked)],
    ['a drip without end', (socket) => drip(socket)],
  ] satisfies [string, Answer][])('%s is a time-out', async (_, answer) => {
    const host = await startHost(answer);
    const client = clientOf(host.url, { budgets: { reads: { tries: 1, silenceMs: 60, tryMs: 120 } } });
    expect(await troubleOf(client)).toMatchObject({ kind: 'time-out', status: undefined });
  });

  function drip(socket: Parameters<Answer>[0]): void {
    socket.write(chunked);
    const timer = setInterval(() => socket.write('1\r\n \r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  }

  test('a tree that is too deep is refused', async () => {
    const depth = 60_000;
    const deep = `{"environment":{"file_list":[${'{"children":['.repeat(depth)}${']}'.repeat(depth)}]}}`;
    const host = await startHost((socket) => socket.write(http(200, deep)));
    const message = 'the answer is not JSON';
    expect(await troubleOf(clientOf(host.url), listFiles({ env_id }))).toMatchObject({ kind: 'odd answer', message });
  });

  test.each(['['.repeat(16_000_000), '{"a":'.repeat(3_000_000), `["\\"[",${'['.repeat(8_000_000)}`])(
    'megabytes of brackets (%#) block nothing',
    (brackets) => {
      const text = Buffer.from(brackets).toString();
      expect(cpuTime(() => expect(jsonOf(text)).toBeUndefined())).toBeLessThan(400);
    },
  );

  test('brackets in strings, and fifty nested folders, are read', () => {
    const words = `"${'[{'.repeat(1_000)} \\"["`;
    expect(jsonOf(`{"a":${words}}`)).toEqual({ a: JSON.parse(words) as unknown });
    expect(jsonOf(`${'['.repeat(100)}${']'.repeat(100)}`)).toBeInstanceOf(Array);
    expect(jsonOf(`${'['.repeat(101)}${']'.repeat(101)}`)).toBeUndefined();
  });

  test.each([
    {},
    [],
    'no',
    null,
    { environment: {} },
    { environment: { active_container: { sftp_ip_allowlist: null } } },
  ])('a malformed allowlist: %j', async (body) => {
    const host = await startHost(says(200, body));
    const trouble = await troubleOf(clientOf(host.url), getAllowedIps({ env_id }));
    expect(trouble).toMatchObject({ kind: 'odd answer', message: 'the answer is not what 4.17 describes' });
  });
});

describe('load', () => {
  test('20,000 long log lines, compressed or not, and bytes that are not text', async () => {
    const logs = `${`${'x'.repeat(400)}\n`.repeat(20_000)}\u001b[31m`;
    const body = Buffer.from(JSON.stringify({ environment: { container_info: { logs } } }));
    body[100] = 0xff;
    const plain: Answer = (socket) => socket.write(http(200, body));
    const zipped: Answer = (socket) => socket.write(gzipped(gzipSync(body)));
    const host = await startHost(inTurn(plain, zipped));
    const client = clientOf(host.url, { budgets: { reads: { silenceMs: 5_000, tryMs: 5_000 } } });
    const call = getLogs({ env_id, file_name: 'access' });
    const [first, second] = [await client.read(call), await client.read(call)];
    expect(first).toHaveLength(logs.length);
    expect(first.includes('\ufffd')).toBe(true);
    expect(second === first).toBe(true);
  });

  test('many at once, on few connections', async () => {
    const host = await startHost(says(200, 1));
    const client = clientOf(host.url, { budgets: { reads: { connections: 3, waiting: 100 } } });
    await Promise.all(Array.from({ length: 60 }, () => client.read(anything)));
    expect(host.requests).toHaveLength(60);
    expect(host.sockets.length).toBeLessThanOrEqual(3);
  });

  test('requests beyond the queue’s limit are refused at once, unsent', async () => {
    const { promise: held, resolve } = Promise.withResolvers<() => void>();
    const one: Answer = (socket) => socket.write(http(200, '1'));
    const host = await startHost(inTurn((...of) => resolve(() => one(...of)), one));
    const reads = { connections: 1, waiting: 1, silenceMs: 5_000, tryMs: 5_000 };
    const client = clientOf(host.url, { budgets: { reads } });
    const first = client.read(anything);
    const second = client.read(anything);
    expect(await troubleOf(client)).toMatchObject({ kind: 'no turn', status: undefined, attempts: 1 });
    (await held)();
    expect(await Promise.all([first, second])).toEqual([1, 1]);
    expect(host.requests).toHaveLength(2);
  });

  test('hanging reads of one person block nobody else, and no reads block running changes', async () => {
    let hanging = 0;
    const host = await startHost((socket, request) => {
      if (request.path.endsWith('hangs')) hanging += 1;
      else socket.write(http(200, '1'));
    });
    const client = clientOf(host.url, { budgets: { reads: { tries: 1, silenceMs: 60_000, tryMs: 60_000 } } });
    const hangs: Read<unknown> = { ...anything, path: '/hangs' };
    const hung = ['a', 'b', 'd'].flatMap((who) =>
      Array.from({ length: 20 }, () => client.read(hangs, who).catch(() => 'closed')),
    );
    // People share six of twelve connections, two each. The last two are for people without any, so a fourth person
    // gets one.
    expect(await client.read(anything)).toBe(1);
    expect(await client.read(anything, 'c')).toBe(1);
    expect(await Promise.all(Array.from({ length: 9 }, () => client.read(anything)))).toEqual(Array(9).fill(1));
    expect(hanging).toBe(5);
    await client.close();
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['closed']));
  });

  test('hanging reads of operations block nobody', async () => {
    const host = await startHost((socket, request) => {
      if (!request.path.endsWith('hangs')) socket.write(http(200, '1'));
    });
    const client = clientOf(host.url, { budgets: { reads: { tries: 1, silenceMs: 60_000, tryMs: 60_000 } } });
    const hangs: Read<unknown> = { ...anything, path: '/hangs' };
    const hung = Array.from({ length: 20 }, () => client.read(hangs, following).catch(() => 'closed'));
    expect(await client.read(anything)).toBe(1);
    expect(await client.read(anything, 'b')).toBe(1);
    await client.close();
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['closed']));
  });

  test('one person’s reads leave connections free for others', async () => {
    const host = await startHost((socket, request) => {
      if (!request.path.endsWith('hangs')) socket.write(http(200, '1'));
    });
    const client = clientOf(host.url, { budgets: { reads: { tries: 1, silenceMs: 60_000, tryMs: 60_000 } } });
    const hangs: Read<unknown> = { ...anything, path: '/hangs' };
    const hung = Array.from({ length: 20 }, () => client.read(hangs, 'a').catch(() => 'closed'));
    expect(await client.read(anything, 'b')).toBe(1);
    await client.close();
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['closed']));
  });

  test.each([
    ['plain', 2_000_000, 1],
    ['plain', 900_000, 0],
    ['gzip', 2_000_000, 1],
    ['gzip', 40_000, 0],
  ] as const)('%s of %d letters is long %d times', async (encoding, letters, times) => {
    const text = JSON.stringify(randomBytes(letters / 2).toString('hex'));
    const bytes = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text);
    const parts = Array.from({ length: 20 }, (_, at) =>
      bytes.subarray((at * bytes.length) / 20, ((at + 1) * bytes.length) / 20),
    );
    let long = 0;
    const headers = encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {};
    const read = await textOf({ headers, body: Readable.from(parts) }, 16e6, async () => void (long += 1));
    expect(read === text).toBe(true);
    expect(long).toBe(times);
  });

  test('long answers are received two at a time, short ones in parallel', async () => {
    // More than the kernel buffers for both ends, so that a write ends only when the other end reads.
    const long = http(200, JSON.stringify('x'.repeat(15_000_000)));
    const taken: string[] = [];
    const ends = new Map<string, () => void>();
    const waiters = new Set<() => void>();
    const host = await startHost((socket, { path }) => {
      if (!path.endsWith('long')) return void socket.write(http(200, '1'));
      const name = path.slice(-'a-long'.length);
      ends.set(name, () => socket.write(long.slice(-1)));
      socket.write(long.slice(0, -1), () => {
        taken.push(name);
        for (const tell of waiters) tell();
      });
    });
    const takenBy = async (count: number): Promise<void> => {
      while (taken.length < count) await new Promise<void>((resolve) => void waiters.add(resolve));
    };
    const client = clientOf(host.url);
    const read = (name: string): Promise<unknown> => client.read({ ...anything, path: `/${name}` }, name);
    const two = ['a-long', 'b-long'].map(read);
    await takenBy(2);
    const third = read('c-long');
    for (let count = 0; count < 20; count += 1) expect(await client.read(anything)).toBe(1);
    expect(taken).toHaveLength(2);
    for (const end of ends.values()) end();
    await Promise.all(two);
    await takenBy(3);
    ends.get('c-long')?.();
    expect(String(await third)).toHaveLength(15_000_000);
  });

  test('waiting too long for a turn is an error', async () => {
    const host = await startHost(() => undefined);
    const client = clientOf(host.url, { budgets: { reads: { connections: 1, waitMs: 20, silenceMs: 150, tries: 1 } } });
    const first = troubleOf(client);
    expect(await troubleOf(client)).toMatchObject({ kind: 'no turn', message: 'no turn came in time' });
    expect(await first).toMatchObject({ kind: 'time-out' });
  });
});

describe('operations', () => {
  const asked = getOperation({ operation_id: 'cache:clear-1/2' });
  test.each([
    [200, { message: 'Done', status: 200 }, 'finished'],
    [200, { message: 'Done', status: 200, data: { any: 5 } }, 'finished'],
    [200, { message: 'Done', status: '200' }, 'finished'],
    [200, { message: 'Going on', status: 202 }, 'running'],
    [202, { message: 'Going on', status: 202 }, 'running'],
    [404, { message: 'Which?', status: 404, data: null }, 'not known'],
    [500, { message: 'It broke', status: 500 }, 'failed'],
  ])('%i with %j is %s', async (status, body, state) => {
    const host = await startHost(says(status, body));
    expect(await clientOf(host.url).read(asked)).toEqual({ state, message: body.message });
    expect(host.requests).toHaveLength(1);
    expect(host.requests[0]?.path).toBe('/v2/operations/cache%3Aclear-1%2F2');
  });

  test.each<[number, unknown]>([
    [200, 'no object'],
    [200, {}],
    [200, { result: null }],
    [200, { message: 'Welcome to the airport', status: 'ok' }],
    [200, { message: 'Moved', status: 302 }],
    [200, { message: 'Could not finish', status: 200, error: true }],
    [200, { message: 'It broke', status: 500 }],
    [200, { message: 'Which?', status: 404 }],
    [404, { message: 'Going on', status: 202 }],
    [202, { status: 202 }],
    [404, { status: 404 }],
    [404, { message: 'no Route matched with those values' }],
    [500, { message: 'Internal server error' }],
    [500, { message: 'upstream', status: 502 }],
    [500, { status: 200 }],
    [500, { error: { message: 'x', status: 500 } }],
    [500, [{ message: 'x', status: 500 }]],
  ])('%i with %j says nothing about an operation', async (status, body) => {
    const host = await startHost(says(status, body));
    expect(await troubleOf(clientOf(host.url), asked)).toMatchObject({ kind: 'odd answer', status, attempts: 1 });
  });

  test.each([200, 202, 404, 500])('a gateway’s page with %i says nothing about an operation', async (status) => {
    const host = await startHost((socket) => socket.write(http(status, '<h1>nginx</h1>')));
    expect(await troubleOf(clientOf(host.url), asked)).toMatchObject({ kind: 'odd answer', status });
  });

  test('a bad gateway is counted as trouble', async () => {
    const host = await startHost(says(502, { message: 'x', status: 500 }));
    expect(await troubleOf(clientOf(host.url), asked)).toMatchObject({ kind: 'server error', status: 502 });
  });
});

describe('other behaviour of the client', () => {
  test('each call is observed once, however often it is tried', async () => {
    const host = await startHost(inTurn(says(500, {}), says(200, 1), says(404, {})));
    const seen: string[] = [];
    const client = clientOf(host.url, {
      onCall: ({ section, outcome, ms }) => seen.push(`${section} ${outcome} ${ms >= 0}`),
    });
    await client.read(anything);
    await troubleOf(client);
    expect(seen).toEqual(['0 answered true', '0 not found true']);
  });

  test('closing ends current and later reads', async () => {
    const asked = Promise.withResolvers<void>();
    const host = await startHost(() => asked.resolve());
    const client = clientOf(host.url, { budgets: { reads: { silenceMs: 60_000, tryMs: 60_000 } } });
    const trouble = troubleOf(client);
    await asked.promise;
    await client.close();
    expect(await trouble).toMatchObject({ kind: 'unreachable', attempts: 1 });
    expect(await troubleOf(client)).toMatchObject({ kind: 'unreachable', attempts: 1 });
  });

  test('a cancelled read ends at once and is not tried again; one that waits for its turn is never sent', async () => {
    const asked = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<void>();
    let requests = 0;
    const host = await startHost((socket) => {
      requests += 1;
      socket.once('close', cut.resolve);
      asked.resolve();
    });
    const client = clientOf(host.url, {
      replicas: () => 2,
      budgets: { reads: { silenceMs: 60_000, tryMs: 60_000 } },
    });
    const cancel = new AbortController();
    const reads = Promise.allSettled([1, 2].map(() => client.read(anything, 'ana', cancel.signal)));
    await asked.promise;
    cancel.abort();
    await cut.promise;
    const trouble = { status: 'rejected', reason: { kind: 'time-out', attempts: 1 } };
    expect(await reads).toMatchObject([trouble, trouble]);
    expect(requests).toBe(1);
    await client.close();
  });

  test.each(['ftp://example.com/v2', 'example.com', ''])('an invalid address: %j', (url) => {
    expect(() => clientOf(url)).toThrow(TypeError);
  });
});
