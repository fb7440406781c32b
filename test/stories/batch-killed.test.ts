import { expect, test } from 'vitest';
import { maxUnderWay } from '../../src/change/batch.ts';
import { setBackKey } from '../../src/storage/timeline.ts';
import { submitBatch, editsOf, eventually, manySites, namesOfMany, policy, writeCounts } from './batch.ts';
import { inTime, threeSeconds } from './three-seconds.ts';
import { inScenario, patienceMs, type Scenario, stateOf } from './scenario.ts';
import type { ChangeThread, TestUser } from './people.ts';

/** Batches of many environments: what others notice of one, and what is left of it after kills and a restore. */

const clear = '/site cache clear many-*/live';
const durations = { 'cache:clear': 0 } as const;
const twoHundred = { policy, hosting: { plan: manySites(201), durations } } as const;
const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

test(
  'two hundred on a slow host, with Slack’s limits: acked in time, drawn at most every five seconds, and others do not wait for it',
  inScenario({ ...twoHundred, ownProcess: 'all', slack: { rateLimits: true } }, async (scenario) => {
    const [ana, ben] = [scenario.person('ana'), scenario.person('ben')];
    const names = namesOfMany(200);
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 300, times: 'always' });
    const acks = threeSeconds(scenario.pid());
    const said = await ana.says(`${clear} except many-200/live`);
    const review = await ana.form('Leave out');
    expect(review.text).toContain('Clear the cache of 200 environments');
    const submitted = await ana.submits();
    acks(said.outcome, submitted);
    const card = await scenario.change(1);
    const began = performance.now();
    await scenario.hosting.until(() => scenario.writes()[8], patienceMs);
    const onTime = inTime(5_000, scenario.pid());
    const [sentBefore, drawnBefore] = [scenario.writes().length, editsOf(scenario, card)];
    const other = await ben.asks('/site cache clear many-200/live');
    expect(editsOf(scenario, card) - drawnBefore).toBeLessThanOrEqual(1);
    await scenario.hosting.until(() => scenario.writes('many-200/live')[0], patienceMs);
    onTime();
    // It is not behind what the batch has still to send, but beside a few rounds of eight.
    expect(scenario.writes().length - sentBefore).toBeLessThanOrEqual(3 * maxUnderWay);
    await other.shows('Done after');
    await other.tells('the host reports it finished');
    expect(scenario.writes().length - sentBefore).toBeLessThanOrEqual(5 * maxUnderWay);
    await scenario.hosting.until(() => scenario.writes()[40], patienceMs);
    await card.shows('[Stop]');
    await ben.clicks(card.card(), 'Stop');
    await card.shows('[End it]');
    const edits = editsOf(scenario, card);
    // It begins, stops, and comes to rest besides.
    expect(edits).toBeLessThanOrEqual((performance.now() - began) / 5_000 + 5);
    const sent = sum(writeCounts(scenario, names));
    await card.shows(`${sent} of 200 done`);
    await ana.clicks(card.card(), 'End it');
    await card.tells('It is over, and not all are done.');
    expect(sum(writeCounts(scenario, names))).toBe(sent);
    expect(Math.max(...writeCounts(scenario, names))).toBe(1);
    expect(card.replies()).toHaveLength(2);
    expect(scenario.slack.calls().filter(({ result }) => result === 'ratelimited')).toEqual([]);
  }),
);

/** Presses on until it is over; resolves with how it ended. */
async function pressesOn(scenario: Scenario, card: ChangeThread, by: TestUser): Promise<void> {
  // What is unknown keeps it open until it is closed.
  const isTried = (): boolean => card.card().text.includes('All were tried');
  const isOver = (): boolean => ['done', 'ended'].includes(String(stateOf(scenario, card))) || isTried();
  while (!isOver()) {
    await eventually(scenario, 'a stop or an end', () => isOver() || stateOf(scenario, card) === 'stopped');
    if (isOver()) return;
    await eventually(scenario, 'a button to go on', () => isOver() || /\[(Go on|End it)\]/.test(card.card().text));
    if (isOver()) return;
    const label = card.card().text.includes('[Go on]') ? 'Go on' : 'End it';
    const said = await by.clicks(card.card(), label);
    await eventually(scenario, 'an answer', () => stateOf(scenario, card) !== 'stopped' || said.answers().length > 0);
  }
}

