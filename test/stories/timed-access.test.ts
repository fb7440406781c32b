import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** Fault 40: what a timed removal meets, and that it ends: bounded tries, no loop, never more removed than was added. */

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

type Person = Parameters<Scenario['person']>[0];
const address = '198.51.100.4';

/** Nothing tells of what is written into the database: looks until it is so. */
const soon = (isSo: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(isSo()).toBe(true), { timeout: patienceMs, interval: 50 });

/** Somebody is let into an environment for five minutes. */
async function letIn(at: Scenario, name: Person, environment: string, channel: string, forTime = '5m') {
  const found = at.hosting.world.environmentNamed(environment);
  if (found === undefined) throw new Error(`there is no ${environment}`);
  const before = [...found.allowlist];
  const words = `/site allowlist add ${environment} ${address} --for ${forTime}`;
  const isLive = environment.endsWith('/live');
  if (isLive) await at.person(name).opens(words, 'Removed again', channel);
  const added = await (isLive ? at.person(name).confirms({}, channel) : at.person(name).asks(words, channel));
  await added.tells(`✅ ${address} is on the SSH allowlist`);
  const timer = (column: string): unknown =>
    at.rows(`select ${column} as it from timers where change = ?`, added.number)[0]?.['it'];
  return {
    added,
    before,
    list: (): readonly string[] => found.allowlist,
    becomes: (...list: readonly string[]) => void found.allowlist.splice(0, Infinity, ...list),
    timer,
    /** The time is over, or the next try or reminder is due; resolves when the timer was looked after. */
    comesDue: async (): Promise<void> => {
      at.rewrite('update timers set due_at = 1 where change = ? and ended_at is null', added.number);
      await soon(() => timer('due_at') !== 1);
    },
    /** The timer is over; resolves when the database says so. */
    ends: () => soon(() => timer('ended_at') !== null),
    id: found.id,
    writes: () => at.writes(environment).length,
  };
}
type LetIn = Awaited<ReturnType<typeof letIn>>;

const refuse = (at: Scenario, { id }: LetIn, status: number): (() => void) => {
  const path = `/sites/environments/${id}/ssh/set-allowed-ips`;
  const { id: fault } = at.hosting.faults.add({ kind: 'status', status, method: 'POST', path, times: 'always' });
  return () => void at.hosting.faults.remove(fault);
};
const inOps = (at: Scenario, words: RegExp): readonly string[] =>
  at.slack
    .messages({ channel: 'C0OPS', as: 'U01ANA' })
    .map(({ text }) => text)
    .filter((text) => words.test(text));
const removals = (at: Scenario, { number }: ChangeThread): number =>
  at.rows("select number from changes where json_extract(authorization, '$.timerOf') = ?", number).length;

/** The playground's rules, with somebody who may take any lock away. */
const withForce = readFileSync('src/playground/policy.yml', 'utf8').replace(
  /^rules:$/m,
  "rules:\n  - { allow: ['unlock --force', unlock], to: [leads] }",
);

