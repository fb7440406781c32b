import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import { signed } from './signed.ts';
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

test.each(['wrong', 'stale', 'ahead'] as const)('a request whose signature is %s is refused', async (signature) => {
  scenario.slack.delivery.signature = signature;
  try {
    const said = await scenario.person('ana').says('/site cache clear acme-shop/live', 'C0GENERAL');
    expect(said.outcome.acked).toBe(false);
    expect(scenario.rows('select * from changes where command = ?', 'cache clear')).toEqual([]);
  } finally {
    scenario.slack.delivery.signature = 'right';
  }
});

const delivery = '{"type":"url_verification","challenge":"hello"}';
const post = (headers: Readonly<Record<string, string>>, body = delivery): Promise<Response> =>
  fetch(address('/slack/events'), { method: 'POST', body, headers });
/** The time so many seconds from now, as Slack writes it. */
const inSeconds = (seconds: number): string => String(Math.floor(Date.now() / 1_000) + seconds);

test.each([
  ['now', inSeconds(0), 200],
  ['290 s ago', inSeconds(-290), 200],
  ['290 s ahead', inSeconds(290), 200],
  ['310 s ago', inSeconds(-310), 401],
  ['310 s ahead', inSeconds(310), 401],
  ['in milliseconds', String(Date.now()), 401],
  ['a fraction', `${inSeconds(0)}.5`, 401],
  ['negative', '-1', 401],
  ['in words', 'now', 401],
])('a rightly signed delivery whose time is %s', async (_, at, status) => {
  expect((await post(signed(delivery, at))).status).toBe(status);
});

test('what strangers send is counted, and the log has one line of it', async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 100 }, () => post({})),
    ...Array.from({ length: 100 }, () => post({ ...signed(delivery), 'x-slack-signature': 'v0=00' })),
    ...Array.from({ length: 20 }, () => post(signed('[]'), '[]')),
    post({}, 'x'.repeat(300_000)).catch(() => ({ status: 413 })),
  ]);
  expect(answers.filter(({ status }) => status < 400)).toEqual([]);
  const lines = scenario.log().split('\n');
  expect(lines.filter((line) => line.includes('"from":"slack"'))).toEqual([]);
  // One at once, and on a machine that is slow enough one for the first minute.
  const told = lines.filter((line) => line.includes('deliveries were refused')).length;
  expect(told === 1 || told === 2).toBe(true);
});

/** Sends a path as it is: `fetch` would correct it. */
const asked = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const at = { host: '127.0.0.1', port: scenario.port(), path };
    get(at, (response) => resolve(response.resume())).on('error', reject);
  });

test('the health routes answer one word each, and a body that is too long is refused', async () => {
  expect(await (await fetch(address('/healthz'))).text()).toBe('ok');
  expect(await (await fetch(address('/readyz'))).text()).toBe('ready');
  for (const path of ['//', '/\\', '/nothing']) {
    const { statusCode } = await asked(path);
    expect([path, statusCode]).toEqual([path, 404]);
  }
  expect((await asked('/healthz?from=probe')).statusCode).toBe(200);
  expect(scenario.log()).not.toContain('Invalid URL');
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
