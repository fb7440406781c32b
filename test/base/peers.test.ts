import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebClient } from '@slack/web-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { boundAnswers } from '../../src/base/connections.ts';
import { postBatch } from '../../src/audit/destinations.ts';
import type { Client } from '../../src/hosting/client.ts';
import { clearCache } from '../../src/hosting/contract/environment.ts';
import { createSiteCheck } from '../../src/site-check/site-check.ts';
import { boltLogger, clientOptions } from '../../src/slack-api/calls.ts';
import { createEphemeral } from '../../src/slack-api/ephemeral.ts';
import { drawNote } from '../../src/block-kit/blocks.ts';
import { createLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secret.ts';
import { say } from '../../src/words/text.ts';
import { clientOf, http, startHost, uuid } from '../hosting/host.ts';

/** Whatever the other end of a connection of ours does: the same for everybody that we call. */

/** Makes one call there, within `limitMs` if it is given; resolves with what came of it. */
type Call = (origin: string, limitMs?: number) => Promise<unknown>;
type Peer = { readonly name: string; readonly call: Call; readonly good: string; readonly taken: unknown };

const quiet = boltLogger(createLog('silent'));
const json = { 'content-type': 'application/json' };
const host = (origin: string, limitMs = 10_000): Client =>
  clientOf(`${origin}/v2`, { budgets: { reads: { tryMs: limitMs, tries: 1 }, writes: { answerMs: limitMs } } });
const look: Call = async (origin, deadlineMs) => {
  const { hostname, port } = new URL(origin);
  const check = createSiteCheck({ now: Date.now, instead: { host: hostname, port: Number(port) } });
  onTestFinished(check.close);
  const pages = { addresses: ['http://shop.example.com/'], must: [] };
  return (await check.read(pages, deadlineMs === undefined ? {} : { deadlineMs })).looks[0];
};
const slackCall: Call = async (origin, timeout) =>
  new WebClient('xoxb-1', clientOptions(`${origin}/api/`, quiet, timeout ?? 10_000)).auth.test().catch(whole);
/** Slack is asked to post only after the response URL has failed; that is all that can be seen of it. */
const respond: Call = async (origin) => {
  const client = new WebClient('xoxb-1', {
    ...clientOptions(`${origin}/api/`, quiet),
    fetch: () => Promise.reject(new Error('posted instead')),
  });
  const to = { person: 'U01ANA', channel: 'C0ACME', responseUrl: `${origin}/response/1`, since: performance.now() };
  return createEphemeral(client, `${origin}/api/`)(to, drawNote({ text: say`the report` })).then(() => 'taken', whole);
};
/** An error in full, with its causes. */
const whole = (error: unknown): string =>
  error instanceof Error
    ? `${error.message} ${whole(error.cause ?? Reflect.get(error, 'original') ?? '')}`
    : String(error);

const peers: readonly Peer[] = [
  {
    name: 'a site',
    call: look,
    good: http(200, '<title>Shop</title>').toString(),
    taken: { kind: 'answered', title: 'Shop' },
  },
  {
    name: 'the host, for a read',
    call: (origin, limitMs) =>
      host(origin, limitMs)
        .read({ kind: 'read', section: '0', method: 'GET', path: '/thing', reply: z.unknown() })
        .catch(whole),
    good: http(200, '{"a":1}', json).toString(),
    taken: { a: 1 },
  },
  {
    name: 'the host, for a write',
    call: async (origin, limitMs) =>
      (await host(origin, limitMs).open()).write(clearCache({ environment_id: uuid(1) })),
    good: http(202, '{"operation_id":"cache:clear-1"}', json).toString(),
    taken: { kind: 'accepted', operation: 'cache:clear-1' },
  },
  {
    name: 'the receiver of the audit trail',
    call: (origin, limitMs) => {
      const webhook = { url: new Secret(`${origin}/in`), key: new Secret('k'.repeat(32)), ...(limitMs && { limitMs }) };
      return postBatch(webhook, { installation: '0123456789abcdef', lines: [] }, new AbortController().signal);
    },
    good: http(204).toString(),
    taken: { kind: 'taken' },
  },
  {
    name: 'Slack',
    call: slackCall,
    good: http(200, '{"ok":true,"user_id":"U1"}', json).toString(),
    taken: { user_id: 'U1' },
  },
  { name: 'a response URL of Slack', call: respond, good: http(200, 'ok').toString(), taken: 'taken' },
];

const answering = async (answer: (socket: Socket) => void) => {
  const { url, requests } = await startHost(answer);
  return { origin: new URL(url).origin, requests };
};
/** Sends this again and again, for as long as it is taken. */
const pour = (socket: Socket, bytes: string): void => {
  const some = bytes.repeat(Math.ceil(65_536 / bytes.length));
  const more = (): void => {
    while (!socket.destroyed && socket.write(some));
  };
  socket.on('drain', more);
  more();
};

const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n';

describe.each(peers)('$name', ({ call, good, taken, name }) => {
  test.each([
    ['informational answers', '', early],
    ['the shortest informational answers', '', 'HTTP/1.1 102\r\n\r\n'],
    ['empty lines', '', '\r\n'],
    ['headers of an informational answer', 'HTTP/1.1 103 Early\r\n', `a: ${'b'.repeat(100)}\r\n`],
    ['headers', 'HTTP/1.1 200 OK\r\n', `a: ${'b'.repeat(100)}\r\n`],
  ])('that sends %s without end is given up, and not asked again', async (_, begin, again) => {
    const { origin, requests } = await answering((socket) => {
      socket.write(begin);
      pour(socket, again);
    });
    const came = JSON.stringify(await call(origin));
    expect(came).not.toBe(JSON.stringify(taken));
    // A look has two kinds of visitor; a response URL is tried once more without blocks only if it has answered.
    expect(requests.length).toBe(name === 'a site' ? 2 : 1);
    if (name !== 'a response URL of Slack')
      expect(came).toMatch(
        /sent more than|more headers than|not answer in HTTP|UND_ERR_HEADERS_OVERFLOW|Headers Overflow/,
      );
    if (name === 'the host, for a write') expect(came).toContain('"kind":"unknown"');
  });

  test('that sends eight informational answers and then the final one is heard', async () => {
    const { origin } = await answering((socket) => socket.write(early.repeat(8) + good));
    expect({ came: await call(origin) }).toMatchObject({ came: taken });
  });
});

test.each<[string, unknown]>([
  ['a site', { why: 'sent its answer in too many pieces', isOfSite: false }],
  ['the host, for a read', expect.stringContaining('the host sent its answer in too many pieces')],
  ['the host, for a write', { kind: 'accepted', status: 200 }],
  ['the receiver of the audit trail', { kind: 'taken' }],
  ['Slack', expect.stringContaining('sent its answer in too many pieces')],
])('%s that sends its answer byte by byte without end is read no further; its status counts', async (peer, came) => {
  const { origin } = await answering((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    pour(socket, '1\r\nx\r\n');
  });
  const { call } = peers.find(({ name }) => name === peer) ?? {};
  expect({ came: await call?.(origin) }).toMatchObject({ came });
});

// The response URL has Slack's own limit of ten seconds.
describe.each(peers.filter(({ call }) => call !== respond))('$name', ({ call, good, taken }) => {
  test.each([
    ['was frozen until far beyond its limit', 250, 700],
    ['was blocked until just after its limit', 250, 260],
  ])('that has answered is heard by a process that %s', async (_, limitMs, blockedMs) => {
    const { origin } = await answering((socket) => {
      socket.write(good);
      // The answer is in the client's socket, and the limit is over, before the client looks at either.
      block(blockedMs);
    });
    expect({ came: await call(origin, limitMs) }).toMatchObject({ came: taken });
  });
});

/** Blocks this thread, which both ends share. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('each request on one connection may have as many bytes and informational answers again', async () => {
  const { origin, requests } = await answering((socket) =>
    socket.write(early.repeat(8) + http(200, '{"a":1}').toString()),
  );
  const { read } = host(origin);
  for (let at = 0; at < 20; at += 1)
    await read({ kind: 'read', section: '0', method: 'GET', path: '/thing', reply: z.unknown() });
  expect(requests).toHaveLength(20);
});

test.each([
  ['in one chunk with too many', (count: number) => early.repeat(count), 5_000, 0],
  ['as many as may be', (count: number) => early.repeat(count), 8, 8],
])(
  'of the informational answers of a peer, those %s are parsed: none beyond the limit',
  async (_, bytes, sent, parsed) => {
    const { origin } = await answering((socket) => socket.end(bytes(sent)));
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    boundAnswers(socket, 0);
    let heard = 0;
    const asked = request({ createConnection: () => socket, path: '/' }).on('information', () => (heard += 1));
    const ended = once(asked, 'error');
    asked.on('error', () => undefined).end();
    await ended.catch(() => undefined);
    expect(heard).toBe(parsed);
  },
);