describe('the host refuses the removal', () => {
  test('with 403, every time: bounded tries that back off, it gives up loudly, and ops is reminded once a day', async () => {
    const it = await letIn(scenario, 'ana', 'acme-shop/staging', 'C0ACME');
    const stop = refuse(scenario, it, 403);
    for (let tries = 0; tries < 20 && it.timer('gave_up_at') === null; tries += 1) {
      const made = removals(scenario, it.added);
      await it.comesDue();
      if (removals(scenario, it.added) > made) {
        const number = Number(it.timer('created_change'));
        await (await scenario.change(number)).tells('❌ The host rejected it (403');
        const before = Date.now();
        await it.comesDue();
        if (it.timer('gave_up_at') === null) expect(Number(it.timer('due_at'))).toBeGreaterThan(before + 50_000);
      }
    }
    const given = await it.added.tells(/I gave up: 198\.51\.100\.4 can still connect to acme-shop\/staging/);
    expect(given.controls.map(({ label }) => label)).toEqual(['Remove now']);
    const written = it.writes();
    expect(written).toBe(1 + removals(scenario, it.added));
    expect(removals(scenario, it.added)).toBeLessThanOrEqual(6);
    // While it is tried one message is edited; the end is a message of its own.
    const tries = new RegExp(`^#${it.added.number} · .*should have ended .*(?:is still open|after 6 tries)`);
    const gaveUp = new RegExp(`#${it.added.number}[^]*I gave up: `);
    // What ops are told stands a moment after the thread.
    await scenario.slack.until(
      () => (inOps(scenario, gaveUp).length > 0 && inOps(scenario, tries).length > 0) || undefined,
    );
    expect([inOps(scenario, tries).length, inOps(scenario, gaveUp).length]).toEqual([1, 1]);
    for (const reminders of [1, 2]) {
      const before = Date.now();
      await it.comesDue();
      await scenario.slack.until(
        () => inOps(scenario, new RegExp(`#${it.added.number}[^]*Still open after`)).length === reminders || undefined,
        patienceMs,
      );
      expect(Number(it.timer('due_at'))).toBeGreaterThan(before + 86_000_000);
    }
    for (const text of inOps(scenario, new RegExp(`#${it.added.number}[^]*Still open after`)))
      expect(text.match(/When I last looked: /g)).toHaveLength(1);
    expect(it.writes()).toBe(written);

    stop();
    const removed = await scenario.person('ana').clicks(given, 'Remove now');
    await it.ends();
    expect(removed.answers()).toEqual([]);
    expect(it.list()).toEqual(it.before);
    expect(it.timer('due_at')).toBeNull();
  });

  test('with 500: the outcome is unknown, it is not sent again, and no change is made while nobody knows', async () => {
    const it = await letIn(scenario, 'ana', 'acme-docs/staging', 'D0U01ANA');
    refuse(scenario, it, 500);
    await it.comesDue();
    const removed = await scenario.change(Number(it.timer('created_change')));
    await removed.tells(/Outcome unknown/);
    for (let times = 0; times < 3; times += 1) await it.comesDue();
    expect(removals(scenario, it.added)).toBe(1);
    expect(it.writes()).toBe(2);
    expect(Number(it.timer('attempts'))).toBe(3);
    expect(it.timer('ended_at')).toBeNull();
  });

  test('with 429, and takes it at the third try: the access is over, and nothing is tried after that', async () => {
    const it = await letIn(scenario, 'ben', 'acme-blog/staging', 'C0GENERAL');
    const path = `/sites/environments/${it.id}/ssh/set-allowed-ips`;
    const headers = { 'retry-after': '1' };
    scenario.hosting.faults.add({ kind: 'status', status: 429, method: 'POST', path, times: 3, headers });
    await it.comesDue();
    const expired = await scenario.change(Number(it.timer('created_change')), 'ben');
    await expired.tells('⛔ Nothing was sent.');
    await it.comesDue();
    await it.added.tells(/should have ended .* and is still open/);
    await it.comesDue();
    await it.ends();
    expect(it.list()).toEqual(it.before);
    expect(removals(scenario, it.added)).toBe(2);
  });
});

