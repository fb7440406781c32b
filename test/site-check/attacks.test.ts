import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectTo, type Resolve } from '../../src/site-check/connect.ts';
import type { Look } from '../../src/site-check/reading.ts';
import { createSiteCheck, type SiteCheckOptions } from '../../src/site-check/site-check.ts';
import { selfSigned } from '../hosting/certificate.ts';
import { listening, portOf, type Listener } from './listener.ts';

/** A check must reach nothing inside, and must stay small and short whatever a site answers. */

const address = 'https://shop.example.com/';
const pages = (...addresses: readonly string[]) => ({ addresses, must: [] });
const check = (options: Partial<SiteCheckOptions>) => {
  const made = createSiteCheck({ now: Date.now, resolve: () => Promise.reject(new Error('not asked')), ...options });
  onTestFinished(made.close);
  return made;
};
const visitor = async (
  options: Partial<SiteCheckOptions>,
  at = address,
  must: readonly string[] = [],
): Promise<Look> => {
  const { looks } = await check(options).read({ addresses: [at], must });
  const [look] = looks;
  if (look === undefined) throw new Error('nothing was looked at');
  return look;
};
/** A look at a server behind `CHECK_CONNECT_TO`. */
const lookAt = async (answer: (socket: Socket, request: string) => void, at = address): Promise<Look> => {
  const { port } = await listening(answer);
  return visitor({ instead: { host: '127.0.0.1', port } }, at);
};
const ok = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;

