import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ids, inScenario, patienceMs, type Scenario, stateOf } from './scenario.ts';

const live = 'acme-shop/live';

/** Asks for 198.51.100.4 on the allowlist of live, up to the review's submit, which may never be answered. */
async function letBenIn(scenario: Scenario): Promise<void> {
  const ana = scenario.person('ana');
  await ana.says(`/site allowlist add ${live} 198.51.100.4`);
  await ana.form('List before');
  await ana.submits();
}

describe.concurrent('the bot is killed', () => {
  test.each([
    { applied: true, evidence: 'So it probably happened' },
    { applied: false, evidence: "So it probably didn't happen" },
  ])(
    'promise 1: while the host has the write (applied: $applied) and has not answered: never written again',
    async ({ applied, evidence }) =>
      inScenario({ ownProcess: 'the first' }, async (scenario) => {
        scenario.hosting.faults.add({ kind: 'hang', method: 'POST', applied });
        await letBenIn(scenario);
        await scenario.hosting.until(() => scenario.writes(live).find(({ state }) => state === 'received'), patienceMs);
        await scenario.kill();
        await scenario.start();

        const change = await scenario.change(1);
        await change.shows('⚠️');
        const unknown = await change.tells('Outcome unknown');
        expect(unknown.text).toContain('@Ana');
        expect(unknown.text).toContain("I won't send it again");
        await change.tells(evidence);
        await scenario.slack.until(
          () =>
            scenario.slack
              .messages({ channel: 'C0OPS', as: ids.ana })
              .find(({ text }) => /^#1 · Let 198\.51\.100\.4 in over SSH on acme-shop\/live\n.*unknown/s.test(text)),
          patienceMs,
        );
        expect(stateOf(scenario, { number: 1 })).toBe('unknown');
        expect(scenario.writes()).toHaveLength(1);
      })(),
  );

  test(
    'promise 1: while it reads the preconditions once more: nothing was sent yet, so it goes on, once',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      // The review and the submission have read before it is held: any read from then on precedes a send.
      scenario.runSql(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
      await letBenIn(scenario);
      await scenario.becomes(1, 'approved');
      scenario.hosting.faults.add({ kind: 'hang', method: 'GET', section: '4.17' });
      scenario.runSql(`delete from kv where key = 'pause'`);
      scenario.makeDue(1);
      await scenario.hosting.until(() => hangingLook(scenario), patienceMs);
      await scenario.kill();
      expect(stateOf(scenario, { number: 1 })).toBe('approved');
      await scenario.start();
      const change = await scenario.change(1);
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'right after the ack, before anything was begun: the person is told so, and nothing is done later',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 60_000, times: 1 });
      const said = await scenario.person('ben').says(`/site cache clear ${live}`);
      expect(said.outcome.acked).toBe(true);
      await scenario.kill();
      await scenario.start();
      const told = await said.hears('I was restarted before I got to cache clear acme-shop/live');
      expect(told.text).toContain('Nothing was done');
      expect(scenario.writes()).toEqual([]);
      expect(scenario.rows('select * from changes')).toEqual([]);
    }),
  );

  test(
    'promise 1: while its card is on the way to Slack: at most one write, at most one more card, and a thread with an end',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      const killed = Promise.withResolvers<unknown>();
      const forget = scenario.slack.subscribe(({ kind, detail }) => {
        if (kind === 'message' && detail['channel'] === 'C0ACME') killed.resolve(scenario.kill());
      });
      await scenario.person('ana').says(`/site cache clear ${live}`);
      await killed.promise;
      forget();
      await scenario.start();
      const change = await scenario.change(1);
      await change.tells(/the host reports it finished|Outcome unknown/);
      const cards = scenario.slack
        .messages({ channel: 'C0ACME', as: ids.ana })
        .filter(({ text }) => text.includes('#1'));
      expect(cards.length).toBeLessThanOrEqual(2);
      expect(scenario.writes().length).toBeLessThanOrEqual(1);
    }),
  );

  test(
    'while the operation runs: it is followed to its end after the restart',
    inScenario({ ownProcess: 'the first', hosting: { durations: { 'cache:clear': 6_000 } } }, async (scenario) => {
      const { number } = await scenario.person('ana').asks(`/site cache clear ${live}`);
      await scenario.becomes(number, 'accepted');
      await scenario.kill();
      await scenario.start();
      // Killed before it noted where Slack had put the card, it posts another, and goes on below that one.
      const change = await scenario.change(number);
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
      // Killed after Slack took a notice and before that was saved, it posts the notice once more, and not again.
      const notices = change.replies().filter(({ text }) => text.includes('the host reports it finished'));
      expect(notices.length).toBeLessThanOrEqual(2);
    }),
  );

  test(
    'politely, with a write under way: its answer is waited for and told, then it ends with 0, and goes on at the next start',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 2_000 });
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
      const began = performance.now();
      expect(await scenario.stop()).toEqual({ code: 0, signal: null });
      expect(performance.now() - began).toBeLessThan(30_000);
      expect(stateOf(scenario, change)).toBe('accepted');
      await scenario.start();
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'politely, with ten commands acked and not begun: they are begun before it ends, and sent once each, then or later',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 800, times: 10 });
      await Promise.all(Array.from({ length: 10 }, () => ana.says(`/site cache clear ${live}`)));
      expect(await scenario.stop()).toEqual({ code: 0, signal: null });
      expect(scenario.rows('select number from changes')).toHaveLength(10);
      await scenario.start();
      await scenario.hosting.until(() => (scenario.writes().length >= 10 ? true : undefined), patienceMs);
      await (await scenario.change(1)).shows(/^✅/);
      expect(scenario.writes()).toHaveLength(10);
      expect(scenario.rows('select key from inbox where closed_at is null')).toEqual([]);
    }),
  );

  test(
    'politely, with a write that is never answered: it ends all the same, and the outcome is called unknown',
    inScenario({ ownProcess: 'the first' }, async (scenario) => {
      scenario.hosting.faults.add({ kind: 'hang', method: 'POST', applied: true });
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
      const began = performance.now();
      expect(await scenario.stop()).toEqual({ code: 0, signal: null });
      expect(performance.now() - began).toBeLessThan(30_000);
      await scenario.start();
      await change.tells('Outcome unknown');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test.each([
    ['nothing', ''],
    ['half its headers', 'POST /slack/events HTTP/1.1\r\nhost: bot\r\n'],
    ['half its body', 'POST /slack/events HTTP/1.1\r\nhost: bot\r\ncontent-length: 100\r\n\r\nhalf'],
  ])('politely, while somebody is connected who has sent %s: they keep it from nothing', async (_, words) =>
    inScenario({ ownProcess: 'the first', slack: { delivery: { kind: 'http' } } }, async (scenario) => {
      const stranger = connect(scenario.port(), '127.0.0.1');
      stranger.on('error', () => undefined).resume();
      await once(stranger, 'connect');
      stranger.write(words);
      await (await scenario.person('ana').says('/site whoami', 'C0GENERAL')).hears(ids.ana);
      expect(await scenario.stop()).toEqual({ code: 0, signal: null });
      stranger.destroy();
    })(),
  );
});

const hangingLook = (scenario: Scenario): unknown =>
  scenario.hosting.journal
    .entries()
    .find(({ section, method, state }) => section === '4.17' && method === 'GET' && state === 'received');
