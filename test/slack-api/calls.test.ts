import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkAppToken, checkBotToken } from '../../src/slack-api/app-checks.ts';
import { quietClient } from '../../src/slack-api/calls.ts';
import { plain } from '../../src/words/text.ts';

/** Answers that no Slack sends: larger than anything we ask for. */

const me = { ok: true, user_id: 'UBOT', team_id: 'T1', url: 'wss://127.0.0.1' };
const json = { 'content-type': 'application/json' };
const padded = (bytes: number): string => JSON.stringify({ ...me, pad: 'x'.repeat(bytes) });

/** Writes as much as is taken; resolves when the reader has gone. */
async function endless(response: ServerResponse): Promise<void> {
  const gone = once(response, 'close');
  const part = Buffer.alloc(1_000_000, ' ');
  const more = (): void => void (response.write(part) && setImmediate(more));
  response.on('drain', more);
  more();
  await gone;
  response.off('drain', more);
}

test.each<[string, (response: ServerResponse) => unknown, boolean | undefined]>([
  ['large', (response) => response.writeHead(200, json).end(padded(3_900_000)), true],
  ['too large', (response) => response.writeHead(200, json).end(padded(4_000_000)), undefined],
  ['too large, and a refusal', (response) => response.writeHead(404).end(padded(4_000_000)), undefined],
  [
    'too large once unpacked',
    (response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(padded(40_000_000))),
    undefined,
  ],
  ['without an end', (response) => endless(response.writeHead(200, json)), undefined],
])('an answer that is %s', async (_, answer, isTaken) => {
  const server = createServer((request, response) => {
    request.resume();
    void answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    const client = quietClient(`http://127.0.0.1:${port}/api/`, 'xoxb-0123456789');
    const says = isTaken ? "unknown: Slack doesn't say which scopes" : 'unknown: Slack gave no usable answer';
    const bot = await checkBotToken(client);
    expect(plain(bot.says)).toContain(says);
    expect(bot.bot?.botUserId).toBe(isTaken ? 'UBOT' : undefined);
    const found = await checkAppToken(client);
    expect([found.ok, plain(found.says)]).toEqual([
      isTaken,
      isTaken ? 'Slack accepts the app token; no connection was opened' : says,
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
