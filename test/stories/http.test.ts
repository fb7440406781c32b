import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import { threeSeconds } from './three-seconds.ts';

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ slack: { delivery: { kind: 'http' } } });
});
afterAll(() => scenario.close());

const address = (path: string): string => `http://127.0.0.1:${scenario.port()}${path}`;

test('signed HTTP works like Socket Mode: a review, a card, a thread, an undo', async () => {
  const ana = scenario.person('ana');
  await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
  await ana.form('List before');
  const added = await ana.confirms({ Reason: 'a visit' });
  const proof = await added.tells('✅ 198.51.100.4 is on the SSH allowlist');
  await ana.clicks(proof, 'Undo');
  await ana.form('Take 198.51.100.4 off');
  const asked = await ana.mentions('whoami');
  await asked.hears('U01ANA');
  expect(scenario.writes()).toHaveLength(1);
});

test.each(['wrong', 'stale'] as const)('a request whose signature is %s is refused', async (signature) => {
  scenario.slack.delivery.signature = signature;
  try {
    const said = await scenario.person('ana').says('/site cache clear acme-shop/live', 'C0GENERAL');
    expect(said.outcome.acked).toBe(false);
    expect(scenario.rows('select * from changes where command = ?', 'cache clear')).toEqual([]);
  } finally {
    scenario.slack.delivery.signature = 'right';
  }
});

test('the health routes answer one word each, and a body that is too long is refused', async () => {
  expect(await (await fetch(address('/healthz'))).text()).toBe('ok');
  expect(await (await fetch(address('/readyz'))).text()).toBe('ready');
  const long = await fetch(address('/slack/events'), { method: 'POST', body: 'x'.repeat(300_000) }).catch(
    () => undefined,
  );
  expect(long?.ok ?? false).toBe(false);
  expect(await (await fetch(address('/healthz'))).text()).toBe('ok');
});

test('unfinished posts are closed, and at most two hundred are open at once', async () => {
  const sockets: Socket[] = [];
  const ends = Array.from({ length: 500 }, () => {
    const socket = connect(scenario.port(), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('POST /slack/events HTTP/1.1\r\nhost: bot\r\ncontent-length: 100\r\n\r\nhalf');
    return new Promise<void>((resolve) => socket.resume().on('close', () => resolve()));
  });
  const begun = performance.now();
  await expect
    .poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: patienceMs })
    .toBeLessThanOrEqual(200);
  await Promise.all(ends);
  // By default, Node would wait for five minutes.
  expect(performance.now() - begun).toBeLessThan(patienceMs);
  expect(await (await fetch(address('/healthz'))).text()).toBe('ok');
});

test('four hundred unfinished posts that reconnect when closed block neither Slack nor probes', async () => {
  let comeAgain = true;
  let received = 0;
  const post = (): Socket => {
    received += 1;
    const socket = connect(scenario.port(), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /slack/events HTTP/1.1\r\nhost: bot\r\ncontent-length: 100\r\n\r\nhalf');
    sockets.add(socket);
    return socket.resume().on('close', () => sockets.delete(socket) && comeAgain && post());
  };
  const sockets = new Set<Socket>();
  try {
    for (let count = 0; count < 400; count += 1) post();
    await expect.poll(() => received, { timeout: patienceMs }).toBeGreaterThan(800);
    const ana = scenario.person('ana');
    for (let turn = 0; turn < 4; turn += 1) {
      const inTime = threeSeconds();
      const five = Array.from({ length: 5 }, () =>
        Promise.all([ana.says('/site whoami', 'C0GENERAL'), statusOf('/readyz')]),
      );
      for (const [said, ready] of await Promise.all(five)) {
        inTime(said.outcome);
        expect(ready).toBe(200);
      }
    }
    const cleared = await ana.asks('/site cache clear acme-shop/staging');
    // These posts keep a core busy, so the operation is polled at once, not two seconds later.
    await scenario.becomes(cleared.number, 'accepted');
    scenario.makeDue(cleared.number);
    await cleared.tells('the host reports it finished');
  } finally {
    comeAgain = false;
    for (const socket of sockets) socket.destroy();
  }
});

/** The answer of this address on a new connection. */
const statusOf = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(address(path), { agent: false }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode))).on(
      'error',
      reject,
    );
  });