describe('what somebody does meanwhile', () => {
  test('Ben lets it in for good: nothing is written, the timer is over, and nothing is taken away', async () => {
    const it = await letIn(scenario, 'ana', 'north-bakery/staging', 'G0BAKERY');
    const kept = await scenario.person('ben').asks(`/site allowlist add north-bakery/staging ${address}`, 'C0GENERAL');
    await kept.tells(/✅ Nothing had to be sent\. .*it is no longer timed access/);
    await kept.shows(`✅ Let ${address} stay on the SSH allowlist of north-bakery/staging for good: `);
    await it.added.tells(new RegExp(`stays on .* for good: #${kept.number}`));
    expect(it.timer('end_reason')).toBe('kept');
    expect(it.timer('due_at')).toBeNull();
    expect(it.writes()).toBe(1);
    expect(it.list()).toContain(address);
  });

  test('a set names it: for good as well; a set without it: there is nothing left to end', async () => {
    const it = await letIn(scenario, 'ana', 'harbor-events/staging', 'D0U01ANA');
    const set = await scenario
      .person('ana')
      .asks(`/site allowlist set harbor-events/staging ${address} 192.0.2.9`, 'D0U01ANA');
    await set.tells(/✅ The SSH allowlist of harbor-events\/staging is/);
    expect(it.timer('end_reason')).toBe('kept');
    await scenario.person('ana').asks('/site allowlist remove harbor-events/staging 192.0.2.9', 'D0U01ANA');
    const again = scenario.person('ana');
    await (
      await again.says(`/site allowlist add harbor-events/staging ${address} --for 5m`, 'D0U01ANA')
    ).hears('already on the SSH allowlist of harbor-events/staging for good');
    expect(it.list()).toContain(address);
  });

  test('more time is asked for: the end moves, never to an earlier one, and the old timer takes nothing away', async () => {
    const it = await letIn(scenario, 'ana', 'lumen-studio/staging', 'D0U01ANA', '1h');
    const longer = await scenario
      .person('ben')
      .asks(`/site allowlist add lumen-studio/staging ${address} --for 4h`, 'D0U02BEN');
    expect(longer.card().text).toMatch(/Was to end.*Will end.*4h after it is done/s);
    await longer.tells(/✅ Nothing had to be sent\./);
    await it.added.tells(new RegExp(`ends .* now: #${longer.number}`));
    expect(it.timer('end_reason')).toBe('moved');
    const endOf = (number: number): number =>
      Number(scenario.rows('select ends_at from timers where change = ? and ended_at is null', number)[0]?.['ends_at']);
    expect(endOf(longer.number)).toBeGreaterThan(Date.now() + 3.9 * 3_600_000);
    const end = endOf(longer.number);
    const shorter = await scenario
      .person('ana')
      .asks(`/site allowlist add lumen-studio/staging ${address} --for 5m`, 'D0U01ANA');
    await shorter.tells(/✅ Nothing had to be sent\./);
    expect(endOf(longer.number)).toBe(end);
    expect(scenario.rows('select id from timers where change = ?', shorter.number)).toEqual([]);
    expect(it.writes()).toBe(1);
  });

  test('and undoes the grant: the timer is over with it', async () => {
    const it = await letIn(scenario, 'ana', 'acme-shop/live', 'C0ACME');
    const proof = await it.added.tells(`✅ ${address} is on the SSH allowlist`);
    await scenario.person('ana').clicks(proof, 'Undo');
    await scenario.person('ana').form(/Take 198\.51\.100\.4 off/);
    const undone = await scenario.person('ana').confirms({}, 'C0ACME');
    await undone.tells(`✅ ${address} is not on the SSH allowlist of acme-shop/live any more`);
    await it.added.tells(new RegExp(`is over: #${undone.number} took it off the list`));
    expect(it.timer('end_reason')).toBe('removed');
    expect(it.list()).toEqual(it.before);
    // What ended by itself is not given back for good by a button.
    const over = await undone.tells(`✅ ${address} is not on the SSH allowlist`);
    expect(over.controls.map(({ label }) => label)).toEqual([]);
  });
});

describe.concurrent('an approval is asked for', () => {
  const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA, U02BEN], leads: [U03CHI] }
