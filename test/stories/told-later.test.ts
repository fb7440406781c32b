import { describe, expect, test, vi } from 'vitest';
import { expectSoon, type TestUser } from './people.ts';
import { inScenario, patienceMs, reloadPolicy, stateOf, type Scenario } from './scenario.ts';

/** What becomes of messages that people were sent directly, when the change, its rules or Slack do not stand still. */

const policyOf = (leads: string, readers: string): string => `
version: 1
live: ['*/live']
groups:
  leads: [${leads}]
  developers: [U01ANA, U02BEN]
  readers: [${readers}]
rules:
  - { allow: [read, lock], to: [readers] }
  - { allow: [pause, resume, unlock], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
const policy = policyOf('U03CHI, U04DEE', 'U01ANA, U02BEN, U03CHI, U04DEE');
const withoutDee = policyOf('U03CHI', 'U01ANA, U02BEN, U03CHI');
const options = { policy, hosting: { durations: { 'environments:push': 0 } } } as const;
const push = '/site push acme-shop/staging acme-shop/live --files';

const textsOf = ({ slack }: Scenario, { direct, id }: TestUser): readonly string[] =>
  slack.messages({ channel: direct, as: id }).map(({ text }) => text);

/** Waits until one of the messages that somebody got directly has these words, as it is now. */
const shows = (scenario: Scenario, person: TestUser, words: RegExp): Promise<string> =>
  expectSoon(
    scenario.slack,
    `${person.id} shown ${String(words)}`,
    () => textsOf(scenario, person).find((text) => words.test(text)),
    () => textsOf(scenario, person),
  );

/** Waits until nothing is owed to this person any more. */
const untilAllTold = (scenario: Scenario, { id }: TestUser): Promise<unknown> =>
  vi.waitFor(
    () => expect(scenario.rows('select key from messages where recipient = ? and due_at is not null', id)).toEqual([]),
    { timeout: patienceMs, interval: 100 },
  );

/** Chi approves a push to live by Ana, which is held before it is sent. */
async function approvedPush(scenario: Scenario) {
  const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
  const change = await ana.requests(push);
  await dee.reads(/^⏳ Push /);
  await chi.clicks(await chi.reads(/^⏳ Push /), 'Approve');
  await scenario.holdBeforeSend(change.number);
  return { change, ana, chi, dee };
}

/** Chi approves a push by Ana, whose direct messages Slack refuses until `backAgain`. It is held before it is sent. */
async function approvedWhileAway(scenario: Scenario) {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const change = await ana.requests(push);
  const away = [ana.id, ana.direct].map((channel) =>
    scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'status', status: 500, channel }),
  );
  await chi.clicks(await chi.reads(/^⏳ Push /), 'Approve');
  await scenario.holdBeforeSend(change.number);
  const backAgain = (): void => away.forEach(({ id }) => scenario.slack.faults.remove(id));
  return { change, backAgain };
}

describe.concurrent('what said that a change will be sent', () => {
  test(
    'says so no longer while it is held up, and the thread keeps Stop; after that, nothing of a short delay',
    inScenario(options, async (scenario) => {
      const { change, ana } = await approvedPush(scenario);
      await shows(scenario, ana, /Approved by @Chi\. Sending in 10 s\./);
      await (await ana.says('/site pause incident')).hears(/paused/i);
      scenario.makeDue(change.number);
      const heldUp = /Approved by @Chi\.\n👍 Not sent yet\. All sending is paused\./;
      await shows(scenario, ana, heldUp);
      const reply = await change.tells(heldUp);
      expect(reply.controls.map(({ label }) => label)).toEqual(['Stop']);
      await (await ana.says('/site resume')).hears('Sending is on again');
      scenario.makeDue(change.number);
      await shows(scenario, ana, /Approved by @Chi\.\n✅ Done after /);
      await change.tells(/^Approved by @Chi\. Sending in 10 s\.$/);
    }),
  );

  test(
    'is dropped if it was not posted before the end: the requester is told once',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const { change, backAgain } = await approvedWhileAway(scenario);
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 422, body: { message: 'no space left' } });
      scenario.makeDue(change.number);
      await change.tells('❌ The host rejected it (422: unprocessable entity)');
      backAgain();
      await ana.reads('The host rejected it');
      await untilAllTold(scenario, ana);
      expect(textsOf(scenario, ana).filter((text) => text.includes('Approved by'))).toEqual([]);
    }),
  );
});

describe.concurrent('an alarm about an unknown outcome', () => {
  test(
    'that was not posted before the first reminder is posted all the same: the reminder goes to approvers only',
    inScenario(options, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const { change, backAgain } = await approvedWhileAway(scenario);
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 500 });
      scenario.makeDue(change.number);
      await chi.reads(/^#1 · Push [^]*Outcome unknown/);
      await vi.waitFor(
        () => {
          scenario.makeDue(change.number);
          expect(scenario.rows('select reminders from changes')).toEqual([{ reminders: 1 }]);
        },
        { timeout: patienceMs, interval: 100 },
      );
      backAgain();
      await untilAllTold(scenario, ana);
      expect(textsOf(scenario, ana)).toEqual([expect.stringMatching(/^#1 · Push [^]*Outcome unknown\. I sent it at/)]);
    }),
  );

  test(
    'that was not posted before the change is closed says how that ended',
    inScenario({ policy: `${policy}  - { allow: [routine], to: [developers] }\n` }, async (scenario) => {
      const ana = scenario.person('ana');
      const away = [ana.id, ana.direct].map((channel) =>
        scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'status', status: 500, channel }),
      );
      scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500 });
      const change = await ana.asks('/site cache clear acme-shop/staging');
      await change.tells(/Outcome unknown/);
      scenario.runSql('update changes set sent_at = 1');
      await ana.clicks(await change.shows('[It happened]'), 'It happened');
      await change.tells('✅ @Ana says it happened.');
      away.forEach(({ id }) => scenario.slack.faults.remove(id));
      await untilAllTold(scenario, ana);
      expect(textsOf(scenario, ana)).toEqual([
        expect.stringMatching(/⚠️ The outcome was unknown\.\n✅ @Ana says it happened\.$/),
      ]);
    }),
  );
});

describe.concurrent('a reminder', () => {
  test(
    'that the decision replaced says how it ended',
    inScenario(options, async (scenario) => {
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      const change = await ana.requests(push);
      const copy = await chi.reads(/^⏳ Push /);
      await untilAllTold(scenario, dee);
      scenario.makeDue(change.number);
      await dee.reads('still waiting');
      await chi.clicks(copy, 'Approve');
      await scenario.holdBeforeSend(change.number);
      const meanwhile = await shows(scenario, dee, /^👍 Push [^]*Nothing is left for you to decide\./);
      expect(meanwhile).toContain('Approved by @Chi');
      scenario.makeDue(change.number);
      await shows(scenario, dee, /^✅ Push .* · #1\nApproved by @Chi, .*\nDone after /);
    }),
  );
});

describe.concurrent('whoever has lost the right to read a change', () => {
  test(
    'gets no reminder and no alarm, and what they were told before is covered up',
    inScenario(options, async (scenario) => {
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      const change = await ana.requests(push);
      await dee.reads(/^⏳ Push /);
      await reloadPolicy(scenario, withoutDee);
      scenario.makeDue(change.number);
      await change.tells('still waiting');
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 500 });
      await chi.clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      scenario.makeDue(change.number);
      await change.tells(/^⚠️ .*Outcome unknown/);
      expect(stateOf(scenario, change)).toBe('unknown');
      await chi.reads(/^#1 · Push [^]*Outcome unknown/);
      await untilAllTold(scenario, dee);
      expect(textsOf(scenario, dee)).toEqual(["You may no longer see #1, so I've taken out what was here."]);
    }),
  );

  test(
    'reads neither a reminder nor an alarm any more once the rules change, and has both back with the right',
    inScenario(options, async (scenario) => {
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      const covered = "You may no longer see #1, so I've taken out what was here.";
      const becomes = (expected: readonly unknown[]): Promise<unknown> =>
        vi.waitFor(() => expect(textsOf(scenario, dee)).toEqual(expected), { timeout: patienceMs, interval: 100 });
      const change = await ana.requests(push);
      await dee.reads(/^⏳ Push /);
      scenario.makeDue(change.number);
      await dee.reads('still waiting');
      await reloadPolicy(scenario, withoutDee);
      await becomes([covered, covered]);
      await reloadPolicy(scenario, policy);
      await becomes([expect.stringContaining('[Approve]'), expect.stringContaining('still waiting')]);
      await chi.clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(change.number);
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 500 });
      scenario.makeDue(change.number);
      await dee.reads(/^#1 · Push [^]*Outcome unknown/);
      await reloadPolicy(scenario, withoutDee);
      await becomes([covered, covered, covered]);
      await reloadPolicy(scenario, policy);
      await shows(scenario, dee, /^#1 · Push [^]*Outcome unknown[^]*\[It happened\]/);
    }),
  );

  test(
    'and has it back reads it again, buttons and all',
    inScenario(options, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      await ana.requests(push);
      await dee.reads(/^⏳ Push /);
      await reloadPolicy(scenario, withoutDee);
      await shows(scenario, dee, /^You may no longer see #1, so I've taken out what was here\.$/);
      await reloadPolicy(scenario, policy);
      expect(await shows(scenario, dee, /^⏳ Push /)).toContain('[Approve]');
    }),
  );

  test(
    'is not told who removed their lock there',
    inScenario(options, async (scenario) => {
      const [ana, dee] = [scenario.person('ana'), scenario.person('dee')];
      await (await dee.says('/site lock acme-shop/live mine')).hears('is locked by you');
      await reloadPolicy(scenario, withoutDee);
      await (await ana.says('/site unlock acme-shop/live')).hears('is unlocked');
      const told = (): unknown => scenario.rows("select due_at, ts from messages where key like 'unlocked:%'");
      await vi.waitFor(() => expect(told()).toEqual([{ due_at: null, ts: null }]), { timeout: patienceMs });
      expect(scenario.slack.messages({ channel: dee.direct, as: dee.id })).toEqual([]);
    }),
  );
});

describe.concurrent('a request that was handed on in a private channel', () => {
  test(
    'has its card where whoever runs it can see it',
    inScenario(options, async (scenario) => {
      const [chi, ben] = [scenario.person('chi'), scenario.person('ben')];
      const refused = await (await chi.says(push, 'G0BAKERY')).hears('You may not run push');
      await (await chi.clicks(refused, 'Ask somebody who may')).hears(/I asked/);
      await ben.clicks(await ben.reads('@Chi asks somebody who may'), 'Run it for Chi…');
      await ben.form('Nothing is sent until it is approved');
      expect((await ben.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' }, ben.direct)).channel).toBe(
        ben.direct,
      );
    }),
  );
});

describe.concurrent('what is asked for again in direct messages', () => {
  test(
    'has its card there if it was first asked for in a private channel, which its requester may have left',
    inScenario(options, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const change = await ana.requests(push, 'G0BAKERY');
      await chi.clicks(await chi.reads(/^⏳ Push /), 'Decline…');
      await chi.form('Reason');
      await chi.submits({ Reason: 'not today' });
      await change.tells('Declined by @Chi');
      await ana.clicks(await ana.reads(/Declined by @Chi[^]*\[Ask again\]/), 'Ask again');
      await ana.form('Nothing is sent until it is approved');
      await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' }, ana.direct);
    }),
  );
});

describe.concurrent('whoever hands a request on in direct messages', () => {
  test(
    'hears who runs it',
    inScenario(options, async (scenario) => {
      const [chi, ben] = [scenario.person('chi'), scenario.person('ben')];
      const refused = await (await chi.says(push, chi.direct)).hears('You may not run push');
      await (await chi.clicks(refused, 'Ask somebody who may')).hears(/I asked/);
      await ben.clicks(await ben.reads('@Chi asks somebody who may'), 'Run it for Chi…');
      await ben.form('Nothing is sent until it is approved');
      await ben.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' }, ben.direct);
      const told = await chi.reads(
        /^🙋 @Chi asks somebody who may: push on acme-shop\/live\.[^]*\n▶️ @Ben runs it as #1\.\n/,
      );
      expect(told.controls.map(({ label }) => label)).toEqual(['Show #1']);
    }),
  );
});
