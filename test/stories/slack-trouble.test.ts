import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canaries, ids, inHouse, openHouse, patienceMs, type House } from './house.ts';
import type { Tale } from './people.ts';
import { threeSeconds } from './three-seconds.ts';

type SlackFault = Parameters<House['slack']['faults']['add']>[0];

const clear = '/site cache clear acme-shop/staging';

const cardsIn = (house: House, channel: string, number: number): readonly string[] =>
  house.slack
    .messages({ channel, as: ids.ana })
    .map(({ text }) => text)
    .filter((text) => text.split('\n')[0]?.endsWith(`· #${number}`));

describe('Slack', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  /** A card whose first message meets this fault; the channel tells one story from the other. */
  const troubled = async (fault: Omit<SlackFault, 'method' | 'times' | 'channel'>, channel: string): Promise<Tale> => {
    house.slack.faults.add({ method: 'chat.postMessage', times: 1, channel, ...fault });
    await house.person('ana').says(clear, channel);
    const [change] = await house.slack.until(() => {
      const rows = house.rows('select number from changes where channel = ?', channel);
      return rows.length > 0 ? rows : undefined;
    }, patienceMs);
    return house.change(Number(change?.['number']));
  };

  test.concurrent.each([
    ['asks for a pause (429)', { kind: 'rate_limited', retryAfter: '1' }, 'C0ACME', 1],
    ['stores it and answers 500', { kind: 'lost', status: 500 }, 'C0GENERAL', 2],
    ['stores it and cuts the wire', { kind: 'lost' }, 'G0BAKERY', 2],
    ['does not take its blocks', { kind: 'error', error: 'invalid_blocks' }, 'C0OPS', 1],
  ] as const)('when a card is posted, %s: it stands there, with its whole thread', async (_, fault, channel, most) => {
    const change = await troubled(fault, channel);
    await change.tells('the host reports it finished');
    expect(change.replies()).toHaveLength(1);
    expect(cardsIn(house, channel, change.number).length).toBeLessThanOrEqual(most);
  });

  test('and each of these changes was written once', () => {
    expect(house.writes()).toHaveLength(4);
  });
});

describe.concurrent('Slack', () => {
  test(
    'has lost the card, because somebody deleted it: it is posted again, with the last word on it',
    inHouse({ hosting: { durations: { 'cache:clear': 3_000 } } }, async (house) => {
      const first = await house.person('ana').asks(clear);
      await first.shows('Accepted by the host; running.');
      const body = new URLSearchParams({ channel: first.channel, ts: first.ts });
      const headers = { authorization: `Bearer ${canaries.bot}` };
      const answer = await fetch(`${house.slack.apiUrl}chat.delete`, { method: 'POST', headers, body });
      expect(await answer.json()).toMatchObject({ ok: true });
      // Where it was to show something before the end, that stands first.
      const ended = /^✅ .*\n.*\nDone after .*the host reports it finished/;
      await house.slack.until(() => cardsIn(house, 'C0ACME', 1).find((card) => ended.test(card)), patienceMs);
      expect(cardsIn(house, 'C0ACME', 1)).toHaveLength(1);
    }),
  );

  test(
    'cuts its socket: the bot comes back by itself, and what was under way goes on',
    inHouse({}, async (house) => {
      house.slack.disconnectSockets(true);
      await house.slack.connected(15_000);
      const change = await house.person('ana').asks(clear);
      await change.tells('the host reports it finished');
    }),
  );

  test(
    'cuts its socket and refuses the next one, as if the token were none: it is asked again, and the bot goes on',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      house.slack.faults.add({ method: 'apps.connections.open', kind: 'error', error: 'invalid_auth', times: 1 });
      house.slack.disconnectSockets(true);
      await house.slack.connected(patienceMs);
      const change = await house.person('ana').asks(clear);
      await change.tells('the host reports it finished');
      expect(house.log()).toContain('Slack refused a connection; trying again');
    }),
  );

  test(
    'delivers everything five times, commands, mentions, forms and clicks: one change and one write each',
    inHouse({}, async (house) => {
      house.slack.delivery.duplicates = 5;
      const ana = house.person('ana');
      const cleared = [
        await ana.asks(clear, 'C0ACME'),
        await ana.mentions('cache clear acme-shop/staging', 'C0GENERAL').then(() => house.change(2)),
      ];
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4', ana.direct);
      await ana.form('List before');
      const added = await ana.confirms({}, ana.direct);
      const mistyped = await ana.says('/site cahce clear acme-shop/staging', 'G0BAKERY');
      const offer = await mistyped.hears('Did you mean cache clear?');
      await ana.clicks(offer, offer.controls[0]?.label ?? '');
      cleared.push(await house.change(4));
      await Promise.all(cleared.map((change) => change.tells('the host reports it finished')));
      await added.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(house.writes()).toHaveLength(4);
      expect(house.rows('select number from changes')).toHaveLength(4);
    }),
  );
});

