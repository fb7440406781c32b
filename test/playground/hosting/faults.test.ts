import { Agent, request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Faults, type FaultRequest } from '../../../src/playground/hosting/faults.ts';
import { at, call, clearCache, exchange, live, settled, shop, staging, start } from './calling.ts';

const cache = { body: { environment_id: live } };

describe('a fault on the wire', () => {
  /** The bytes that a clear-cache with this fault gets, and whether the cache was cleared. */
  async function broken(fault: FaultRequest): Promise<{ text: string; error?: string; cleared: boolean }> {
    const hosting = await start();
    hosting.faults.add(fault);
    const seen = await exchange(hosting, clearCache(hosting));
    await settled(hosting);
    await hosting.until(() => (hosting.journal.entries()[0]?.state === 'received' ? undefined : true));
    expect(hosting.journal.entries()).toMatchObject([{ fault: fault.kind, section: '4.12' }]);
    return { ...seen, cleared: hosting.world.environment(live).cacheClearedAt !== null };
  }

  test.each([true, false])('reset before the headers, applied: %s', async (applied) => {
    const seen = await broken({ kind: 'reset', at: 'before-headers', applied });
    expect(seen).toEqual({ text: '', error: 'ECONNRESET', cleared: applied });
  });

  test('reset after the status line', async () => {
    const seen = await broken({ kind: 'reset', at: 'after-status-line', applied: true });
    expect(seen).toEqual({ text: 'HTTP/1.1 202 Accepted\r\n', error: 'ECONNRESET', cleared: true });
  });

  test('reset after the headers', async () => {
    const seen = await broken({ kind: 'reset', at: 'after-headers' });
    expect(seen.text).toMatch(/^HTTP\/1\.1 202 [^]*\r\n\r\n$/);
    expect(seen.error).toBe('ECONNRESET');
  });

  test('reset in the middle of the body', async () => {
    const seen = await broken({ kind: 'reset', at: 'mid-body' });
    expect(seen.text).toMatch(/\r\n\r\n\{"message":/);
    expect(seen.error).toBe('ECONNRESET');
    expect(seen.text).not.toContain('}');
  });

  test('a given status with given headers and body', async () => {
    const headers = { 'Retry-After': '7', 'content-type': 'text/plain' };
    const seen = await broken({ kind: 'status', status: 429, headers, text: 'slow down' });
    expect(seen.text).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 7\r\n[^]*slow down/);
    expect(seen.cleared).toBe(false);
  });

  test.each([
    ['JSON', { body: { environment: null } }, '{"environment":null}'],
    ['bytes', { base64: '/wD+' }, 'ÿ\u0000þ'],
    ['nothing', {}, '\r\n\r\n'],
  ])('a body of %s', async (_what, body, shown) => {
    expect((await broken({ kind: 'status', status: 200, ...body })).text).toContain(shown);
  });

  test.each([
    [undefined, '502 Bad Gateway', false],
    [500, '500 Internal Server Error', true],
  ] as const)('a gateway’s page: %s', async (status, title, applied) => {
    const seen = await broken({ kind: 'gateway', ...(status && { status }), applied });
    expect(seen.text).toContain(`HTTP/1.1 ${title}\r\ncontent-type: text/html\r\n`);
    expect(seen.text).toContain(`<h1>${title}</h1>`);
    expect(seen.cleared).toBe(applied);
  });

  test.each([204, 302, 307, 500] as const)('status %i although the request took effect', async (status) => {
    const seen = await broken({ kind: 'status', status, headers: { location: '/elsewhere' }, applied: true });
    expect(seen.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(seen.cleared).toBe(true);
  });

  test('incomplete JSON', async () => {
    const seen = await broken({ kind: 'broken-json', applied: true });
    const body = seen.text.split('\r\n\r\n')[1] ?? '';
    expect(body).toContain('operation_id');
    expect(() => JSON.parse(body.replace(/^\w+\r\n|\r\n0$/g, '')) as unknown).toThrow(SyntaxError);
    expect(seen.cleared).toBe(true);
  });

  test.each([
    ['no-id', '"status":202}'],
    ['null-id', '"operation_id":null'],
    ['empty-id', '"operation_id":""'],
    ['number-id', '"operation_id":42'],
    ['odd-id', '"operation_id":"../'],
    ['no-body', '\r\n\r\n'],
    ['answered-200', 'HTTP/1.1 200 OK'],
  ] as const)('an odd 202: %s', async (shape, shown) => {
    const seen = await broken({ kind: 'odd-202', shape, applied: true });
    expect(seen.text).toContain(shown);
    expect(seen.cleared).toBe(true);
  });

  test('a slow body arrives whole in the end', async () => {
    const seen = await broken({ kind: 'slow-body', everyMs: 1 });
    expect(seen.text).toMatch(/"operation_id":"cache:clear-[\da-f-]{36}"\}$/);
    expect(seen.cleared).toBe(false);
  });

  test('a delay comes before the effect, and changes nothing else', async () => {
    const seen = await broken({ kind: 'delay', ms: 30 });
    expect(seen.text).toMatch(/^HTTP\/1\.1 202 /);
    expect(seen.cleared).toBe(true);
  });
});

