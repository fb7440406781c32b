import { createServer } from 'node:http';
import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSlack } from '../../src/playground/slack/server.ts';
import type { SlackStandIn } from '../../src/playground/slack/stand-in.ts';
import { TOKENS } from '../../src/playground/slack/options.ts';
import { clientOptions } from '../../src/slack-api/calls.ts';
import { drawNote } from '../../src/block-kit/blocks.ts';
import { createEphemeral, type ReplyTarget, createAskedFrom } from '../../src/slack-api/ephemeral.ts';
import { say } from '../../src/words/text.ts';

const minute = 60_000;
const [ana, acme, direct] = ['U01ANA', 'C0ACME', 'D0U01ANA'];
const report = drawNote({ text: say`the report` });
let slack: SlackStandIn;
/** A clock that the stand-in and the bot share, in ms. */
let passed = 0;
beforeEach(async () => {
  passed = 0;
  slack = await startSlack({ now: () => 1_800_000_000_000 + passed });
});
afterEach(() => slack.close());

/** What Ana reads, and where, if an answer takes this many minutes. */
async function answerAfter(minutes: number): Promise<readonly string[]> {
  const client = new WebClient(TOKENS.bot, clientOptions(slack.apiUrl));
  const ephemeral = createEphemeral(client, slack.apiUrl, () => passed);
  // No socket is connected, so only the response URL can answer the command.
  const { payload } = await slack.command(ana, acme, '/site help');
  passed += minutes * minute;
  await ephemeral({ person: ana, channel: acme, responseUrl: String(payload?.['response_url']), since: 0 }, report);
  return [acme, direct].flatMap((channel) =>
    slack.messages({ channel, as: ana }).map(({ text }) => `${channel}: ${text}`),
  );
}

it.each([
  [0, `${acme}: the report`],
  [29, `${acme}: the report`],
  [
    31,
    `${direct}: the report\nSlack lets me answer there for half an hour only, so the answer is here. It took 31 min.`,
  ],
  [
    95,
    `${direct}: the report\nSlack lets me answer there for half an hour only, so the answer is here. It took 1 h 35 min.`,
  ],
])('an answer after %d minutes', async (minutes, words) => expect(await answerAfter(minutes)).toEqual([words]));

it('whose response URL fails for another reason is posted where it was requested, with how long it took', async () => {
  slack.faults.add({ method: 'response_url', kind: 'status', status: 404 });
  expect(await answerAfter(12)).toEqual([`${acme}: the report\nIt took 12 min.`]);
});

it('that is late, for somebody with closed direct messages, is posted where it was requested', async () => {
  for (const channel of [ana, direct])
    slack.faults.add({ method: 'chat.postMessage', kind: 'error', error: 'messages_tab_disabled', channel });
  const [words] = await answerAfter(31);
  expect(words).toMatch(new RegExp(`^${acme}: the report\n.*It took 31 min\\.$`));
});

it.each(['http://127.0.0.1:PORT/response/x', 'http://localhost:PORT/', 'http://hooks.slack.com:PORT/', 'no address'])(
  'is not sent to an address outside of Slack: %s',
  async (elsewhere) => {
    let asked = 0;
    const other = createServer((_, response) => response.end(`${(asked += 1)}`));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const client = new WebClient(TOKENS.bot, clientOptions(slack.apiUrl));
    const responseUrl = elsewhere.replace('PORT', String(port));
    await createEphemeral(
      client,
      slack.apiUrl,
      () => passed,
    )({ person: ana, channel: acme, responseUrl, since: 0 }, report);
    other.close();
    expect(asked).toBe(0);
    expect(slack.messages({ channel: acme, as: ana }).map(({ text }) => text)).toEqual(['the report']);
  },
);

it('that Slack has taken is not sent again if the rest of its response is lost', async () => {
  const asked: (string | undefined)[] = [];
  const broken = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { 'content-length': 100 });
    response.write('ok', () => response.destroy());
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  const address = broken.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const client = new WebClient(TOKENS.bot, clientOptions(`${origin}/api/`));
  const ephemeral = createEphemeral(client, `${origin}/api/`, () => passed);
  const sent = ephemeral({ person: ana, channel: acme, responseUrl: `${origin}/response`, since: 0 }, report);
  await expect(sent).resolves.toBeUndefined();
  broken.close();
  expect(asked).toEqual(['/response']);
});

const from: ReplyTarget = { person: 'U01ANA', channel: 'C0ACME', responseUrl: 'https://hooks', since: 0 };
const open = { number: 1, settled_at: null };
const settled = { number: 1, settled_at: 1 };

function asked() {
  const state = { now: 0, isTaken: true, told: [] as string[] };
  const askedFrom = createAskedFrom(
    async (to, { text }) => {
      if (!state.isTaken) throw new Error('refused');
      state.told.push(`${to.person}: ${text}`);
    },
    () => state.now,
  );
  const tell = async (change: typeof open | typeof settled, word: string): Promise<void> => {
    askedFrom.onUntold(change, { text: say`${word}` });
    await Promise.resolve();
  };
  return { state, askedFrom, tell };
}

it('whoever asked for a change is told twice at most that it has no card: while it is open, and once it is settled', async () => {
  const { state, askedFrom, tell } = asked();
  await tell(open, 'nobody asked for it here');
  askedFrom.keep(1, from);
  await tell(open, 'open');
  await tell(open, 'still open');
  await tell(settled, 'settled');
  await tell(settled, 'still settled');
  expect(state.told).toEqual(['U01ANA: open', 'U01ANA: settled']);
});

it('an answer that Slack does not take is tried again with the next attempt, for half an hour', async () => {
  const { state, askedFrom, tell } = asked();
  askedFrom.keep(1, from);
  state.isTaken = false;
  await tell(open, 'refused');
  await Promise.resolve();
  state.isTaken = true;
  await tell(open, 'taken');
  state.now = 1_800_001;
  await tell(settled, 'too late');
  expect(state.told).toEqual(['U01ANA: taken']);
});
