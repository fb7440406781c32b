import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canaries, ids, inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';
import { threeSeconds } from './three-seconds.ts';

type SlackFault = Parameters<Scenario['slack']['faults']['add']>[0];

const clear = '/site cache clear acme-shop/staging';

const cardsIn = (scenario: Scenario, channel: string, number: number): readonly string[] =>
  scenario.slack
    .messages({ channel, as: ids.ana })
    .map(({ text }) => text)
    .filter((text) => text.split('\n')[0]?.endsWith(`· #${number}`));

describe('Slack', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario();
  });
  afterAll(() => scenario.close());

  /** A card whose first post fails in this way. Each case has a channel of its own. */
  const troubled = async (
    fault: Omit<SlackFault, 'method' | 'times' | 'channel'>,
    channel: string,
  ): Promise<ChangeThread> => {
    scenario.slack.faults.add({ method: 'chat.postMessage', times: 1, channel, ...fault });
    await scenario.person('ana').says(clear, channel);
    const [change] = await scenario.slack.until(() => {
      // A card in direct messages is addressed by the person's own id.
      const place = channel.startsWith('D') ? channel.slice(2) : channel;
      const rows = scenario.rows('select number from changes where channel = ?', place);
      return rows.length > 0 ? rows : undefined;
    }, patienceMs);
    return scenario.change(Number(change?.['number']));
  };

  test.concurrent.each([
    ['asks for a pause (429)', { kind: 'rate_limited', retryAfter: '1' }, 'C0ACME', 1],
    ['stores it and answers 500', { kind: 'lost', status: 500 }, 'C0GENERAL', 2],
    ['stores it and cuts the wire', { kind: 'lost' }, 'G0BAKERY', 2],
    ['does not take its blocks', { kind: 'error', error: 'invalid_blocks' }, 'C0OPS', 1],
    ['takes three seconds', { kind: 'delay', delayMs: 3_000 }, 'D0U01ANA', 1],
  ] as const)('when a card is posted, %s: it stands there, with its whole thread', async (_, fault, channel, most) => {
    const change = await troubled(fault, channel);
    await change.tells('the host reports it finished');
    expect(change.replies()).toHaveLength(1);
    expect(cardsIn(scenario, channel, change.number).length).toBeLessThanOrEqual(most);
  });

  test('and each of these changes was written once', () => {
    expect(scenario.writes()).toHaveLength(5);
  });
});