// One after the other: each would keep the others waiting.
describe('promise 8: within three seconds', () => {
  test(
    'fifty commands at once are acked while the host hangs and Slack is slow, and each is worked on',
    inHouse({ ownProcess: 'all' }, async (house) => {
      house.hosting.faults.add({ kind: 'hang', method: 'GET', path: '/sites/environments/**', times: 'always' });
      house.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 1_200 });
      house.slack.faults.add({ method: 'conversations.info', kind: 'delay', delayMs: 1_200 });
      const lines = Array.from({ length: 50 }, (_, at) => (at % 2 ? clear : '/site allowlist show acme-shop/live'));
      const inTime = threeSeconds(house.pid());
      const said = await Promise.all(lines.map((line) => house.person('ana').says(line)));
      inTime(...said.map(({ outcome }) => outcome));
      await house.hosting.until(() => house.writes().length === 25 || undefined, patienceMs);
      expect(house.writes()).toHaveLength(25);
    }),
  );

  test(
    'a command is acked, and refused, while the database does not answer',
    inHouse({}, async (house) => {
      const other = new DatabaseSync(house.databaseUrl.replace('sqlite:', ''));
      other.exec('begin immediate');
      try {
        const inTime = threeSeconds();
        const said = await house.person('ana').says(clear);
        inTime(said.outcome);
        await said.hears(
          "My database isn't answering. If you see no card and no other answer to this, nothing was done",
        );
      } finally {
        other.exec('rollback');
        other.close();
      }
      const change = await house.person('ana').asks(clear);
      await change.tells('the host reports it finished');
      expect(house.writes()).toHaveLength(1);
    }),
  );

  test(
    'more than can be done at once is acked, turned away and closed: nobody is told later that it was lost',
    inHouse({}, async (house) => {
      house.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 2_000 });
      const inTime = threeSeconds();
      const begun = performance.now();
      const many = Array.from({ length: 230 }, () => house.slack.command(ids.rob, 'C0GENERAL', clear));
      inTime(...(await Promise.all(many)));
      const told = await house.slack.until(() => {
        const all = house.slack.messages({ channel: 'C0GENERAL', as: ids.rob }).map(({ text }) => text);
        return all.length >= 230 ? all : undefined;
      }, patienceMs);
      const own = "You already have a lot running, so I didn't start this one. Nothing was done.";
      // Eight run and forty wait; every two seconds eight more get their turn. An answer that Slack takes late is told
      // in another way as well.
      const rounds = Math.ceil((performance.now() - begun) / 2_000);
      expect(told.filter((text) => text.includes(own)).length).toBeGreaterThanOrEqual(230 - 48 - 8 * rounds);
      const open = () => house.rows('select key from inbox where closed_at is null');
      await vi.waitFor(() => expect(open()).toEqual([]), { timeout: patienceMs });
    }),
  );

  test(
    'a form is acked while the host hangs',
    inHouse({}, async (house) => {
      const ana = house.person('ana');
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ana.form('List before');
      house.hosting.faults.add({ kind: 'hang', method: 'GET' });
      const inTime = threeSeconds();
      inTime(await ana.submits());
      await ana.form('Looking at the host');
    }),
  );
});
