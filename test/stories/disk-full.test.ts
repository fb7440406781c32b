import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import { threeSeconds } from './three-seconds.ts';

const clear = '/site cache clear acme-shop/staging';
const finished = 'the host reports it finished';

/** Resolves when the bot has printed this text. */
const prints = (scenario: Scenario, words: RegExp): Promise<void> =>
  vi.waitFor(() => expect(words.test(scenario.log())).toBe(true), { timeout: patienceMs, interval: 50 });

describe.skipIf(process.platform !== 'linux')('the disk is full', () => {
  let scenario: Scenario;
  /** Makes all writes to files fail from now on, until there is room again. */
  let fill: () => void;
  let makeRoom: () => void;
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${scenario.port()}/readyz`)).status;
  beforeAll(async () => {
    scenario = await openScenario({ ownProcess: 'the first', start: false });
    const pid = (await scenario.start()).pid();
    const limit = (bytes: string): void =>
      void execFileSync('/bin/sh', ['-c', `prlimit --pid=${pid} --fsize=${bytes}:unlimited`]);
    fill = () => limit('0');
    makeRoom = () => limit('unlimited');
  });
  afterEach(() => {
    makeRoom();
    scenario.hosting.faults.remove();
  });
  afterAll(() => scenario.close());

  test('promise 1: nothing is taken on and nothing sent, and people are told; with room again it is sent once', async () => {
    const before = scenario.writes().length;
    scenario.runSql(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
    const change = await scenario.person('ana').asks(clear);
    fill();
    const inTime = threeSeconds(scenario.pid());
    const said = await scenario.person('ben').says(clear);
    inTime(said.outcome);
    await said.hears("My database isn't answering. If you see no card and no other answer to this, nothing was done");
    scenario.runSql(`delete from kv where key = 'pause'`);
    scenario.runSql(`update changes set due_at = 1, owner = null where state = 'approved'`);
    await prints(scenario, /disk I\/O error[^\n]*trouble while looking for work/);
    expect(scenario.log().includes('no transaction is active')).toBe(false);
    expect(scenario.writes()).toHaveLength(before);
    expect(await ready()).toBe(503);
    makeRoom();
    // By itself, also if nobody asks for anything.
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: patienceMs, interval: 100 });
    await change.tells(finished);
    expect(scenario.writes()).toHaveLength(before + 1);
    expect(scenario.rows('select number from changes')).toHaveLength(1);
  });

  test('promise 1: full while the host has a write: its answer is kept in memory until there is room, and told once', async () => {
    const before = scenario.writes().length;
    scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
    const change = await scenario.person('ana').asks(clear);
    await scenario.hosting.until(() => scenario.writes()[before], patienceMs);
    fill();
    await scenario.endHostDelays();
    await prints(scenario, /disk I\/O error[^\n]*trouble while saving what came of/);
    makeRoom();
    await change.tells(finished);
    expect(change.replies()).toHaveLength(1);
    const accepted = "select 1 from audit where event = 'accept' and change = ?";
    expect(scenario.rows(accepted, change.number)).toHaveLength(1);
    expect(scenario.writes()).toHaveLength(before + 1);
  });
});

test(
  'PostgreSQL is away at the start: the bot exits at once, with a sentence and without the password',
  inScenario({ ownProcess: 'the first', start: false }, async (scenario) => {
    const away = scenario.start({ DATABASE_URL: 'postgres://sitehand:canary-word@127.0.0.1:1/sitehand' });
    await expect(away).rejects.toThrow(
      /ended with 1:[^]*not started: The database cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1\. Nothing was changed/,
    );
    expect(scenario.log()).not.toContain('canary-word');
  }),
);
