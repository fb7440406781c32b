import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inScenario, openScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** Fault 40: in any trouble a timed removal ends after bounded tries and never removes more than was added. */

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario();
});
afterAll(() => scenario.close());

type Person = Parameters<Scenario['person']>[0];
const address = '198.51.100.4';

/** Polls, because the database does not notify. */
const soon = (isSo: () => boolean): Promise<void> =>
  vi.waitFor(() => expect(isSo()).toBe(true), { timeout: patienceMs, interval: 50 });

/** Allows an address on an environment for five minutes. */
async function allowed(at: Scenario, name: Person, environment: string, channel: string, forTime = '5m') {
  const found = at.hosting.world.environmentNamed(environment);
  if (found === undefined) throw new Error(`there is no ${environment}`);
  const before = [...found.allowlist];
  const words = `/site allowlist add ${environment} ${address} --for ${forTime}`;
  const isLive = environment.endsWith('/live');
  if (isLive) await at.person(name).opens(words, 'Ends', channel);
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
    /** Makes the timer, its next try or its reminder due. Resolves when the bot has handled it. */
    comesDue: async (): Promise<void> => {
      at.runSql('update timers set due_at = 1 where change = ? and ended_at is null', added.number);
      await soon(() => timer('due_at') !== 1);
    },
    /** Resolves when the database says that the timer has ended. */
    ends: () => soon(() => timer('ended_at') !== null),
    id: found.id,
    writes: () => at.writes(environment).length,
  };
}
type Allowed = Awaited<ReturnType<typeof allowed>>;