test('a hanging request is never answered, and closing ends it', async () => {
  const hosting = await start();
  hosting.faults.add({ kind: 'hang', applied: true });
  const answer = exchange(hosting, clearCache(hosting));
  await hosting.until(() => hosting.world.environment(live).cacheClearedAt ?? undefined);
  expect(hosting.journal.entries()[0]).toMatchObject({ state: 'received', fault: 'hang' });
  await hosting.close();
  expect((await answer).text).toBe('');
});

test.each(['huge-body', 'gzip-bomb'] as const)('a %s has the requested size', async (kind) => {
  const hosting = await start();
  hosting.faults.add({ kind, bytes: 5_000_000 });
  const answer = await fetch(`${hosting.url}/validate`, { headers: { authorization: `Bearer ${hosting.key}` } });
  expect(answer.headers.get('content-encoding')).toBe(kind === 'gzip-bomb' ? 'gzip' : null);
  expect((await answer.text()).length).toBeGreaterThanOrEqual(5_000_000);
});

test('only the ids of the answer are in capitals', async () => {
  const hosting = await start();
  const whole = await call(hosting, 'GET', `/sites?company=${hosting.companyId}&include_environments=true`);
  hosting.faults.add({ kind: 'capital-ids', path: '/sites' });
  const capital = await call(hosting, 'GET', `/sites?company=${hosting.companyId}&include_environments=true`);
  const text = JSON.stringify(whole.body);
  expect(JSON.stringify(capital.body)).toBe(text.replaceAll(/"[\da-f-]{36}"/g, (id) => id.toUpperCase()));
  expect(text).toContain(live);
  hosting.faults.add({ kind: 'capital-ids', applied: true });
  const { body } = await call(hosting, 'POST', '/sites/tools/clear-cache', cache);
  expect(at(body, 'operation_id')).toMatch(/^cache:clear-[\da-f-]{36}$/);
});

test('a client can abandon a huge body, and the next one is served', async () => {
  const hosting = await start();
  hosting.faults.add({ kind: 'huge-body', bytes: 2_000_000_000 });
  const agent = new Agent();
  onTestFinished(() => agent.close());
  const headers = { authorization: `Bearer ${hosting.key}` };
  const { body } = await request(`${hosting.url}/validate`, { dispatcher: agent, headers });
  body.on('error', () => undefined).destroy();
  await hosting.until(() => (hosting.journal.entries()[0]?.state === 'cut' ? true : undefined));
  expect((await call(hosting, 'GET', '/validate')).status).toBe(200);
});

test('a fault that is not applied leaves no trace, not even the backup before a push', async () => {
  const hosting = await start();
  const before = JSON.stringify(hosting.world);
  hosting.faults.add({ kind: 'broken-json' });
  const body = { source_env_id: staging, target_env_id: live };
  await expect(call(hosting, 'PUT', `/sites/${shop}/environments`, { body })).rejects.toThrow(SyntaxError);
  expect(JSON.stringify(hosting.world)).toBe(before);
  expect(hosting.operations.list()).toEqual([]);
});

test('a request without the key is refused even if a fault would apply it', async () => {
  const hosting = await start();
  hosting.faults.add({ kind: 'odd-202', shape: 'no-id', applied: true });
  await call(hosting, 'POST', '/sites/tools/clear-cache', { ...cache, headers: { authorization: 'Bearer no' } });
  expect(hosting.operations.list()).toEqual([]);
});

describe('the requests that a fault affects', () => {
  test.each([
    [{}, true],
    [{ method: 'PUT' }, true],
    [{ method: 'GET' }, false],
    [{ section: '4.9' }, true],
    [{ section: '4.10' }, false],
    [{ path: '/sites/*/environments' }, true],
    [{ path: '/sites/*' }, false],
    [{ path: '/sites/**' }, true],
    [{ path: '/**/environments' }, true],
    [{ path: '/**/domains' }, false],
    [{ path: '/sites/*/environments', method: 'POST' }, false],
  ] as const)('%j: %s', (where, met) => {
    const faults = new Faults();
    faults.add({ kind: 'hang', ...where });
    expect(faults.take('PUT', `/sites/${shop}/environments`, '4.9') !== undefined).toBe(met);
  });

  test('it skips some first, affects the given number, and is removed', () => {
    const faults = new Faults();
    faults.add({ kind: 'status', status: 500, skip: 2, times: 3 });
    const met = Array.from({ length: 7 }, () => faults.take('GET', '/validate', undefined) !== undefined);
    expect(met).toEqual([false, false, true, true, true, false, false]);
    expect(faults.list()).toEqual([]);
  });

  test('a permanent one stays until it is removed', () => {
    const faults = new Faults();
    const { id } = faults.add({ kind: 'hang', times: 'always' });
    for (let turn = 0; turn < 50; turn += 1) expect(faults.take('GET', '/', undefined)?.id).toBe(id);
    expect([faults.remove(id), faults.remove(id)]).toEqual([true, false]);
  });

  test('at most 200 faults are in force', () => {
    const faults = new Faults();
    for (let turn = 0; turn < 200; turn += 1) faults.add({ kind: 'hang' });
    expect(() => faults.add({ kind: 'hang' })).toThrow('at most 200');
  });
});