describe('nothing inside is reached', () => {
  let inner: Listener;
  beforeAll(async () => {
    inner = await listening(() => undefined, true);
  });
  afterAll(() => inner.close());

  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['::1']],
    [['fd00::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['8.8.8.8', '127.0.0.1']],
    [['2130706433']],
    [['0x7f.1']],
  ])('a name that resolves to %j', async (found) => {
    const look = await visitor({ resolve: async () => found });
    expect(look).toMatchObject({ kind: 'not checked', why: 'the name leads into a private network' });
  });

  test('an unknown name, or one for which DNS is silent, is no answer and not the site’s fault', async () => {
    const missing = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    expect(await visitor({ resolve: () => Promise.reject(missing) })).toMatchObject({
      kind: 'no answer',
      why: 'has no address in DNS',
      isOfSite: false,
    });
    expect(await visitor({ resolve: async () => [] })).toMatchObject({ kind: 'no answer', isOfSite: false });
    const began = performance.now();
    const stuck: Resolve = () => new Promise(() => undefined);
    const { looks } = await check({ resolve: stuck }).read(pages(address), { deadlineMs: 200 });
    expect(looks).toMatchObject([{ kind: 'no answer', isOfSite: false }, { kind: 'no answer' }]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('a name is looked up once: the connection goes to what was checked, even if DNS answers differently later', async () => {
    const { port, sockets } = await listening((socket) => socket.end(ok('hello')));
    // `connectTo` never looks up: the name leads to this server only through the given address.
    const socket = await connectTo(
      { name: 'rebound.example.com', isSecure: false },
      port,
      ['127.0.0.1'],
      new AbortController().signal,
    );
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
    expect(sockets.size).toBe(1);
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return asked === 1 ? ['192.0.2.1'] : ['127.0.0.1'];
    };
    expect(await visitor({ resolve: rebinding })).toMatchObject({ kind: 'not checked' });
    // Once for each of the two looks.
    expect(asked).toBe(2);
  });

  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1/',
    'http://[::1]:PORT/',
    'http://2130706433/',
    'http://localhost:PORT/',
    '//0x7f.1:PORT/',
    'file:///etc/passwd',
    'http://a:b@shop.example.com/',
    'http://shop.example.com:PORT/',
    'https:// bad',
  ])('a redirect to %s', async (to) => {
    const location = to.replace('PORT', String(inner.port));
    const look = await lookAt((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(look.kind).toBe('not checked');
    expect(look.kind === 'not checked' && look.why).toMatch(/^it redirects to where I don't go: /);
  });

  test('none of these connected to the listener inside', () => {
    expect(inner.sockets.size).toBe(0);
  });
});

describe('whatever a site answers, it is read within bounds', () => {
  const memory = () => process.memoryUsage().rss;

  test('an endless body is cut at 512 KB', async () => {
    let sent = 0;
    const before = memory();
    const look = await lookAt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n<title>Endless</title>');
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 97))) sent += 65_536;
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    expect(look).toMatchObject({ kind: 'answered', status: 200, title: 'Endless' });
    expect(sent).toBeLessThan(64 * 2 ** 20);
    expect(memory() - before).toBeLessThan(128 * 2 ** 20);
  });

  test('a compressed bomb is cut while it unpacks', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
    const before = memory();
    const look = await lookAt((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    expect(look).toMatchObject({ kind: 'answered', status: 200 });
    expect(memory() - before).toBeLessThan(48 * 2 ** 20);
  });

  test('a body with another or broken compression is not taken for a page', async () => {
    const odd = await lookAt((socket) => socket.end(ok('x', 'content-encoding: br\r\n')));
    expect(odd).toMatchObject({ kind: 'answered', title: undefined, trouble: undefined });
    const broken = await lookAt((socket) => socket.end(ok('not gzip at all', 'content-encoding: gzip\r\n')));
    expect(broken).toMatchObject({ kind: 'no answer', why: 'sent a badly compressed answer' });
  });

  test('10,000 headers are not read', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `x-header-${at}: ${'v'.repeat(50)}\r\n`).join('');
    const look = await lookAt((socket) => socket.end(ok('hello', many)));
    expect(look).toMatchObject({ kind: 'no answer', why: 'answered with more headers than I read', isOfSite: false });
  });

  test('a slow drip of headers or body ends with the deadline', async () => {
    for (const start of ['HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\n\r\n<title>slow']) {
      const { port } = await listening((socket) => {
        socket.write(start);
        const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('x')), 20);
        socket.once('close', () => clearInterval(drip));
      });
      const began = performance.now();
      const { looks } = await check({ instead: { host: '127.0.0.1', port } }).read(pages(address), { deadlineMs: 300 });
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(looks).toMatchObject([{ kind: 'no answer', isOfSite: false }, { kind: 'no answer' }]);
    }
  });

  test('no more than five redirects are followed', async () => {
    const { port, seen } = await listening((socket) =>
      socket.end(`HTTP/1.1 301 Moved\r\nlocation: /${seen.length}\r\ncontent-length: 0\r\n\r\n`),
    );
    const { looks } = await check({ instead: { host: '127.0.0.1', port } }).read(pages(address));
    expect(looks).toMatchObject([{ why: 'redirects more than 5 times', isOfSite: true }, {}]);
    expect(seen).toHaveLength(12);
  });

  test('a server that does not speak HTTP, or closes at once, is bad', async () => {
    expect(await lookAt((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))).toMatchObject({
      why: 'did not answer in HTTP',
    });
    expect(await lookAt((socket) => socket.destroy())).toMatchObject({ kind: 'no answer', isOfSite: true });
  });

  test('a refused connection is bad if others opened in the last day; else it is unknown, because a firewall on the way out refuses too', async () => {
    const { port, close } = await listening((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    const instead = { host: '127.0.0.1', port };
    const [used, unused] = [check({ instead }), check({ instead })];
    await used.read(pages(address));
    await close();
    const refusedTo = async ({ read }: typeof used) => (await read(pages(address))).looks[0];
    expect(await refusedTo(used)).toMatchObject({ why: 'refused the connection', isOfSite: true });
    const unsure = { why: 'refused the connection, or my own network did', isOfSite: false };
    expect(await refusedTo(unused)).toMatchObject(unsure);
    const ticks = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => ticks() + 24 * 3_600_000);
    expect(await refusedTo(used)).toMatchObject(unsure);
  });

  test('looks beyond the limit are not made, and their result says so', async () => {
    let asked = 0;
    const ending = new AbortController();
    const { port, sockets } = await listening(() => {
      asked += 1;
      // A ninth would come before this, with the others.
      if (asked === 8) setTimeout(() => ending.abort(), 100);
    });
    const made = check({ instead: { host: '127.0.0.1', port } });
    const limits = { signal: ending.signal, onBehalfOf: 'U01ANA' };
    const many = Array.from({ length: 30 }, () => made.read(pages(address), limits));
    const looks = (await Promise.all(many)).flatMap((one) => one.looks);
    expect(looks.every((look) => look.kind === 'no answer' && !look.isOfSite)).toBe(true);
    expect(sockets.size).toBe(8);
  });
});