const refuse = (at: Scenario, { id }: Allowed, status: number): (() => void) => {
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

/** The playground's policy, plus somebody who may remove any lock. */
const withForce = readFileSync('src/playground/policy.yml', 'utf8').replace(
  /^rules:$/m,
  "rules:\n  - { allow: ['unlock --force', unlock], to: [leads] }",
);

describe('the host refuses the removal', () => {
  test('with 403, every time: bounded tries that back off, it gives up loudly, and ops is reminded once a day', async () => {
    const it = await allowed(scenario, 'ana', 'acme-shop/staging', 'C0ACME');
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
    const warned = /^⚠️ [^]*it is still open after 6 tries, and I gave up\./;
    await scenario.slack.until(() => warned.test(it.added.card().text) || undefined);
    const written = it.writes();
    expect(written).toBe(1 + removals(scenario, it.added));
    expect(removals(scenario, it.added)).toBeLessThanOrEqual(6);
    // All tries edit one message; the end is a message of its own.
    const tries = new RegExp(`^#${it.added.number} · .*should have ended .*(?:is still open|after 6 tries)`);
    const gaveUp = new RegExp(`#${it.added.number}[^]*I gave up: `);
    // The message to ops is posted a moment after the thread.
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

  test('with 500: the outcome is unknown, it is not sent again, and no other change is made meanwhile', async () => {
    const it = await allowed(scenario, 'ana', 'acme-docs/staging', 'D0U01ANA');
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
    const it = await allowed(scenario, 'ben', 'acme-blog/staging', 'C0GENERAL');
    const path = `/sites/environments/${it.id}/ssh/set-allowed-ips`;
    const headers = { 'retry-after': '1' };
    scenario.hosting.faults.add({ kind: 'status', status: 429, method: 'POST', path, times: 3, headers });
    await it.comesDue();
    const expired = await scenario.change(Number(it.timer('created_change')), 'ben');
    await expired.tells('⛔ Nothing was sent.');
    // The message about the timer's attempts tells it.
    expect(scenario.rows("select key from messages where kind = 'direct' and change = ?", expired.number)).toEqual([]);
    await it.comesDue();
    await it.added.tells(/should have ended .* and is still open/);
    await it.comesDue();
    await it.ends();
    expect(it.list()).toEqual(it.before);
    expect(removals(scenario, it.added)).toBe(2);
  });
});

describe('somebody does this meanwhile:', () => {
  test('Ben allows it for good: nothing is written, the timer ends, and nothing is removed', async () => {
    const it = await allowed(scenario, 'ana', 'north-bakery/staging', 'G0BAKERY');
    const kept = await scenario.person('ben').asks(`/site allowlist add north-bakery/staging ${address}`, 'C0GENERAL');
    await kept.tells(/✅ Nothing had to be sent\. .*it is no longer timed access/);
    await kept.shows(`✅ Let ${address} stay on the SSH allowlist of north-bakery/staging for good: `);
    await it.added.tells(new RegExp(`stays on .* for good: #${kept.number}`));
    expect(it.timer('end_reason')).toBe('kept');
    expect(it.timer('due_at')).toBeNull();
    expect(it.writes()).toBe(1);
    expect(it.list()).toContain(address);
  });

  test('a set with the address allows it for good too; after a set without it there is nothing left to remove', async () => {
    const it = await allowed(scenario, 'ana', 'harbor-events/staging', 'D0U01ANA');
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

  test('more time is asked for: the end moves, never to an earlier time, and the old timer removes nothing', async () => {
    const it = await allowed(scenario, 'ana', 'lumen-studio/staging', 'D0U01ANA', '1h');
    const longer = await scenario
      .person('ben')
      .asks(`/site allowlist add lumen-studio/staging ${address} --for 4h`, 'D0U02BEN');
    await longer.tells(/✅ Nothing had to be sent\./);
    const words = await scenario.person('ben').says(`/site change ${longer.number}`, 'D0U02BEN');
    await words.hears(/Was to end.*Will end.*4h after it is done/s);
    await it.added.tells(new RegExp(`^#${longer.number}, asked by @\\w+, moved the end of the access of .* to `));
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

  test('undoes the grant: the timer ends too', async () => {
    const it = await allowed(scenario, 'ana', 'acme-shop/live', 'C0ACME');
    const proof = await it.added.tells(`✅ ${address} is on the SSH allowlist`);
    await scenario.person('ana').clicks(proof, 'Undo');
    await scenario.person('ana').form(/Take 198\.51\.100\.4 off/);
    const undone = await scenario.person('ana').confirms({}, 'C0ACME');
    await undone.tells(`✅ ${address} is not on the SSH allowlist of acme-shop/live any more`);
    await it.added.tells(new RegExp(`is over: #${undone.number} took it off the list`));
    expect(it.timer('end_reason')).toBe('removed');
    expect(it.list()).toEqual(it.before);
    // Undo of a timed removal would grant access for good, so there is no such button.
    const over = await undone.tells(`✅ ${address} is not on the SSH allowlist`);
    expect(over.controls.map(({ label }) => label)).toEqual([]);
  });
});

describe.concurrent('an approval is needed', () => {
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
  /** Timed access that was approved, and a request for permanent access that waits for approval. */
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
    'for a change that writes nothing: it takes effect when approved, not before, and nothing is written',
    inScenario({ policy }, async (at) => {
      const { chi, forGood, timer, list } = await asked(at);
      expect(timer()).toMatchObject({ end_reason: null });
      await chi.clicks(forGood.card(), 'Approve');
      await forGood.tells('Approved by @Chi.');
      await forGood.tells('✅ Nothing had to be sent.');
      expect(timer()).toMatchObject({ end_reason: 'kept', due_at: null });
      expect(list()).toContain(address);
      expect(at.writes('acme-blog/staging')).toHaveLength(1);
    }),
  );

  test(
    'and the access ends before it is given: the change must be requested again, because it would now be another one',
    inScenario({ policy }, async (at) => {
      const { chi, added, forGood, list } = await asked(at);
      at.runSql('update timers set due_at = 1 where change = ?', added.number);
      await added.tells(/is over: #\d+ took it off the list/);
      expect(list()).not.toContain(address);
      const late = await chi.clicks(forGood.card(), 'Approve');
      await late.hears(`#${forGood.number} can no longer be approved`);
      await forGood.tells('Somebody changed acme-blog/staging in the meantime');
      expect(at.writes('acme-blog/staging')).toHaveLength(2);
    }),
  );
});

describe.concurrent('sending is held back', () => {
  test(
    'all sending is paused: no change, no try and no message, and it is removed after resume',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site pause we move')).hears('Sending is paused: I send nothing from now on');
      at.runSql('update timers set due_at = 1 where change = ?', it.added.number);
      // A change of another kind shows that the worker has polled since.
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
    'somebody has locked it: this is said once, the removal waits, and cancelling by name removes it now',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site lock acme-shop/staging release')).hears('is locked by you');
      for (let times = 0; times < 3; times += 1) await it.comesDue();
      const reply = await it.added.tells(/is still open\. .*locked by @Chi/);
      expect(reply.text).toContain('No removal was tried yet');
      expect(it.added.replies().filter(({ text }) => text.includes('still open'))).toHaveLength(1);
      expect(removals(at, it.added)).toBe(0);
      await (await at.person('chi').says('/site unlock acme-shop/staging')).hears('is unlocked');
      const listed = await at.person('ana').says('/site timers acme-shop/staging');
      await listed.hears(/not tried yet, still open/);
      const removed = await at.person('ana').asks(`/site timers cancel ${it.added.number}`);
      await removed.tells(`✅ ${address} is not on the SSH allowlist of acme-shop/staging any more`);
      expect(it.timer('end_reason')).toBe('removed');
      expect(it.list()).toEqual(it.before);
      await (await at.person('ana').says(`/site timers cancel ${it.added.number}`)).hears('has already ended');
    }),
  );

  test.each([
    ['for good', '', 'it stays for good now.'],
    ['for longer', ' --for 2h', 'it ends later now.'],
  ])('a failed try was reported, and then access is granted %s: the message of the tries says so', (_, more, how) =>
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await (await at.person('chi').says('/site lock acme-shop/staging release')).hears('is locked by you');
      await it.comesDue();
      await it.added.tells(/is still open\. .*locked by @Chi/);
      await (await at.person('chi').says('/site unlock acme-shop/staging')).hears('is unlocked');
      const words = `/site allowlist add acme-shop/staging ${address}${more}`;
      await at.person('ben').asks(words);
      await it.ends();
      await it.added.tells(new RegExp(`^The access of .* should have ended .*: ${how}`));
      expect(it.list()).toContain(address);
    })(),
  );

  const ips = ({ id }: Allowed): string => `/sites/environments/${id}/ssh/get-allowed-ips`;

  test(
    'an old unknown removal is closed as happened: access granted since is not touched, and ends at its own time',
    inScenario({ policy: withForce }, async (at) => {
      const [ana, ben, chi, dee] = [at.person('ana'), at.person('ben'), at.person('chi'), at.person('dee')];
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      await (await ana.asks(`/site allowlist add acme-shop/staging ${address}`)).tells('✅');
      const path = `/sites/environments/${staging?.id}/ssh/set-allowed-ips`;
      at.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path, applied: true });
      const removal = await ana.asks(`/site allowlist remove acme-shop/staging ${address}`);
      const unknown = await removal.tells(/Outcome unknown/);
      await (await chi.says('/site unlock acme-shop/staging --force')).hears('is unlocked');
      const it = await allowed(at, 'ben', 'acme-shop/staging', 'C0ACME');
      at.runSql('update changes set sent_at = 1 where number = ?', removal.number);
      await dee.clicks(unknown, 'It happened');
      await removal.tells('✅ @Dee says it happened.');
      expect(it.timer('end_reason')).toBeNull();
      await (await ben.says('/site timers')).hears('1 timer');
      await it.comesDue();
      await it.ends();
      expect(it.list()).not.toContain(address);
    }),
  );

  test.each([
    ['granted for good since', 'was', '✅'],
    ['that may have been granted for good since', 'may have been', /Outcome unknown/],
  ])('an old unknown grant is closed as happened: it sets no end for access %s', (_, was, outcome) =>
    inScenario({ policy: withForce }, async (at) => {
      const [ana, ben, chi, dee] = [at.person('ana'), at.person('ben'), at.person('chi'), at.person('dee')];
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      const path = `/sites/environments/${staging?.id}/ssh/set-allowed-ips`;
      const fail = () => at.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', path });
      fail();
      const lost = await ana.asks(`/site allowlist add acme-shop/staging ${address} --for 5m`);
      const unknown = await lost.tells(/Outcome unknown/);
      await (await chi.says('/site unlock acme-shop/staging --force')).hears('is unlocked');
      if (outcome !== '✅') fail();
      await (await ben.asks(`/site allowlist add acme-shop/staging ${address}`)).tells(outcome);
      at.runSql('update changes set sent_at = 1 where number = ?', lost.number);
      await dee.clicks(unknown, 'It happened');
      await lost.tells('⚠️ No end was set for the access of 198.51.100.4.');
      await lost.tells(`The allowlist of acme-shop/staging ${was} changed since this was sent`);
      expect(at.rows('select * from timers')).toEqual([]);
    })(),
  );

  test(
    'one answer of the host lacks the address: the timer reads again, and removes it',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
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
    'its removal is unknown and its lock was removed: cancelling tries once more, and does not say that it is running',
    inScenario({ policy: withForce }, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
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
    'the host omits the environment from its lists, but answers by its id: the removal is sent, not invalidated',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      for (let lists = 0; lists < 4; lists += 1) {
        at.advanceTime(30_000);
        at.omitSiteOnce('acme-shop');
        await at.refreshListing();
      }
      at.advanceTime(30_000);
      at.omitSiteOnce('acme-shop');
      await it.comesDue();
      await it.ends();
      expect([it.timer('end_reason'), it.timer('attempts')]).toEqual(['removed', 0]);
    }),
  );

  test(
    'two of one environment end together: the second waits for the first, counts no try and alerts nobody',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const other = await at.person('ben').asks('/site allowlist add acme-shop/staging 198.51.100.9 --for 5m');
      await other.tells('ends ');
      at.runSql('update timers set due_at = 1');
      const open = () => at.rows('select attempts from timers where ended_at is null');
      await soon(() => open().length === 1);
      expect(open()).toEqual([{ attempts: 0 }]);
      at.runSql('update timers set due_at = 1 where ended_at is null');
      await soon(() => open().length === 0);
      expect(it.list()).toEqual(it.before);
      expect(inOps(at, /still open/)).toEqual([]);
    }),
  );

  test(
    'Slack takes no edits: a wait for the same reason is reported once, in the thread and to ops',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
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
    'another change is running there: the removal waits for its end, and alerts nobody',
    inScenario({ hosting: { durations: { 'environments:push': 0 } } }, async (at) => {
      const [ben, chi] = [at.person('ben'), at.person('chi')];
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const push = await ben.requests('/site push acme-shop/staging acme-shop/live --files');
      await chi.clicks(push.card(), 'Approve');
      await at.holdBeforeSend(push.number);
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
    'somebody who may not remove addresses may not cancel, and is told so',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const said = await at.person('rob').says(`/site timers cancel ${it.added.number}`, 'C0ACME');
      await said.hears(/You may not use timers cancel/);
      expect(it.list()).toContain(address);
    }),
  );
});

