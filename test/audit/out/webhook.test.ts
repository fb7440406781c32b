import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postBatch } from '../../../src/audit/out/webhook.ts';
import type { AuditBatch, DeliveryResult } from '../../../src/audit/audit-out.ts';
import { Secret } from '../../../src/base/secret.ts';
import { selfSigned } from '../../hosting/certificate.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const key = 'webhook-key-of-nobody-0123456789abcdef';
const line = (seq: number) => ({
  seq,
  at: 1_700_000_000_123,
  event: 'asked',
  change: 7,
  actor: 'U01ANA',
  details: '{"reason":"é “quoted” \\u0000 💥"}',
  previous: 'a'.repeat(64),
  hash: `3f9c01ab:${String(seq).padStart(64, '0')}`,
});
const batch: AuditBatch = { installation: '0123456789abcdef', lines: [line(3), line(4)] };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver(key);
});
beforeEach(() => receiver.answerWith());
afterAll(() => receiver.close());

/** Sends it; without `limitMs`, with a limit that no test reaches. */
const post = (what: AuditBatch = batch, limitMs?: number, signal = new AbortController().signal, path = '/in') =>
  postBatch(
    { url: new Secret(`${receiver.url}${path}`), key: new Secret(key), ...(limitMs && { limitMs }) },
    what,
    signal,
  );
const failed = (why: string, lasting: boolean): DeliveryResult => ({
  kind: 'failed',
  why,
  lasting,
  retryAfterMs: undefined,
});

test('a batch arrives whole and signed, and its id is the same only for the same lines', async () => {
  const before = receiver.posts.length;
  const restored = { ...batch, lines: [line(3), { ...line(4), hash: 'b'.repeat(64) }] };
  for (const one of [batch, batch, restored]) expect(await post(one)).toEqual({ kind: 'taken' });
  const [first, again, other] = receiver.posts.slice(before);
  expect(first?.batch).toEqual({ version: 1, ...batch });
  expect([first, again, other].map((one) => one?.isSigned)).toEqual([true, true, true]);
  const ids = [first, again, other].map((one) => String(one?.headers['webhook-id']));
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
  expect(ids[0]).not.toContain('.');
  expect(Math.abs(Number(first?.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
  expect(JSON.stringify(first?.headers)).not.toContain(key);
});

describe('an answer', () => {
  test.each<[string, number, string, DeliveryResult]>([
    ['200 with words', 200, 'thanks', { kind: 'taken' }],
    ['202 with JSON that is none', 202, '{"half', { kind: 'taken' }],
    ['a login page', 200, '<!doctype html><form>', failed('a page answered 200 in its place', true)],
    ['401', 401, '', failed('it answered 401', true)],
    ['403', 403, '<html>', failed('it answered 403', true)],
    ['404', 404, '', failed('it answered 404', true)],
    ['410', 410, '', failed('it answered 410', true)],
    ['413', 413, '', failed('it answered 413', true)],
    ['a redirect', 307, '', failed('it answered 307, and I follow no redirects', true)],
    ['408', 408, '', failed('it answered 408', false)],
    ['429', 429, '', failed('it answered 429', false)],
    ['500', 500, 'secret words', failed('it answered 500', false)],
    ['503', 503, '<html>', failed('it answered 503', false)],
  ])('%s', async (_, status, text, result) => {
    const before = receiver.posts.length;
    receiver.answerWith((response) => response.writeHead(status, { location: `${receiver.url}/other` }).end(text));
    expect(await post()).toEqual(result);
    expect(receiver.posts).toHaveLength(before + 1);
  });

  test('that asks to wait is obeyed', async () => {
    receiver.answerWith((response) => response.writeHead(503, { 'retry-after': '30' }).end());
    expect(await post()).toMatchObject({ lasting: false, retryAfterMs: 30_000 });
    receiver.answerWith((response) => response.writeHead(429, { 'retry-after': 'soon' }).end());
    expect(await post()).toMatchObject({ lasting: false, retryAfterMs: undefined });
  });

  test('that breaks off counts only if its status has arrived', async () => {
    receiver.answerWith((response) => response.socket?.end('HTTP/1.1 20'));
    expect(await post()).toMatchObject({ kind: 'failed', lasting: false });
    receiver.answerWith((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    expect(await post()).toEqual({ kind: 'taken' });
  });

  test('that is an unreadable page is no receipt', async () => {
    const page = { kind: 'failed', why: 'a page answered 200 in its place', lasting: true };
    const type = { 'content-type': 'text/html; charset=utf-8' };
    receiver.answerWith((response) =>
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(gzipSync('<!doctype html><form>')),
    );
    expect(await post()).toMatchObject(page);
    receiver.answerWith((response) => response.writeHead(200, type).flushHeaders());
    expect(await post(batch, 200)).toMatchObject(page);
    receiver.answerWith((response) => response.writeHead(200, type).end());
    expect(await post()).toEqual({ kind: 'taken' });
  });

  test('that never ends is read no further than needed', async () => {
    receiver.answerWith((response) => {
      response.writeHead(200);
      const more = (): void => void (response.writable && response.write('x'.repeat(65_536), more));
      more();
    });
    expect(await post()).toEqual({ kind: 'taken' });
  });

  test('that never comes ends at the limit, or at a stop', async () => {
    receiver.answerWith(() => undefined);
    expect(await post(batch, 50)).toMatchObject({ why: 'it gave no answer within 0.05 s', lasting: false });
    const stop = new AbortController();
    receiver.answerWith(() => stop.abort());
    expect(await post(batch, undefined, stop.signal)).toMatchObject({ kind: 'failed' });
  });
});

test('a receiver that is not there is named by its code, without its address', async () => {
  const away = new Secret('http://127.0.0.1:1/token-in-the-path?token=in-the-query');
  const result = await postBatch({ url: away, key: new Secret(key) }, batch, new AbortController().signal);
  expect(result).toEqual({ kind: 'failed', why: 'the connection failed (ECONNREFUSED)', lasting: false });
});

test('a receiver with an untrusted certificate gets nothing', async () => {
  let requests = 0;
  const server = createServer(selfSigned(), (_, response) => {
    requests += 1;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = new Secret(`https://127.0.0.1:${port}/in`);
  const result = await postBatch({ url, key: new Secret(key) }, batch, new AbortController().signal);
  server.close();
  const why = 'the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)';
  expect(result).toEqual({ kind: 'failed', why, lasting: false });
  expect(requests).toBe(0);
});

test('the query of the address is sent', async () => {
  expect(await post(batch, undefined, undefined, '/in?code=1%2F2')).toEqual({ kind: 'taken' });
});

test('the signature is checked as the documentation shows', async () => {
  expect(await post()).toEqual({ kind: 'taken' });
  const { headers, text } = receiver.posts.at(-1) ?? {};
  const page = readFileSync('docs/audit-trail.md', 'utf8');
  const [, example = ''] = /<!-- example: signature -->\n```js\n([\s\S]*?)```/.exec(page) ?? [];
  const checks = [
    [headers, text, key],
    [headers, `${text} `, key],
    [headers, text, `${key}0`],
    [{ ...headers, 'webhook-timestamp': '1' }, text, key],
    [{}, text, key],
  ];
  const source = `${example}
    console.log(JSON.stringify(${JSON.stringify(checks)}.map((given) => isFromSitehand(...given))));`;
  const shown = execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
  expect(JSON.parse(shown)).toEqual([true, false, false, false, false]);
});
