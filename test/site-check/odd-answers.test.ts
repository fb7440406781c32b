import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { slowness } from '../../src/site-check/look.ts';
import { impressionIn, type SiteReading } from '../../src/site-check/reading.ts';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { listening } from './listener.ts';

/** Answers that are no page, or an unreadable one: a look at them is never well. */

const first = 'https://shop.example.com/';
type Answer = (socket: Socket, request: string) => void;

async function readingOf(answer: Answer, deadlineMs?: number, must: readonly string[] = []): Promise<SiteReading> {
  const { port } = await listening(answer);
  const check = createSiteCheck({ now: Date.now, instead: { host: '127.0.0.1', port } });
  onTestFinished(check.close);
  return check.read({ addresses: [first], must }, deadlineMs === undefined ? {} : { deadlineMs });
}

const redirect = (to: string): string => `HTTP/1.1 302 X\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`;
const chunked = 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n';
/** Writes the same bytes again and again until the other side leaves. */
const endless =
  (start: string, again: string | Buffer): Answer =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(again), 1);
    socket.once('close', () => clearInterval(timer));
  };
const emptyMembers = Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')));

test('gzip that unpacks to nothing is read no further than a page may be long', async () => {
  const { looks } = await readingOf(endless('HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\n\r\n', emptyMembers));
  expect(looks[0]).toMatchObject({ kind: 'no answer', why: 'answered with more than I read', isOfSite: false });
});

test.concurrent('a site that takes five of the seven seconds for its answers is bad, redirects included', async () => {
  const slow: Answer = (socket, request) => {
    if (!request.startsWith('GET /there')) setTimeout(() => socket.end(redirect('/there')), 3_000);
  };
  const { looks } = await readingOf(slow);
  expect(looks[0]).toMatchObject({ kind: 'no answer', isOfSite: true });
  expect(looks[0]).toHaveProperty('why', expect.stringMatching(/^had not answered after 7\.\d s$/));
}, 20_000);

test.each([
  [7_000, 5_000, true],
  // A slow resolver and a slow handshake, then almost no time for the site.
  [7_000, 400, false],
  [2_700, 2_600, false],
])('of %i ms, the site had %i: bad %s', (ms, answeringMs, isOfSite) => {
  expect(slowness(ms, answeringMs).isOfSite).toBe(isOfSite);
});