describe.concurrent('fault 31: the host cannot be read when it is due', () => {
  const allReadsFail = { kind: 'status', status: 503, method: 'GET', path: '/**', times: 'always' } as const;
  const noSites = {
    kind: 'status',
    status: 200,
    path: '/sites',
    times: 'always',
    body: { company: { sites: [] } },
  } as const;
  const noThemes = { kind: 'status', status: 503, section: '4.1', times: 'always' } as const;

  test(
    '503 to everything after a restart: later, never gone; the requester and ops are told, and it is removed afterwards',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await at.stop();
      const { id: fault } = at.hosting.faults.add(allReadsFail);
      at.runSql('update timers set due_at = 1 where change = ?', it.added.number);
      // The bot works before it is ready, that is, before it has listed the sites.
      at.start().catch(() => undefined);
      const reply = await it.added.tells(/@Ana The access of 198\.51\.100\.4 .* is still open/);
      expect(reply.text).not.toMatch(/gone|nothing left/i);
      await at.slack.until(
        () => inOps(at, new RegExp(`#${it.added.number} .*is still open`, 's')).length > 0 || undefined,
        patienceMs,
      );
      // A host that is away costs no try, so nothing is given up.
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
    '503 to all but the first read of each turn: no try is counted, for nothing was sent',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const path = `/sites/environments/${it.id}/ssh/get-allowed-ips`;
      for (let times = 0; times < 7; times += 1) {
        const { id } = at.hosting.faults.add({
          kind: 'status',
          status: 503,
          method: 'GET',
          path,
          skip: 1,
          times: 'always',
        });
        await it.comesDue();
        at.hosting.faults.remove(id);
      }
      expect([it.timer('gave_up_at'), it.timer('attempts'), it.writes()]).toEqual([null, 0, 1]);
      await it.comesDue();
      await soon(() => it.list().length === it.before.length);
    }),
  );

  test(
    'not at all while the bot is stopped: that says nothing, and it is due at once afterwards',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const path = `/sites/environments/${it.id}/ssh/get-allowed-ips`;
      const { id } = at.hosting.faults.add({ kind: 'hang', method: 'GET', path, times: 'always' });
      at.runSql('update timers set due_at = 1 where change = ?', it.added.number);
      await at.hosting.until(() =>
        at.hosting.journal.entries().find((entry) => entry.path === path && entry.state === 'received'),
      );
      await at.stop();
      expect([it.timer('attempts'), it.timer('last_note')]).toEqual([0, null]);
      expect(Number(it.timer('due_at'))).toBeLessThanOrEqual(Date.now());
      at.hosting.faults.remove(id);
      await at.start();
      await soon(() => it.list().length === it.before.length);
      expect(it.added.replies().some(({ text }) => /still open/.test(text))).toBe(false);
    }),
  );

  test(
    '200 with an empty list of sites after a restart: the removal needs no list, and is sent',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      await at.stop();
      at.hosting.faults.add(noSites);
      at.hosting.faults.add(noThemes);
      at.runSql('update timers set due_at = 1 where change = ?', it.added.number);
      at.start().catch(() => undefined);
      await soon(() => it.list().length === it.before.length);
      expect(it.list()).toEqual(it.before);
      expect(it.added.replies().some(({ text }) => /gone/.test(text))).toBe(false);
    }),
  );

  /** The host's own 404, in JSON, for one read of the environment's allowlist. */
  const notFound = (at: Scenario, { id }: Allowed): void => {
    const path = `/sites/environments/${id}/ssh/get-allowed-ips`;
    const body = { message: 'Environment not found.', status: 404, data: null };
    at.hosting.faults.add({ kind: 'status', method: 'GET', path, status: 404, body });
  };

  test(
    'one listing lacks the site and one read answers 404: later, and no try; it is removed once at the next read',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      at.advanceTime(10_000);
      at.omitSiteOnce('acme-shop');
      notFound(at, it);
      await it.comesDue();
      const reply = await it.added.tells(
        /is still open\. .*does not list acme-shop\/staging either.*No removal was tried yet/s,
      );
      expect(reply.text).not.toMatch(/is gone: |nothing left/);
      expect([it.timer('ended_at'), it.timer('attempts'), it.writes()]).toEqual([null, 0, 1]);
      at.advanceTime(10_000);
      await it.comesDue();
      await it.ends();
      expect(it.timer('end_reason')).toBe('removed');
      expect(it.list()).toEqual(it.before);
      expect(it.writes()).toBe(2);
    }),
  );

  test(
    'the environment answers 404 and three lists over a minute lack it: gone, which is reported and audited',
    inScenario({}, async (at) => {
      const it = await allowed(at, 'ana', 'acme-shop/staging', 'C0ACME');
      const staging = at.hosting.world.environmentNamed('acme-shop/staging');
      if (staging) at.hosting.world.removeEnvironment(staging);
      const { id: fault } = at.hosting.faults.add(noSites);
      at.advanceTime(10_000);
      await at.refreshListing();
      await it.comesDue();
      await it.added.tells(/is still open/);
      expect(it.timer('ended_at')).toBeNull();
      at.hosting.faults.remove(fault);
      for (const list of [1, 2, 3]) {
        at.advanceTime(30_000);
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