rules:
  - { allow: [read, 'allowlist remove'], to: [developers, leads] }
  - { allow: ['allowlist add'], to: [developers], where: ['acme-shop/*'] }
  - { allow: ['allowlist add'], to: [developers], where: ['acme-blog/*'], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;
  /** Let in with an approval, and for good by somebody else, who waits for theirs. */
  const asked = async (at: Scenario) => {
    const [ana, ben, chi] = [at.person('ana'), at.person('ben'), at.person('chi')];
    const added = await ana.asks(`/site allowlist add acme-blog/staging ${address} --for 5m`, 'C0GENERAL');
    await chi.clicks(added.card(), 'Approve');
    await added.tells(/✅ .* is on the SSH allowlist/);
    const forGood = await ben.asks(`/site allowlist add acme-blog/staging ${address}`, 'C0GENERAL');
    await forGood.tells('this is waiting for your approval');
    const timer = (): Record<string, unknown> =>
      at.rows('select * from timers where change = ?', added.number)[0] ?? {};
    return {
      chi,
      added,
      forGood,
      timer,
      list: () => at.hosting.world.environmentNamed('acme-blog/staging')?.allowlist ?? [],
    };
  };

  test(
    'for what writes nothing: it has its effect when it is approved, not before, and then nothing is written',
    inScenario({ policy }, async (at) => {
      const { chi, forGood, timer, list } = await asked(at);
      expect(timer()).toMatchObject({ end_reason: null });
      await chi.clicks(forGood.card(), 'Approve');
      await forGood.tells('Approved by @Chi. Nothing has to be sent for it.');
      await forGood.tells('✅ Nothing had to be sent.');
      expect(timer()).toMatchObject({ end_reason: 'kept', due_at: null });
      expect(list()).toContain(address);
      expect(at.writes('acme-blog/staging')).toHaveLength(1);
    }),
  );

  test(
    'and the access has ended before it is given: it is asked again, because it would be another change by now',
    inScenario({ policy }, async (at) => {
      const { chi, added, forGood, list } = await asked(at);
      at.rewrite('update timers set due_at = 1 where change = ?', added.number);
      await added.tells(/is over: #\d+ took it off the list/);
      expect(list()).not.toContain(address);
      const late = await chi.clicks(forGood.card(), 'Approve');
      await late.hears(`#${forGood.number} can no longer be approved`);
      await forGood.tells('Somebody changed acme-blog/staging in the meantime');
      expect(at.writes('acme-blog/staging')).toHaveLength(2);
    }),
  );
});