test(
  'promise 1: killed three times in the middle, while the host fails in three ways: nobody is written twice, and the card counts what the host has',
  inScenario({ policy, hosting: { plan: manySites(40), durations }, ownProcess: 'all' }, async (scenario) => {
    const ana = scenario.person('ana');
    const names = namesOfMany(40);
    scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST', skip: 5 });
    scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', skip: 12 });
    scenario.hosting.faults.add({ kind: 'reset', at: 'after-headers', method: 'POST', skip: 20 });
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 200, times: 'always' });
    const card = await submitBatch(ana, clear);
    for (const killedAt of [3, 10, 18]) {
      const over = pressesOn(scenario, card, ana).catch(() => undefined);
      await scenario.hosting.until(() => scenario.writes()[killedAt], patienceMs);
      await scenario.kill();
      // The leases of the dead would end by themselves, within a minute.
      scenario.runSql('update changes set lease_until = 1, due_at = 1 where owner is not null');
      scenario.runSql('update messages set lease_until = 1 where owner is not null');
      await scenario.start();
      void over;
    }
    await pressesOn(scenario, card, ana);
    const counts = writeCounts(scenario, names);
    expect(Math.max(...counts)).toBe(1);
    const of = (...states: readonly string[]): number => sum(states.map(inState));
    const inState = (state: string): number =>
      scenario.rows('select 1 from changes where batch = ? and state = ?', card.number, state).length;
    expect(of('rejected')).toBe(1);
    expect(of('unknown')).toBeGreaterThanOrEqual(1);
    // An answer that breaks off after its 202 counts as accepted.
    const [done, accepted] = [of('done'), of('accepted')];
    await card.shows(`${done} of 40 done${accepted > 0 ? ` · ${accepted} accepted` : ''}`);
    expect(card.card().text).toContain(`${of('unknown')} unknown`);
    // What was killed between saving that it sends and sending is unknown too, and was not written.
    expect(sum(counts)).toBeGreaterThanOrEqual(done + accepted + 2);
    expect(sum(counts)).toBeLessThanOrEqual(done + accepted + 1 + of('unknown'));
    expect(card.replies().length).toBeLessThanOrEqual(2);
  }),
);

test(
  'promise 1: restored from a backup in the middle: it ends, says that more may have been done, and sends nothing more',
  inScenario({ policy, hosting: { plan: manySites(30), durations } }, async (scenario) => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 200, times: 'always' });
    const card = await submitBatch(ana, clear);
    await scenario.hosting.until(() => scenario.writes()[3], patienceMs);
    await scenario.stop();
    const from = Date.UTC(2026, 0, 2, 3, 4);
    const value = JSON.stringify({ kind: 'restored', from, at: from + 60_000 });
    scenario.runSql('insert into kv (key, value, at) values (?, ?, 1)', setBackKey, value);
    await scenario.start();
    await card.tells("I've ended this batch.");
    await card.tells('More of it may have been done than its card says');
    await scenario.becomes(card.number, 'ended');
    const sent = scenario.writes().length;
    await (await chi.says('/site resume')).hears('I ended the pause that Sitehand started');
    await ana.asks('/site cache clear many-029/live');
    await eventually(scenario, 'the next write', () => scenario.writes('many-029/live').length === 1);
    expect(scenario.writes()).toHaveLength(sent + 1);
    expect(
      scenario.rows(`select 1 from changes where batch = 1 and state in ('approved', 'sending', 'waiting')`),
    ).toEqual([]);
  }),
);
