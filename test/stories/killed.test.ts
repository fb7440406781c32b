import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ids, inHouse, patienceMs, type House } from './house.ts';

const live = 'acme-shop/live';

/** Asks for 198.51.100.4 on the allowlist of live, up to the review's submit, which may never be answered. */
async function letBenIn(house: House): Promise<void> {
  const ana = house.person('ana');
  await ana.says(`/site allowlist add ${live} 198.51.100.4`);
  await ana.form('List before');
  await ana.submits();
}

const stateOf = (house: House, number: number): unknown =>
  house.rows('select state from changes where number = ?', number)[0]?.['state'];

describe.concurrent('the bot is killed', () => {
  test.each([
    { applied: true, evidence: 'So it probably happened' },
    { applied: false, evidence: "So it probably didn't happen" },
  ])(
    'promise 1: while the host has the write (applied: $applied) and has not answered: never written again',
    async ({ applied, evidence }) =>
      inHouse({ ownProcess: 'the first' }, async (house) => {
        house.hosting.faults.add({ kind: 'hang', method: 'POST', applied });
        await letBenIn(house);
        await house.hosting.until(() => house.writes(live).find(({ state }) => state === 'received'), patienceMs);
        await house.kill();
        await house.start();

        const change = await house.change(1);
        await change.shows('⚠️');
        const unknown = await change.tells('Outcome unknown');
        expect(unknown.text).toContain('@Ana');
        expect(unknown.text).toContain("I won't send it again");
        await change.tells(evidence);
        await house.slack.until(
          () =>
            house.slack
              .messages({ channel: 'C0OPS', as: ids.ana })
              .find(({ text }) => /^#1 · Let 198\.51\.100\.4 in over SSH on acme-shop\/live\n.*unknown/s.test(text)),
          patienceMs,
        );
        expect(stateOf(house, 1)).toBe('unknown');
        expect(house.writes()).toHaveLength(1);
      })(),
  );

  test(
    'promise 1: while it asks once more what the change rests on: nothing was sent yet, so it goes on, once',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      // The review and the submission have looked before it is held: whatever looks from then on is about to send.
      house.rewrite(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
      await letBenIn(house);
      await house.becomes(1, 'approved');
      house.hosting.faults.add({ kind: 'hang', method: 'GET', section: '4.17' });
      house.rewrite(`delete from kv where key = 'pause'`);
      house.lets(1);
      await house.hosting.until(() => hangingLook(house), patienceMs);
      await house.kill();
      expect(stateOf(house, 1)).toBe('approved');
      await house.start();
      const change = await house.change(1);
      await change.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(house.writes()).toHaveLength(1);
    }),
  );

  test(
    'right after the ack, before anything was begun: the person is told so, and nothing is done later',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      house.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 60_000, times: 1 });
      const said = await house.person('ben').says(`/site cache clear ${live}`);
      expect(said.outcome.acked).toBe(true);
      await house.kill();
      await house.start();
      const told = await said.hears('I was restarted before I got to cache clear acme-shop/live');
      expect(told.text).toContain('Nothing was done');
      expect(house.writes()).toEqual([]);
      expect(house.rows('select * from changes')).toEqual([]);
    }),
  );

  test(
    'promise 1: while its card is on the way to Slack: at most one write, at most one more card, and a thread with an end',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      const killed = Promise.withResolvers<unknown>();
      const forget = house.slack.subscribe(({ kind }) => {
        if (kind === 'message') killed.resolve(house.kill());
      });
      await house.person('ana').says(`/site cache clear ${live}`);
      await killed.promise;
      forget();
      await house.start();
      const change = await house.change(1);
      await change.tells(/the host reports it finished|Outcome unknown/);
      const cards = house.slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => text.includes('#1'));
      expect(cards.length).toBeLessThanOrEqual(2);
      expect(house.writes().length).toBeLessThanOrEqual(1);
    }),
  );

  test(
    'while the operation runs: it is followed to its end after the restart',
    inHouse({ ownProcess: 'the first', hosting: { durations: { 'cache:clear': 6_000 } } }, async (house) => {
      const change = await house.person('ana').asks(`/site cache clear ${live}`);
      await house.becomes(change.number, 'accepted');
      await house.kill();
      await house.start();
      await change.tells('the host reports it finished');
      expect(house.writes()).toHaveLength(1);
      // Killed between Slack's taking a notice and its being noted down, it is given once more, and no more than that.
      const notices = change.replies().filter(({ text }) => text.includes('the host reports it finished'));
      expect(notices.length).toBeLessThanOrEqual(2);
    }),
  );

  test(
    'politely, with a write under way: its answer is waited for and told, then it ends with 0, and goes on at the next start',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      house.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 2_000 });
      const change = await house.person('ana').asks(`/site cache clear ${live}`);
      await house.hosting.until(() => house.writes()[0], patienceMs);
      const began = performance.now();
      expect(await house.stop()).toEqual({ code: 0, signal: null });
      expect(performance.now() - began).toBeLessThan(30_000);
      expect(stateOf(house, change.number)).toBe('accepted');
      await house.start();
      await change.tells('the host reports it finished');
      expect(house.writes()).toHaveLength(1);
    }),
  );

  test(
    'politely, with ten commands acked and not begun: they are begun before it ends, and sent once each, then or later',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      const ana = house.person('ana');
      house.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 800, times: 10 });
      await Promise.all(Array.from({ length: 10 }, () => ana.says(`/site cache clear ${live}`)));
      expect(await house.stop()).toEqual({ code: 0, signal: null });
      expect(house.rows('select number from changes')).toHaveLength(10);
      await house.start();
      await house.hosting.until(() => (house.writes().length >= 10 ? true : undefined), patienceMs);
      await (await house.change(1)).shows(/^✅/);
      expect(house.writes()).toHaveLength(10);
      expect(house.rows('select key from inbox where closed_at is null')).toEqual([]);
    }),
  );

  test(
    'politely, with a write that is never answered: it ends all the same, and the outcome is called unknown',
    inHouse({ ownProcess: 'the first' }, async (house) => {
      house.hosting.faults.add({ kind: 'hang', method: 'POST', applied: true });
      const change = await house.person('ana').asks(`/site cache clear ${live}`);
      await house.hosting.until(() => house.writes()[0], patienceMs);
      const began = performance.now();
      expect(await house.stop()).toEqual({ code: 0, signal: null });
      expect(performance.now() - began).toBeLessThan(30_000);
      await house.start();
      await change.tells('Outcome unknown');
      expect(house.writes()).toHaveLength(1);
    }),
  );

  test.each([
    ['nothing', ''],
    ['half its headers', 'POST /slack/events HTTP/1.1\r\nhost: bot\r\n'],
    ['half its body', 'POST /slack/events HTTP/1.1\r\nhost: bot\r\ncontent-length: 100\r\n\r\nhalf'],
  ])('politely, while somebody is connected who has sent %s: they keep it from nothing', async (_, words) =>
    inHouse({ ownProcess: 'the first', slack: { delivery: { kind: 'http' } } }, async (house) => {
      const stranger = connect(house.port(), '127.0.0.1');
      stranger.on('error', () => undefined).resume();
      await once(stranger, 'connect');
      stranger.write(words);
      await (await house.person('ana').says('/site whoami', 'C0GENERAL')).hears(ids.ana);
      expect(await house.stop()).toEqual({ code: 0, signal: null });
      stranger.destroy();
    })(),
  );
});

const hangingLook = (house: House): unknown =>
  house.hosting.journal
    .entries()
    .find(({ section, method, state }) => section === '4.17' && method === 'GET' && state === 'received');
