import { connect } from 'node:net';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { call, clearCache, exchange, live, start } from './calling.ts';

test('records requests and answers, but not the key', async () => {
  const hosting = await start({ now: () => 77 });
  const body = { ip_allowlist: ['nonsense'] };
  await call(hosting, 'POST', `/sites/environments/${live}/ssh/set-allowed-ips?x=1`, {
    body,
    headers: { 'x-who': 'me' },
  });
  expect(hosting.journal.entries()).toMatchObject([
    {
      seq: 1,
      at: 77,
      method: 'POST',
      path: `/sites/environments/${live}/ssh/set-allowed-ips`,
      query: { x: '1' },
      headers: { 'x-who': 'me', 'content-type': 'application/json' },
      authorization: 'right',
      connection: 1,
      section: '4.16',
      state: 'answered',
      size: JSON.stringify(body).length,
      body,
      status: 400,
    },
  ]);
  await call(hosting, 'GET', '/validate', { headers: { authorization: 'Bearer stolen' } });
  await fetch(`${hosting.url}/validate`);
  expect(hosting.journal.entries().map(({ authorization }) => authorization)).toEqual(['right', 'wrong', 'absent']);
  expect(JSON.stringify(hosting.journal.entries())).not.toMatch(/stolen|playground-hosting-key/);
});

test('keeps only the newest, and can be cleared', async () => {
  const hosting = await start({ journalLimit: 5 });
  for (let turn = 0; turn < 8; turn += 1) await call(hosting, 'GET', '/validate');
  expect(hosting.journal.entries().map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8]);
  hosting.journal.clear();
  expect(hosting.journal.entries()).toEqual([]);
  await call(hosting, 'GET', '/validate');
  expect(hosting.journal.entries()).toMatchObject([{ seq: 9 }]);
});

test('numbers the connections', async () => {
  const hosting = await start();
  const one = new Agent({ connections: 1 });
  onTestFinished(() => one.close());
  const headers = { authorization: `Bearer ${hosting.key}` };
  for (let turn = 0; turn < 3; turn += 1) {
    const { body } = await request(`${hosting.url}/validate`, { dispatcher: one, headers });
    await body.dump();
  }
  await exchange(hosting, clearCache(hosting));
  expect(hosting.journal.entries().map(({ connection }) => connection)).toEqual([1, 1, 1, 2]);
});

test('an incomplete request has no effect and is recorded as cut', async () => {
  const hosting = await start();
  const socket = connect(Number(new URL(hosting.url).port), '127.0.0.1');
  socket.write(clearCache(hosting).slice(0, -10));
  await hosting.until(() => hosting.journal.entries().find(({ state }) => state === 'arriving'));
  socket.destroy();
  await hosting.until(() => hosting.journal.entries().find(({ state }) => state === 'cut'));
  expect(hosting.journal.entries()[0]).not.toHaveProperty('status');
  expect(hosting.operations.list()).toEqual([]);
});

test('until resolves at once or later, but not after its timeout or the close', async () => {
  const hosting = await start();
  expect(await hosting.until(() => 'now')).toBe('now');
  const received = hosting.until(() => hosting.journal.entries().find(({ method }) => method === 'DELETE')?.seq);
  await call(hosting, 'GET', '/validate');
  await call(hosting, 'DELETE', '/nothing');
  expect(await received).toBe(2);
  await expect(hosting.until(() => undefined, 1)).rejects.toThrow('did not happen within 1 ms');
  const thrown = hosting.until(() => {
    throw new Error('a probe with a mistake');
  });
  await expect(thrown).rejects.toThrow('a probe with a mistake');
  const late = hosting.until(() => undefined);
  await Promise.all([expect(late).rejects.toThrow('closed'), hosting.close()]);
});

test('until leaves no timer behind', async () => {
  const hosting = await start();
  const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  for (let turn = 0; turn < 20; turn += 1) await hosting.until(() => turn, 60_000);
  expect(timers()).toBe(before);
});