describe.concurrent('Slack', () => {
  test(
    'takes no answer for a while: refusals are sent directly once it does, and nobody is told of a restart',
    inScenario({}, async (scenario) => {
      scenario.slack.faults.add({ method: '*', kind: 'html', times: 500 });
      const rob = scenario.person('rob');
      await rob.says(clear);
      await rob.says('/site status acme-shop/staging');
      const owed = (): readonly unknown[] => scenario.rows("select key from messages where key like 'answer:%'");
      await vi.waitFor(() => expect(owed()).toHaveLength(2), { timeout: patienceMs });
      expect(scenario.rows('select count(*) as open from inbox where closed_at is null')).toEqual([{ open: 0 }]);
      scenario.slack.faults.remove();
      await rob.reads(/^You asked for cache clear acme-shop\/staging\. .* Nothing was done\./);
      await rob.reads(/^You asked for status acme-shop\/staging\. .* Nothing was done\./);
      const all = scenario.slack.messages({ channel: rob.direct, as: rob.id }).map(({ text }) => text);
      expect(all.filter((text) => text.includes('restarted'))).toEqual([]);
    }),
  );

  test(
    'takes no answer to 23 requests of one person: 20 answers are kept, and one message says that the others were not',
    inScenario({}, async (scenario) => {
      scenario.slack.faults.add({ method: '*', kind: 'html' });
      const rob = scenario.person('rob');
      const open = 'select 1 from inbox where closed_at is null';
      for (let asked = 0; asked < 23; asked += 1) {
        await rob.says(clear);
        await vi.waitFor(() => expect(scenario.rows(open)).toEqual([]), { timeout: patienceMs });
      }
      expect(scenario.rows("select 1 from messages where key like 'answer:%'")).toHaveLength(21);
      // A second a message is Slack's pace.
      scenario.runSql("delete from messages where key like 'answer:%' and key not like '%:rest'");
      scenario.slack.faults.remove();
      const rest = await rob.reads(/^You asked for more than I could answer: Slack took no answers, and I kept 20\. /);
      expect(rest.text).toContain('in place of the answer to cache clear acme-shop/staging and of those after it.');
    }),
  );

  test(
    'takes no answer to what was done: the person hears later that it was worked on, and never that nothing was done',
    inScenario({}, async (scenario) => {
      for (const method of ['response_url', 'chat.postEphemeral', 'chat.postMessage'])
        scenario.slack.faults.add({ method, kind: 'status', status: 500, times: 500 });
      const chi = scenario.person('chi');
      await chi.says('/site pause incident');
      await vi.waitFor(() => expect(scenario.rows("select 1 from kv where key = 'pause'")).toHaveLength(1), {
        timeout: patienceMs,
      });
      const owed = (): readonly unknown[] => scenario.rows("select key from messages where key like 'answer:%'");
      await vi.waitFor(() => expect(owed()).toHaveLength(1), { timeout: patienceMs });
      scenario.slack.faults.remove();
      const told = await chi.reads(/^You asked for pause incident\. I worked on what you asked for, /);
      expect(told.text).not.toContain('Nothing was done');
    }),
  );

  test.each(['response_url', 'chat.postEphemeral'])(
    'takes four seconds for a private answer by %s: it stands once',
    async (method) =>
      inScenario({}, async (scenario) => {
        const ana = scenario.person('ana');
        if (method !== 'response_url')
          scenario.slack.faults.add({ method: 'response_url', kind: 'status', status: 404 });
        scenario.slack.faults.add({ method, kind: 'delay', delayMs: 4_000, times: 1 });
        const asked = await ana.says('/site cache clear acme-shop/livx');
        await asked.hears('Nothing was done. Did you mean');
        const open = 'select 1 from inbox where closed_at is null';
        await vi.waitFor(() => expect(scenario.rows(open)).toEqual([]), { timeout: patienceMs });
        await scenario.slack.until(() => scenario.slack.calls().find((call) => call.method === method), patienceMs);
        const direct = scenario.slack.messages({ channel: ana.direct, as: ana.id });
        const told = [...asked.answers(), ...direct].filter(({ text }) => text.includes('acme-shop/livx'));
        expect(told).toHaveLength(1);
      })(),
  );

  test.each([
    ['posts a reply to it in the channel itself: that names its change', false],
    ['refuses a reply to it: that goes into the thread of the new one', true],
  ])('has lost the card, because somebody deleted it, and %s; the card is posted again', async (_, strictThreads) =>
    inScenario({ hosting: { durations: { 'cache:clear': 1_500 } } }, async (scenario) => {
      scenario.slack.changeChannel('C0ACME', { strictThreads });
      const first = await scenario.person('ana').asks(clear);
      await first.shows('Accepted by the host; running.');
      const body = new URLSearchParams({ channel: first.channel, ts: first.ts });
      const headers = { authorization: `Bearer ${canaries.bot}` };
      const answer = await fetch(`${scenario.slack.apiUrl}chat.delete`, { method: 'POST', headers, body });
      expect(await answer.json()).toMatchObject({ ok: true });
      // An earlier state that was due may be shown first.
      const ended = /^✅ .*\n.*\nDone after .*the host reports it finished/;
      await scenario.slack.until(() => cardsIn(scenario, 'C0ACME', 1).find((card) => ended.test(card)), patienceMs);
      const named = /^#1 · Clear the cache of acme-shop\/staging\n✅ Done after /;
      const loose = () =>
        scenario.slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => named.test(text));
      const again = await scenario.change(1);
      if (strictThreads) await again.tells(/^✅ Done after /);
      else await scenario.slack.until(() => loose()[0], patienceMs);
      const pending = (): unknown => scenario.rows('select key from messages where due_at is not null');
      await vi.waitFor(() => expect(pending()).toEqual([]), { timeout: patienceMs });
      expect(cardsIn(scenario, 'C0ACME', 1)).toHaveLength(1);
      expect([loose().length, again.replies().length]).toEqual(strictThreads ? [0, 1] : [1, 0]);
      expect(scenario.slack.messages({ channel: `D0${ids.ana}`, as: ids.ana })).toEqual([]);
      const inOps = scenario.slack.messages({ channel: 'C0OPS', as: ids.chi });
      expect(inOps.filter(({ text }) => text.includes('#1'))).toEqual([]);
    })(),
  );

  test(
    'cuts its socket: the bot reconnects by itself, and running changes go on',
    inScenario({}, async (scenario) => {
      scenario.slack.disconnectSockets(true);
      await scenario.slack.connected(15_000);
      const change = await scenario.person('ana').asks(clear);
      await change.tells('the host reports it finished');
    }),
  );

  test(
    'cuts its socket and refuses the next one with invalid_auth: the bot tries again and goes on',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      scenario.slack.faults.add({ method: 'apps.connections.open', kind: 'error', error: 'invalid_auth', times: 1 });
      scenario.slack.disconnectSockets(true);
      await scenario.slack.connected(patienceMs);
      const change = await scenario.person('ana').asks(clear);
      await change.tells('the host reports it finished');
      expect(scenario.log()).toContain('Slack refused a connection; trying again');
    }),
  );

  test(
    'delivers everything five times, commands, mentions, forms and clicks: one change and one write each',
    inScenario({}, async (scenario) => {
      scenario.slack.delivery.duplicates = 5;
      const ana = scenario.person('ana');
      const cleared = [
        await ana.asks(clear, 'C0ACME'),
        await ana.mentions('cache clear acme-shop/staging', 'C0GENERAL').then(() => scenario.change(2)),
      ];
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4', ana.direct);
      await ana.form('List before');
      const added = await ana.confirms({}, ana.direct);
      const mistyped = await ana.says('/site cahce clear acme-shop/staging', 'G0BAKERY');
      const offer = await mistyped.hears('Did you mean');
      await ana.opensFrom(offer, 'cache clear acme-shop/staging…', 'Clear the page cache');
      await ana.submits();
      cleared.push(await scenario.change(4));
      await Promise.all(cleared.map((change) => change.tells('the host reports it finished')));
      await added.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(scenario.writes()).toHaveLength(4);
      expect(scenario.rows('select number from changes')).toHaveLength(4);
    }),
  );
});