test.each<[string, Answer]>([
  ['a flood of 103', endless('', 'HTTP/1.1 103 X\r\nlink: a\r\n\r\n'.repeat(50))],
  ['a flood of 100', endless('', 'HTTP/1.1 100 X\r\n\r\n'.repeat(50))],
  ['one endless header', endless('HTTP/1.1 200 X\r\nx: ', 'y'.repeat(1_000))],
  ['endless trailers', endless(`${chunked}2\r\nab\r\n0\r\n`, `x: ${'y'.repeat(1_000)}\r\n`)],
  ['an endless chunk extension', endless(`${chunked}2;`, 'y'.repeat(1_000))],
  ['gzip without an end or content', endless('HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\n\r\n', emptyMembers)],
  ['HTTP/0.9', (socket) => socket.end('<title>old</title>')],
  ['another protocol', (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')],
])('%s ends with the deadline or before it', async (_, answer) => {
  const began = performance.now();
  const { looks } = await readingOf(answer, 300);
  expect(looks).toMatchObject([{ kind: 'no answer' }, { kind: 'no answer' }]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

const packed = (encoding: string, body: Buffer, status = 200): Answer => {
  const head = `HTTP/1.1 ${status} X\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return (socket) => socket.end(Buffer.concat([Buffer.from(head), body]));
};
const zeros = Buffer.alloc(2 ** 24);

describe('a page compressed in a way that was not asked for was not read', () => {
  test.each([
    ['br', brotliCompressSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['zstd', zstdCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ['gzip, br', brotliCompressSync(gzipSync(zeros))],
  ])('%s with status 200 is unknown, and says so', async (encoding, body) => {
    const reading = await readingOf(packed(encoding, body));
    expect(impressionIn(reading)).toBe('unknown');
    expect(reading.looks[0]).toMatchObject({ status: 200, unread: 'compressed in a way I did not ask for' });
  });

  test('an error of the server is bad however it is compressed; x-gzip is gzip', async () => {
    expect(impressionIn(await readingOf(packed('br', brotliCompressSync('x'), 500)))).toBe('bad');
    const page = await readingOf(packed('X-GZIP', gzipSync('<title>Shop</title>')));
    expect(page.looks[0]).toMatchObject({ title: 'Shop', unread: undefined });
  });
});

test.each([
  ['a space in the name of a header', 'odd name: 1\r\n'],
  ['a control character in a header', 'x: a\u0001b\r\n'],
  ['a byte beyond ASCII in the name of a header', 'x\u00FC: 1\r\n'],
  ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n'],
])('what only a strict reader minds is not called bad: %s', async (_, header) => {
  const reading = await readingOf((socket) =>
    socket.end(Buffer.from(`HTTP/1.1 200 X\r\n${header}\r\nhello`, 'latin1')),
  );
  expect(impressionIn(reading)).toBe('unknown');
  const [look] = reading.looks;
  expect(look?.kind === 'no answer' && look.why).toMatch(/^answered in HTTP that I cannot read \(HPE_/);
});

describe('a text that has to be on a page', () => {
  const page = (text: string, pastCache = text): Answer => {
    return (socket, request) => socket.end(`HTTP/1.1 200 X\r\n\r\n${request.startsWith('GET / ') ? text : pastCache}`);
  };

  test('is missing for visitors, past the cache, or both, and nothing else is said', async () => {
    const reading = await readingOf(page('Checkout', 'Add to cart'), undefined, ['Add to cart', 'Checkout', 'Fine']);
    expect(reading.missing).toEqual([
      { text: 'Add to cart', as: 'visitor' },
      { text: 'Fine', as: 'visitor' },
      { text: 'Checkout', as: 'past the cache' },
      { text: 'Fine', as: 'past the cache' },
    ]);
    expect(impressionIn(reading)).toBe('bad');
  });

  const said = 'Größe & Preis 5 €';
  test.each([
    ['references', '', 'Gr&ouml;&szlig;e&nbsp;&amp; Preis\n  5 &euro;'],
    ['numeric references', '', 'Gr&#246;&#xDF;e &#38; Preis 5 &#8364;'],
    ['raw, as a policy may say it', '', `<b>${said}</b>`],
    ['the character set of the header', 'content-type: text/html; charset=windows-1252\r\n', said],
    ['that of the page', 'content-type: text/html\r\n', `<head><meta charset="windows-1252">${said}`],
    ['one that nobody knows', 'content-type: text/html; charset=klingon\r\n', said],
  ])('is found however it is written: %s', async (how, header, text) => {
    const bytes =
      how.includes('set of') || how.startsWith('that')
        ? Buffer.from(text.replaceAll('€', '\x80'), 'latin1')
        : Buffer.from(text);
    const answer: Answer = (socket) =>
      socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 X\r\n${header}\r\n`), bytes]));
    expect((await readingOf(answer, undefined, [said])).missing).toEqual([]);
  });

  test('is unknown if the page is too long to be read whole', async () => {
    const long = 'x'.repeat(600_000);
    const reading = await readingOf(page(long, `Add to cart${long}`), undefined, ['Add to cart']);
    expect(reading).toMatchObject({
      missing: [],
      looks: [{ unread: 'too long to look for “Add to cart” in all of it' }, { unread: undefined }],
    });
    expect(impressionIn(reading)).toBe('unknown');
    expect(impressionIn(await readingOf(page(long)))).toBe('well');
  });
});

describe('a redirect', () => {
  const to = (location: string, then: Answer): Answer => {
    const head = redirect(location);
    return (socket, request) =>
      /^GET \/(\?\S*)? [^]*^host: shop\./im.test(request) ? socket.end(Buffer.from(head)) : then(socket, request);
  };

  test('that is written in UTF-8 leads where a browser goes', async () => {
    const asked: string[] = [];
    await readingOf(to('/größe/', (socket, request) => (asked.push(request.split(' ')[1] ?? ''), socket.end())));
    expect(asked).toEqual(['/gr%C3%B6%C3%9Fe/', '/gr%C3%B6%C3%9Fe/']);
  });

  test('to another site that gives no real answer names that site', async () => {
    const { looks } = await readingOf(to('https://other.example.com/', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    expect(looks[0]).toMatchObject({
      address: first,
      why: 'redirects to other.example.com, which did not answer in HTTP',
    });
  });
});
