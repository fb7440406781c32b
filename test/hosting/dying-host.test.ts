import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postBatch } from '../../src/audit/destinations.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import type { Read } from '../../src/hosting/contract/call.ts';
import { Secret } from '../../src/base/secret.ts';
import { clientOf, startHost, uuid } from './host.ts';

/**
 * A body without a length ends where the connection does. undici throws beyond reach, and so ends the process, if a
 * socket is destroyed without an error and its request is aborted while such a body comes in. vitest fails on such a throw.
 */
const anything: Read<unknown> = { kind: 'read', section: '0', method: 'GET', path: '/thing', reply: z.unknown() };
const heads = [
  'HTTP/1.1 200 X\r\n\r\n',
  'HTTP/1.0 500 X\r\n\r\n',
  'HTTP/1.1 200 X\r\ntransfer-encoding: gzip\r\n\r\n',
  'HTTP/1.1 202 X\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n10000\r\n',
];
const ends: readonly (readonly [string, (socket: Socket) => unknown])[] = [
  ['goes on', (socket) => socket.write('x')],
  ['ends', (socket) => socket.end('x')],
  ['breaks off', (socket) => socket.destroy()],
  ['resets', (socket) => socket.resetAndDestroy()],
];
const cases = heads.flatMap((head) => ends.map(([name, end]) => ({ head, name, end })));

/** Sends the head and `size` bytes, then lets the client stop and the host end in the same moment. */
async function dyingHost(head: string, size: number, end: (socket: Socket) => unknown, stop: () => void) {
  return startHost((socket) => {
    socket.write(head + 'x'.repeat(size), () => {
      stop();
      end(socket);
    });
  });
}

describe.each(cases)('a host that $name in the body after %j', ({ head, end }) => {
  test.each([10, 70_000, 300_000])('%i bytes: no read, write or post ends the process', async (size) => {
    const cancel = new AbortController();
    const read = await dyingHost(head, size, end, () => cancel.abort());
    const reading = clientOf(read.url, { budgets: { reads: { tryMs: 60, bytes: 65_536, tries: 1 } } });
    await expect(reading.read(anything, undefined, cancel.signal)).rejects.toMatchObject({ attempts: 1 });
    await reading.close();

    const written = await dyingHost(head, size, end, () => undefined);
    const writing = clientOf(written.url, { budgets: { writes: { bodyMs: 5 } } });
    const receipt = await (await writing.open()).write(clearCache({ environment_id: uuid(1) }));
    expect(['accepted', 'unknown']).toContain(receipt.kind);
    expect([written.requests.length, written.sockets.length]).toEqual([1, 1]);

    const ending = new AbortController();
    const posted = await dyingHost(head, size, end, () => ending.abort());
    const hook = { url: new Secret(posted.url), key: new Secret('key-of-the-tests'), limitMs: 1_000 };
    await postBatch(hook, { installation: 'a', lines: [] }, ending.signal);
    expect(posted.requests.length).toBeLessThanOrEqual(1);
  });
});