// Sequential, because each would delay the others.
describe('promise 8: within three seconds', () => {
  test(
    'fifty commands at once are acked while the host hangs and Slack is slow, and each is handled',
    inScenario({}, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', path: '/sites/environments/**', times: 'always' });
      scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 1_200 });
      scenario.slack.faults.add({ method: 'conversations.info', kind: 'delay', delayMs: 1_200 });
      const lines = Array.from({ length: 50 }, (_, at) => (at % 2 ? clear : '/site allowlist show acme-shop/live'));
      const inTime = threeSeconds();
      const said = await Promise.all(lines.map((line) => scenario.person('ana').says(line)));
      inTime(...said.map(({ outcome }) => outcome));
      await scenario.hosting.until(() => scenario.writes().length === 25 || undefined, patienceMs);
      expect(scenario.writes()).toHaveLength(25);
    }),
  );

  test(
    'a command is acked, and refused, while the database does not answer',
    inScenario({}, async (scenario) => {
      const other = new DatabaseSync(scenario.databaseUrl.replace('sqlite:', ''));
      other.exec('begin immediate');
      try {
        const inTime = threeSeconds();
        const said = await scenario.person('ana').says(clear);
        inTime(said.outcome);
        await said.hears(
          "My database isn't answering. If you see no card and no other answer to this, nothing was done",
        );
      } finally {
        other.exec('rollback');
        other.close();
      }
      const change = await scenario.person('ana').asks(clear);
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'commands beyond the limit are acked, refused and closed: nobody is told later that they were lost',
    inScenario({}, async (scenario) => {
      scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 2_000 });
      const inTime = threeSeconds();
      const many = Array.from({ length: 100 }, () => scenario.slack.command(ids.rob, 'C0GENERAL', clear));
      inTime(...(await Promise.all(many)));
      const refusals = await scenario.slack.until(() => {
        const all = scenario.slack.messages({ channel: 'C0GENERAL', as: ids.rob }).map(({ text }) => text);
        return all.length >= 100 ? all : undefined;
      }, patienceMs);
      // How many are handled depends on the machine. All others get exactly one refusal.
      const own = "You already have a lot running, so I didn't start this one. Nothing was done.";
      expect(refusals.filter((text) => !/Nothing was (?:done|sent)\./.test(text))).toEqual([]);
      expect(refusals.filter((text) => text.includes(own)).length).toBeGreaterThan(0);
      const open = () => scenario.rows('select key from inbox where closed_at is null');
      await vi.waitFor(() => expect(open()).toEqual([]), { timeout: patienceMs });
    }),
  );

  test(
    'a form is acked while the host hangs',
    inScenario({}, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.says('/site allowlist add acme-shop/live 198.51.100.4');
      await ana.form('List before');
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET' });
      const inTime = threeSeconds();
      inTime(await ana.submits());
      expect(scenario.slack.views(ana.id).modals).toEqual([]);
    }),
  );
});