describe.concurrent('things stand still', () => {
  test(
    'all sending is paused: no change, no try and no word of it, and it is removed after resume',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site pause we move')).hears('Sending is paused: I send nothing from now on');
      at.rewrite('update timers set due_at = 1 where change = ?', it.added.number);
      // A change of another kind shows that the worker has looked for work since.
      const held = await at.person('ana').asks('/site cache clear acme-shop/staging');
      await held.shows('All sending is paused');
      const listed = await at.person('ana').says('/site timers');
      await listed.hears(/waits: all sending is paused/);
      expect([removals(at, it.added), it.timer('attempts'), it.timer('due_at')]).toEqual([0, 0, 1]);
      await (await at.person('chi').says('/site resume')).hears('on again');
      await it.ends();
      expect(it.list()).toEqual(it.before);
    }),
  );

  test(
    'somebody has locked it: it is said once and waits, and cancelling by name removes it now',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site lock acme-shop/staging release')).hears('is locked by you');
      for (let times = 0; times < 3; times += 1) await it.comesDue();
      const told = await it.added.tells(/is still open\. .*locked by @Chi/);
      expect(told.text).toContain('Not tried yet');
      expect(it.added.replies().filter(({ text }) => text.includes('still open'))).toHaveLength(1);
      expect(removals(at, it.added)).toBe(0);
      await (await at.person('chi').says('/site unlock acme-shop/staging')).hears('is unlocked');
      const listed = await at.person('ana').says('/site timers acme-shop/staging');
      await listed.hears(/not tried yet, still open/);
      const removed = await at.person('ana').asks(`/site timers cancel ${it.added.number}`);
      await removed.tells(`✅ ${address} is not on the SSH allowlist of acme-shop/staging any more`);
      expect(it.timer('end_reason')).toBe('removed');
      expect(it.list()).toEqual(it.before);
      await (await at.person('ana').says(`/site timers cancel ${it.added.number}`)).hears('is over');
    }),
  );

  test.each([
    ['for good', '', 'it stays for good now.'],
    ['for longer', ' --for 2h', 'it ends later now.'],
  ])('a try was told of, and then it is granted %s: the message of the tries says so', (_, more, how) =>
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site lock acme-shop/staging release')).hears('is locked by you');
      await it.comesDue();
      await it.added.tells(/is still open\. .*locked by @Chi/);
      await (await at.person('chi').says('/site unlock acme-shop/staging')).hears('is unlocked');
      const words = `/site allowlist add acme-shop/staging ${address}${more}`;
      await at.person('ben').asks(words);
      await it.ends();
      await it.added.tells(new RegExp(`^The access of .* should have ended .*; ${how}`));
      expect(it.list()).toContain(address);
    })(),
  );

  const ips = ({ id }: LetIn): string => `/sites/environments/${id}/ssh/get-allowed-ips`;

  test(
    'an old unknown removal is said to have happened: what was granted since is not touched, and ends in its time',
    inScenario({ policy: withForce }, async (at) => {
      const [ana, ben, chi, dee] = [at.person('ana'), at.person('ben'), at.person('chi'), at.person('dee')];
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      await (await ana.asks(`/site allowlist add acme-shop/staging ${address}`)).tells('✅');
      const path = `/sites/environments/${staging?.id}/ssh/set-allowed-ips`;
      at.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path, applied: true });
      const removal = await ana.asks(`/site allowlist remove acme-shop/staging ${address}`);
      const unknown = await removal.tells(/Outcome unknown/);
      await (await chi.says('/site unlock acme-shop/staging --force')).hears('is unlocked');
      const it = await letIn(at, 'ben', 'acme-shop/staging', 'C0ACME');
      at.rewrite('update changes set sent_at = 1 where number = ?', removal.number);
      await dee.clicks(unknown, 'It happened');
      await removal.tells('✅ @Dee says it happened.');
      expect(it.timer('end_reason')).toBeNull();
      await (await ben.says('/site timers')).hears('1 timer');
      await it.comesDue();
      await it.ends();
      expect(it.list()).not.toContain(address);
    }),
  );

  test(
    'an old unknown grant is said to have happened: it sets no end for what was granted for good since',
    inScenario({ policy: withForce }, async (at) => {
      const [ana, ben, chi, dee] = [at.person('ana'), at.person('ben'), at.person('chi'), at.person('dee')];
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      const path = `/sites/environments/${staging?.id}/ssh/set-allowed-ips`;
      at.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path });
      const lost = await ana.asks(`/site allowlist add acme-shop/staging ${address} --for 5m`);
      const unknown = await lost.tells(/Outcome unknown/);
      await (await chi.says('/site unlock acme-shop/staging --force')).hears('is unlocked');
      await (await ben.asks(`/site allowlist add acme-shop/staging ${address}`)).tells('✅');
      at.rewrite('update changes set sent_at = 1 where number = ?', lost.number);
      await dee.clicks(unknown, 'It happened');
      await lost.tells('⚠️ No end was set for the access of 198.51.100.4.');
      expect(at.rows('select * from timers')).toEqual([]);
    }),
  );

  test(
    'one answer of the host lacks the address: the timer looks again, and takes it off',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const body = { environment: { active_container: { sftp_ip_allowlist: ['203.0.113.10'] } } };
      at.hosting.faults.add({ kind: 'status', method: 'GET', path: ips(it), status: 200, body });
      await it.comesDue();
      expect([it.timer('end_reason'), it.timer('times_missing'), it.timer('attempts')]).toEqual([null, 1, 0]);
      await it.comesDue();
      await it.ends();
      expect(it.timer('end_reason')).toBe('removed');
      expect(it.list()).toEqual(it.before);
    }),
  );

  test(
    'its removal is unknown and its lock was taken away: cancelling tries once more, and does not call it under way',
    inScenario({ policy: withForce }, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const mend = refuse(at, it, 500);
      await it.comesDue();
      await (await at.change(Number(it.timer('created_change')))).tells(/Outcome unknown/);
      await (await at.person('chi').says('/site unlock acme-shop/staging --force')).hears('is unlocked');
      mend();
      const removed = await at.person('ana').asks(`/site timers cancel ${it.added.number}`);
      await removed.tells(`✅ ${address} is not on the SSH allowlist`);
      expect(it.timer('end_reason')).toBe('removed');
    }),
  );

  test(
    'the host lacks it in its lists, and answers about it by its id: the removal is sent, and not invalidated',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      for (let lists = 0; lists < 4; lists += 1) {
        at.passes(30_000);
        at.dropsOnce('acme-shop');
        await at.listsAnew();
      }
      at.passes(30_000);
      at.dropsOnce('acme-shop');
      await it.comesDue();
      await it.ends();
      expect([it.timer('end_reason'), it.timer('attempts')]).toEqual(['removed', 0]);
    }),
  );

  test(
    'two of one environment end together: the second waits for the first, counts no try and alarms nobody',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const other = await at.person('ben').asks('/site allowlist add acme-shop/staging 198.51.100.9 --for 5m');
      await other.tells('ends ');
      at.rewrite('update timers set due_at = 1');
      const open = () => at.rows('select attempts from timers where ended_at is null');
      await soon(() => open().length === 1);
      expect(open()).toEqual([{ attempts: 0 }]);
      at.rewrite('update timers set due_at = 1 where ended_at is null');
      await soon(() => open().length === 0);
      expect(it.list()).toEqual(it.before);
      expect(inOps(at, /still open/)).toEqual([]);
    }),
  );

  test(
    'Slack takes no edits: the wait for one and the same reason is told once, in the thread and to ops',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site lock acme-shop/staging release')).hears('is locked by you');
      at.slack.faults.add({ method: 'chat.update', kind: 'error', error: 'edit_window_closed' });
      for (let times = 0; times < 4; times += 1) {
        await it.comesDue();
        await soon(
          () => at.rows("select 1 from messages where due_at is not null and key like 'timer:%'").length === 0,
        );
      }
      const open = /is still open/;
      expect(it.added.replies().filter(({ text }) => open.test(text))).toHaveLength(1);
      expect(inOps(at, open)).toHaveLength(1);
    }),
  );

  test(
    'another change is under way there: it waits for its end, and alarms nobody',
    inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (at) => {
      const [ben, chi] = [at.person('ben'), at.person('chi')];
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const push = await ben.wants('/site push acme-shop/staging acme-shop/live --files');
      await chi.clicks(push.card(), 'Approve');
      await at.holds(push.number);
      for (let times = 0; times < 3; times += 1) await it.comesDue();
      expect(removals(at, it.added)).toBe(0);
      await ben.clicks(await push.tells('Sending in 10 s.'), 'Stop');
      await push.tells('Stopped by @Ben');
      await it.comesDue();
      await it.ends();
      expect(it.added.replies().some(({ text }) => text.includes('still open'))).toBe(false);
      expect(it.list()).toEqual(it.before);
    }),
  );

  test(
    'whoever may not take addresses off the list may not cancel, and hears it',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const said = await at.person('rob').says(`/site timers cancel ${it.added.number}`, 'C0ACME');
      await said.hears(/You may not use timers cancel/);
      expect(it.list()).toContain(address);
    }),
  );
});

