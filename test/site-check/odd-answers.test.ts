import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { listening } from './listener.ts';

/** Answers that never become a page end with the deadline or before it, and are never well. */

const chunked = 'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n';
/** Writes the same bytes again and again until the other side leaves. */
const endless =
  (first: string, again: string | Buffer) =>
  (socket: Socket): void => {
    socket.write(first);
    const timer = setInterval(() => socket.write(again), 1);
    socket.once('close', () => clearInterval(timer));
  };
const emptyMembers = Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')));

test.each<[string, (socket: Socket) => void]>([
  ['a flood of 103', endless('', 'HTTP/1.1 103 X\r\nlink: a\r\n\r\n'.repeat(50))],
  ['a flood of 100', endless('', 'HTTP/1.1 100 X\r\n\r\n'.repeat(50))],
  ['one endless header', endless('HTTP/1.1 200 X\r\nx: ', 'y'.repeat(1_000))],
  ['endless trailers', endless(`${chunked}2\r\nab\r\n0\r\n`, `x: ${'y'.repeat(1_000)}\r\n`)],
  ['an endless chunk extension', endless(`${chunked}2;`, 'y'.repeat(1_000))],
  ['gzip without an end or content', endless('HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\n\r\n', emptyMembers)],
  ['HTTP/0.9', (socket) => socket.end('<title>old</title>')],
  ['another protocol', (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')],
])('%s', async (_, answer) => {
  const { port } = await listening(answer);
  const check = createSiteCheck({ now: Date.now, instead: { host: '127.0.0.1', port } });
  onTestFinished(check.close);
  const began = performance.now();
  const pages = { addresses: ['https://shop.example.com/'], must: [] };
  const { looks } = await check.read(pages, { deadlineMs: 300 });
  expect(looks).toMatchObject([{ kind: 'no answer' }, { kind: 'no answer' }]);
  expect(performance.now() - began).toBeLessThan(5_000);
});