describe('a look', () => {
  test('says what it saw, as a visitor and past the cache, without cookies or credentials', async () => {
    const { port, seen } = await listening((socket, request) => {
      const path = request.split(' ')[1] ?? '';
      if (!path.startsWith('/new'))
        return socket.end(`HTTP/1.1 301 x\r\nlocation: /new${path}\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n`);
      return socket.end(
        ok('<title>Shop</title>Add to cart', path.includes('?') ? 'x-cache: MISS\r\n' : 'x-cache: HIT\r\n'),
      );
    });
    const plan = { addresses: [address], must: ['Add to cart', 'Checkout'] };
    const { looks, missing } = await check({ instead: { host: '127.0.0.1', port } }).read(plan);
    expect(looks).toMatchObject([
      { as: 'visitor', status: 200, finalAddress: 'https://shop.example.com/new/', title: 'Shop', cache: 'HIT' },
      { as: 'past the cache', status: 200, finalAddress: 'https://shop.example.com/new/', cache: 'MISS' },
    ]);
    expect(missing.map(({ text }) => text)).toEqual(['Checkout', 'Checkout']);
    const all = seen.join('\n');
    expect(seen.every((one) => one.startsWith('GET /') && /^host: shop\.example\.com$/im.test(one))).toBe(true);
    expect(all).toMatch(/user-agent: Sitehand/i);
    expect(all).not.toMatch(/^(cookie|authorization):/im);
    expect(seen.filter((one) => /sitehand-check=/.test(one) && /cache-control: no-cache/i.test(one))).toHaveLength(2);
  });

  test('sends the name in TLS, and accepts no certificate for another one', async () => {
    const names: (string | false | null)[] = [];
    const server = createTlsServer(
      { ...certificate, SNICallback: (name, done) => (names.push(name), done(null)) },
      (socket) => socket.end(),
    );
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const port = portOf(server);
    const { signal } = new AbortController();
    const socket = await connectTo({ name: 'shop.example.com', isSecure: true }, port, ['127.0.0.1'], signal);
    socket.destroy();
    const other = connectTo({ name: 'other.example.com', isSecure: true }, port, ['127.0.0.1'], signal);
    await expect(other).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(names).toEqual(['shop.example.com', 'other.example.com']);
  });

  test('readings begin at fixed moments, however long each takes', async () => {
    const { port } = await listening((socket) => setTimeout(() => socket.end(ok('<title>x</title>')), 300));
    const made = check({ instead: { host: '127.0.0.1', port }, everyMs: 400 });
    const first = await made.read(pages(address));
    const { readings, cut } = await made.readOn(pages(address), first);
    expect([readings.length, cut]).toEqual([3, undefined]);
    const span = (readings.at(-1)?.at ?? 0) - first.at;
    // At 400 and 800, but for a clock that is being set. Without waiting it would be 600, from end to start 1,400.
    expect(span).toBeGreaterThan(700);
    expect(span).toBeLessThan(1_390);
  });

  test('a series that gets no place, or too little time, says so', async () => {
    const { port } = await listening((socket) => socket.end(ok('<title>x</title>')));
    const made = check({ instead: { host: '127.0.0.1', port }, everyMs: 60_000 });
    const first = await made.read(pages(address));
    const ending = new AbortController();
    const limits = { onBehalfOf: 'U01ANA', signal: ending.signal };
    const running = Array.from({ length: 4 }, () => made.readOn(pages(address), first, limits));
    expect(await made.readOn(pages(address), first, limits)).toEqual({ readings: [first], cut: 'busy' });
    ending.abort();
    for (const one of await Promise.all(running)) expect(one).toEqual({ readings: [first], cut: 'late' });
  });

  test('a series ends at once when Sitehand stops', async () => {
    const { port } = await listening((socket) => socket.end(ok('<title>x</title>')));
    const made = check({ instead: { host: '127.0.0.1', port }, everyMs: 60_000 });
    const first = await made.read(pages(address));
    const series = made.readOn(pages(address), first);
    made.close();
    expect(await series).toEqual({ readings: [first], cut: 'stopping' });
  });
});

const certificate = selfSigned({ hosts: ['shop.example.com'] });
setDefaultCACertificates([certificate.cert]);