describe.concurrent('fault 31: the host cannot be read when it is due', () => {
  const everythingIsAway = { kind: 'status', status: 503, method: 'GET', path: '/**', times: 'always' } as const;
  const noSites = {
    kind: 'status',
    status: 200,
    path: '/sites',
    times: 'always',
    body: { company: { sites: [] } },
  } as const;
  const noThemes = { kind: 'status', status: 503, section: '4.1', times: 'always' } as const;

  test(
    '503 to everything after a restart: later, never gone; the requester and ops hear it, and it is removed then',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await at.stop();
      const { id: fault } = at.hosting.faults.add(everythingIsAway);
      at.rewrite('update timers set due_at = 1 where change = ?', it.added.number);
      // It is not ready before it has listed the sites, and works all the same.
      at.start().catch(() => undefined);
      const told = await it.added.tells(/@Ana The access of 198\.51\.100\.4 .* is still open/);
      expect(told.text).not.toMatch(/gone|nothing left/i);
      await at.slack.until(
        () => inOps(at, new RegExp(`#${it.added.number} .*is still open`, 's')).length > 0 || undefined,
        patienceMs,
      );
      // However long the host is away, that is no try: nothing is given up.
      for (let times = 0; times < 8; times += 1) await it.comesDue();
      expect([it.timer('ended_at'), it.timer('gave_up_at'), it.timer('attempts')]).toEqual([null, null, 0]);
      at.hosting.faults.remove(fault);
      await it.comesDue();
      await soon(() => it.list().length === it.before.length);
      await soon(() => at.rows('select number from changes where settled_at is null').length === 0);
      await it.comesDue();
      await it.ends();
      expect(it.list()).toEqual(it.before);
    }),
  );

  test(
    '200 with an empty list of sites after a restart: it needs no list, and is removed',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await at.stop();
      at.hosting.faults.add(noSites);
      at.hosting.faults.add(noThemes);
      at.rewrite('update timers set due_at = 1 where change = ?', it.added.number);
      at.start().catch(() => undefined);
      await soon(() => it.list().length === it.before.length);
      expect(it.list()).toEqual(it.before);
      expect(it.added.replies().some(({ text }) => /gone/.test(text))).toBe(false);
    }),
  );

  /** The host's own 404, in JSON, for one look at the list of the environment. */
  const notFound = (at: Scenario, { id }: LetIn): void => {
    const path = `/sites/environments/${id}/ssh/get-allowed-ips`;
    const body = { message: 'Environment not found.', status: 404, data: null };
    at.hosting.faults.add({ kind: 'status', method: 'GET', path, status: 404, body });
  };

  test(
    'one listing lacks the site and one look answers 404: later, and no try; it is removed once at the next look',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      at.passes(10_000);
      at.dropsOnce('acme-shop');
      notFound(at, it);
      await it.comesDue();
      const told = await it.added.tells(/is still open\. .*does not list acme-shop\/staging either.*Not tried yet/s);
      expect(told.text).not.toMatch(/is gone: |nothing left/);
      expect([it.timer('ended_at'), it.timer('attempts'), it.writes()]).toEqual([null, 0, 1]);
      at.passes(10_000);
      await it.comesDue();
      await it.ends();
      expect(it.timer('end_reason')).toBe('removed');
      expect(it.list()).toEqual(it.before);
      expect(it.writes()).toBe(2);
    }),
  );

  test(
    'the environment answers 404 and three lists over a minute lack it: gone, and that is said and written down',
    inScenario({}, async (at) => {
      const it = await letIn(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      if (staging) at.hosting.world.removeEnvironment(staging);
      const { id: fault } = at.hosting.faults.add(noSites);
      at.passes(10_000);
      await at.listsAnew();
      await it.comesDue();
      await it.added.tells(/is still open/);
      expect(it.timer('ended_at')).toBeNull();
      at.hosting.faults.remove(fault);
      for (const list of [1, 2, 3]) {
        at.passes(30_000);
        expect([list, it.timer('ended_at'), it.timer('attempts')]).toEqual([list, null, 0]);
        await it.comesDue();
      }
      await it.added.tells(/acme-shop\/staging is gone: /);
      expect(it.timer('end_reason')).toBe('gone');
      const events = at.rows('select event from audit where change = ? order by seq', it.added.number);
      expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['timer_set', 'timer_ended']));
    }),
  );
});
