import { expect, test } from 'vitest';
import type { HostingStandIn } from '../../../src/playground/hosting/server.ts';
import { at, call, live, settled, start } from './calling.ts';

const pull = (hosting: HostingStandIn, method: string, address: string, body?: unknown) => {
  const [path = '', query = ''] = address.split('?');
  return hosting.control({ method, path, query: new URLSearchParams(query), body });
};

test('lists and clears the journal', async () => {
  const hosting = await start();
  for (let turn = 0; turn < 4; turn += 1) await call(hosting, 'GET', '/validate');
  const listed = await pull(hosting, 'GET', '/journal?after=1&limit=2');
  expect(listed).toMatchObject({ status: 200, body: [{ seq: 2 }, { seq: 3 }] });
  await pull(hosting, 'DELETE', '/journal');
  expect(await pull(hosting, 'GET', '/journal')).toEqual({ status: 200, body: [] });
});

test('puts faults in force and ends them', async () => {
  const hosting = await start();
  const fault = { kind: 'status', status: 503, path: '/validate', times: 2 };
  expect(await pull(hosting, 'POST', '/faults', fault)).toMatchObject({
    status: 200,
    body: { ...fault, id: 1, met: 0 },
  });
  expect((await fetch(`${hosting.url}/validate`)).status).toBe(503);
  expect(await pull(hosting, 'GET', '/faults')).toMatchObject({ body: [{ id: 1, met: 1 }] });
  expect(await pull(hosting, 'DELETE', '/faults?id=1')).toEqual({ status: 200, body: { removed: true } });
  expect(await pull(hosting, 'DELETE', '/faults')).toEqual({ status: 200, body: { removed: false } });
  expect((await call(hosting, 'GET', '/validate')).status).toBe(200);
});

test('decides how long operations take and how they end', async () => {
  const hosting = await start();
  const next = [{ kind: 'cache:clear', outcome: 'fail' }];
  const set = await pull(hosting, 'POST', '/operations', { durations: { 'cache:clear': 2 }, notKnownFor: 5, next });
  expect(set).toMatchObject({ body: { durations: { 'cache:clear': 2 }, notKnownFor: 5, next, operations: [] } });
  await call(hosting, 'POST', '/sites/tools/clear-cache', { body: { environment_id: live } });
  await settled(hosting);
  expect(await pull(hosting, 'GET', '/operations')).toMatchObject({
    body: { next: [], operations: [{ state: 'failed' }] },
  });
});

test('switches endpoints beyond the document', async () => {
  const hosting = await start();
  expect(await pull(hosting, 'POST', '/optional', { validate: false })).toMatchObject({
    body: { validate: false, sites: true },
  });
  expect((await call(hosting, 'GET', '/validate')).status).toBe(404);
  await pull(hosting, 'POST', '/optional', { validate: true });
  expect((await call(hosting, 'GET', '/validate')).status).toBe(200);
});

test('shows the world', async () => {
  const hosting = await start();
  const all = await pull(hosting, 'GET', '/state');
  expect(at(all, 'body', 'sites')).toHaveLength(6);
  expect(await pull(hosting, 'GET', '/state?environment=acme-shop/live')).toMatchObject({
    body: { id: live, images: 'off' },
  });
  expect(at(await pull(hosting, 'GET', '/endpoints'), 'body')).toHaveLength(29);
});

test.each([
  ['POST', '/faults', undefined, /^The body is wrong: /],
  ['POST', '/faults', { kind: 'flood' }, /^"kind" is wrong: .*'hang'/],
  ['POST', '/faults', { kind: 'reset' }, /^"at" is wrong: /],
  ['POST', '/faults', { kind: 'hang', tiems: 3 }, /"tiems"/],
  ['POST', '/faults', { kind: 'hang', times: 0 }, /^"times" is wrong: /],
  ['POST', '/faults', { kind: 'status', status: 200, headers: { x: 'a\r\nb: c' } }, /^"headers\.x" is wrong: /],
  ['DELETE', '/faults?id=one', undefined, /^"id" is wrong: a whole number/],
  ['GET', '/journal?after=-1', undefined, /^"after" is wrong: /],
  ['POST', '/operations', { durations: { push: 3 } }, /"push"/],
  ['POST', '/operations', { next: [{ kind: 'cache:clear', outcome: 'maybe' }] }, /^"next\.0\.outcome" is wrong: /],
  ['POST', '/optional', { graphs: true }, /"graphs"/],
  ['POST', '/optional', { sites: 'no' }, /^"sites" is wrong: /],
  ['GET', '/state?environment=acme-shop', undefined, /there is no environment "acme-shop"\.$/],
] as const)('%s %s %j is 400 and one sentence', async (method, address, body, sentence) => {
  const answer = await pull(await start(), method, address, body);
  expect(answer?.status).toBe(400);
  expect(at(answer, 'body', 'message')).toMatch(sentence);
});

test('knows no other path', async () => {
  const hosting = await start();
  expect(await pull(hosting, 'GET', '/nope')).toBeUndefined();
  expect(await pull(hosting, 'PUT', '/journal')).toBeUndefined();
});
