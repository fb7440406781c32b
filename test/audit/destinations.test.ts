import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postBatch, appendTo, destinationOf, oneAtATime } from '../../src/audit/destinations.ts';
import type { AuditBatch, DeliveryResult } from '../../src/audit/audit-out.ts';
import { Secret } from '../../src/base/secret.ts';
import { selfSigned } from '../hosting/certificate.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { appendFile, chmod, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('webhook', () => {
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
});

describe('destination', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitehand-audit-out-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const taken = { kind: 'taken' };

  test('a new file is for its owner alone, and a moved one is replaced by a new one', async () => {
    const file = join(folder, 'new.jsonl');
    expect(await appendTo(file, '1\n')).toEqual(taken);
    expect(await appendTo(file, '2\n')).toEqual(taken);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await rename(file, `${file}.1`);
    expect(await appendTo(file, '3\n')).toEqual(taken);
    expect([await readFile(`${file}.1`, 'utf8'), await readFile(file, 'utf8')]).toEqual(['1\n2\n', '3\n']);
  });

  test('an unfinished line is kept and ended, so that only that line is unreadable', async () => {
    const file = join(folder, 'half.jsonl');
    await appendFile(file, '{"seq":1}\n{"seq":2,"de');
    expect(await appendTo(file, '{"seq":2}\n')).toEqual(taken);
    expect(await appendTo(file, '{"seq":3}\n')).toEqual(taken);
    expect(await readFile(file, 'utf8')).toBe('{"seq":1}\n{"seq":2,"de\n{"seq":2}\n{"seq":3}\n');
  });

  test('each line is one JSON object that says what it is', async () => {
    const path = join(folder, 'lines.jsonl');
    const line = { seq: 1, at: 5, event: 'pause', change: null, actor: 'U1', details: '{"a":"\\n"}' };
    const chained = { ...line, previous: '0', hash: '1' };
    const { name, deliver } = destinationOf({ kind: 'file', path });
    const lines = [chained, { ...chained, seq: 2 }];
    expect(name).toBe(path);
    expect(await deliver({ installation: 'i', lines }, new AbortController().signal)).toEqual(taken);
    const written = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(written.map((text): unknown => JSON.parse(text))).toEqual(
      lines.map((one) => ({ audit: 1, installation: 'i', ...one })),
    );
  });

  test('a batch counts as sent once standard output has printed it', () => {
    const source = `import { destinationOf } from ${JSON.stringify(join(process.cwd(), 'src/audit/destinations.ts'))};
    const { deliver } = destinationOf({ kind: 'stdout' });
    process.stderr.write((await deliver({ installation: 'i', lines: [{ seq: 1 }] })).kind);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['{"audit":1,"installation":"i","seq":1}\n', 'taken']);
  });

  test('a destination that cannot be written to is reported with the reason', async () => {
    const failed = (why: string) => ({ kind: 'failed', why, lasting: false });
    expect(await appendTo(join(folder, 'no', 'such'), '1\n')).toEqual(failed("it can't be written (ENOENT)"));
    expect(await appendTo(folder, '1\n')).toEqual(failed('it is not a regular file'));
    expect(await appendTo('/dev/null', '1\n')).toEqual(failed('it is not a regular file'));
  });

  test('a write that does not end counts as failed, and nothing more is written until it has ended', async () => {
    const ended = Promise.withResolvers<{ readonly kind: 'taken' }>();
    const writes: string[] = [];
    const deliver = oneAtATime((text) => (writes.push(text), ended.promise), 50);
    const line = { seq: 1, at: 5, event: 'pause', change: null, actor: 'U1', details: '{}', previous: '0', hash: '1' };
    const batch = { installation: 'i', lines: [line] };
    const late = { kind: 'failed', why: 'a write to it has not ended within 0.05 s', lasting: false };
    expect([await deliver(batch), await deliver(batch)]).toEqual([late, late]);
    expect(writes).toHaveLength(1);
    ended.resolve({ kind: 'taken' });
    await ended.promise;
    expect(await deliver(batch)).toEqual(taken);
    expect(writes).toHaveLength(2);
  });

  test.skipIf(process.getuid?.() !== 0)('if the folder cannot be flushed, nothing of the batch is kept', async () => {
    const drop = await mkdtemp(join(folder, 'drop-'));
    await chmod(folder, 0o711);
    await chmod(drop, 0o733);
    const file = join(drop, 'trail.jsonl');
    // As a user who may write there, but not read the folder.
    const source = `const { appendTo } = await import(${JSON.stringify(join(process.cwd(), 'src/audit/destinations.ts'))});
    process.setuid(65534);
    for (const text of ['1\\n', '1\\n']) console.log((await appendTo(${JSON.stringify(file)}, text)).why);`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
    expect(said).toBe("it can't be written (EACCES)\n".repeat(2));
    expect(await readFile(file, 'utf8')).toBe('');
  });

  test.skipIf(process.platform !== 'linux')(
    'on a full disk nothing of the batch is kept, and writing resumes when there is room',
    async () => {
      const file = join(folder, 'full.jsonl');
      await appendFile(file, '{"seq":1}\n');
      const source = `import { appendTo } from ${JSON.stringify(join(process.cwd(), 'src/audit/destinations.ts'))};
    console.log(JSON.stringify(await appendTo(${JSON.stringify(file)}, '{"seq":2,"details":"{}"}\\n')));`;
      const limited = `prlimit --fsize=16:unlimited "$0" --input-type=module --eval "$1"`;
      expect(
        JSON.parse(execFileSync('/bin/sh', ['-c', limited, process.execPath, source], { encoding: 'utf8' })),
      ).toEqual({
        kind: 'failed',
        why: "it can't be written (EFBIG)",
        lasting: false,
      });
      expect(await readFile(file, 'utf8')).toBe('{"seq":1}\n');
      expect(await appendTo(file, '{"seq":2}\n')).toEqual(taken);
    },
  );
});
