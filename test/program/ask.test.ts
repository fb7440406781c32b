import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { ChangeAnswer, EventAnswer, Problem } from '../../src/api/schemas.ts';
import type { Standing } from '../../src/change/batch.ts';
import { ask, askCodes } from '../../src/program/ask.ts';

/** What `sitehand ask` says and ends with, for what an interface answers. The stories of callers ask the real one. */

const line = 'cache clear acme-shop/staging';
const change: ChangeAnswer = {
  kind: 'change',
  number: 1,
  command: 'cache clear',
  title: 'Clear the cache',
  state: 'waiting',
  settled: false,
  says: '',
  for: 'U01ANA',
  reason: null,
  targets: [],
  facts: [],
  warning: null,
  call: null,
  fingerprint: 'f',
  items: null,
  waits_for: [],
  approved_by: [],
  asked_at: '2026-11-29T10:00:00.000Z',
  scheduled_at: null,
  expires_at: '2026-11-29T11:00:00.000Z',
  sent_at: null,
  events: '/v1/changes/1/events',
};
const batchOf = (...all: readonly Standing[]): Pick<ChangeAnswer, 'items'> => ({
  items: all.map((standing, at) => ({ target: `site-${at}/live`, standing, number: at + 2, says: '' })),
});
const tooMany: Problem = {
  type: 'about:blank',
  title: 'Too many requests',
  status: 429,
  detail: 'Too many requests of this caller are under way. Nothing was done.',
  request: 'a-1',
};

/** Asks an interface that refuses the first `refused` requests and then tells of the change as it is now. */
async function asked(now: Partial<ChangeAnswer>, { refused = 0, words = ['--wait', '--timeout', '1s'] } = {}) {
  let left = refused;
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/events')) {
      const event: EventAnswer = {
        id: 1,
        event: 'asked',
        at: change.asked_at,
        by: 'U01ANA',
        caller: null,
        change: { ...change, ...now },
      };
      return void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: ${JSON.stringify(event)}\n\n`);
    }
    keys.push(request.headers['idempotency-key']);
    left -= 1;
    if (left >= 0)
      return void response
        .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '0.01' })
        .end(JSON.stringify(tooMany));
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(change));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const said: string[] = [];
  const note = (text: string): void => void said.push(text);
  const environment = {
    SITEHAND_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    SITEHAND_CALLER_KEY: 'shk_test',
  };
  const code = await ask([line, ...words], environment, { write: note, complain: note });
  server.closeAllConnections();
  server.close();
  return { code, said: said.join(''), keys };
}

const takesBack = /can still be sent\..*\/cancel takes it back/;
const cannot = /may be at the host already, and cannot be taken back/;

test.concurrent.each([
  ['waiting', null, takesBack],
  ['approved', null, takesBack],
  ['sending', null, cannot],
  ['accepted', null, cannot],
  ['running', ['under way', 'to do'], /cannot be taken back.*Stop in Slack keeps it from beginning more/],
  ['stopped', ['under way', 'unknown'], cannot],
] as const)('%s when the time is over: it says what can still become of it', async (state, standings, says) => {
  const { code, said } = await asked({ state, ...(standings && batchOf(...standings)) });
  expect({ code, said }).toEqual({ code: askCodes.waiting, said: expect.stringMatching(says) as unknown });
  if (says !== takesBack) expect(said).not.toMatch(/takes it back|still be/);
});

test.concurrent.each([
  ['stopped', false, ['done', 'unknown', 'failed', 'to do'], askCodes.unknown],
  ['stopped', false, ['done', 'failed', 'to do'], askCodes.failed],
  ['stopped', false, ['done', 'to do'], askCodes.failed],
  ['ended', true, ['done', 'failed', 'not sent'], askCodes.failed],
  ['ended', true, ['failed', 'unknown'], askCodes.unknown],
  ['done', true, ['done', 'left out'], askCodes.done],
] as const)(
  'a batch that is %s (settled: %s) with %j ends the waiting with its worst',
  async (state, settled, all, wanted) => {
    const { code, said } = await asked({ state, settled, ...batchOf(...all) });
    expect(code).toBe(wanted);
    expect(all.filter((standing, at) => !said.includes(`site-${at}/live: ${standing}.`))).toEqual([]);
  },
);

test('what was too much at once is asked again with the same key, within the time', async () => {
  const { code, keys } = await asked({}, { refused: 2, words: ['--key', 'once-is-enough'] });
  expect({ code, keys }).toEqual({ code: askCodes.done, keys: Array(3).fill('once-is-enough') });
  const never = await asked({}, { refused: 1_000_000, words: ['--timeout', '1s'] });
  // The time may end while it is being asked once more.
  expect([askCodes.wrong, askCodes.unreachable]).toContain(never.code);
});
