import { describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { SCOPES } from '../../src/playground/slack/options.ts';
import { inScenario, patienceMs, stateOf, type Scenario } from './scenario.ts';
import { labelsOf, type ChangeThread, type TestUser } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    approval: { by: [leads], count: 1, expires: 1h }
`;
const options = { policy, hosting: { durations: { 'environments:push': 0 } } } as const;
const push = '/site push acme-shop/staging acme-shop/live --files';

/** Waits until that message of a person's direct messages has these words. */
const shown = ({ slack }: Scenario, { direct, id }: TestUser, ts: string, words: RegExp): Promise<VisibleMessage> =>
  slack.until(
    () => slack.messages({ channel: direct, as: id }).find((one) => one.ts === ts && words.test(one.text)),
    patienceMs,
  );

type Approved = { readonly change: ChangeThread; readonly copy: VisibleMessage };

/** Chi approves a push to live by Ana, which is held before it is sent. */
async function approvedPush(scenario: Scenario): Promise<Approved> {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  const change = await ana.requests(push);
  const copy = await chi.reads(/^⏳ Push /);
  await chi.clicks(copy, 'Approve');
  await scenario.holdBeforeSend(change.number);
  return { change, copy };
}

describe.concurrent('the copy of whoever approved', () => {
  test(
    'has Stop until it is sent, and then says that the host accepted it',
    inScenario(options, async (scenario) => {
      scenario.hosting.operations.plan('environments:push', 'hang');
      const { change, copy } = await approvedPush(scenario);
      const chi = scenario.person('chi');
      const held = await shown(scenario, chi, copy.ts, /Not sent yet\./);
      expect(labelsOf(held)).toContain('Stop');
      scenario.makeDue(change.number);
      await change.tells('Sent. The host accepted it');
      const running = await shown(scenario, chi, copy.ts, /Accepted by the host; running\./);
      expect(labelsOf(running)).toEqual(['Everything that was sent']);
    }),
  );
});

describe.concurrent('the copy for an approver', () => {
  test(
    'says in which channel its card is, and nothing if it is in direct messages',
    inScenario(options, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      const change = await ana.requests(push);
      const copy = await chi.reads(/^⏳ Push acme-shop\/staging → [^\n]*\nAsked by @Ana · card in #acme-shop\n/);
      expect(JSON.stringify(copy.blocks)).toContain('"channel_id":"C0ACME"');
      expect(change.card().text).not.toContain('card in');
      await ana.requests('/site push acme-shop/live acme-shop/staging --files', ana.direct);
      await chi.reads(/^⏳ Push acme-shop\/live → [^\n]*\nAsked by @Ana\n/);
    }),
  );
});

describe.concurrent('the thread', () => {
  test(
    'does not go on promising what was stopped',
    inScenario(options, async (scenario) => {
      const { change, copy } = await approvedPush(scenario);
      await scenario.person('chi').clicks(copy, 'Stop');
      await change.tells('⛔ Stopped by @Chi. Nothing was sent.');
      const approved = await change.tells(/^Approved by @Chi\.$/);
      expect(approved.controls).toEqual([]);
      expect(change.replies().filter(({ text }) => text.includes('Sending in'))).toEqual([]);
    }),
  );
});

describe.concurrent('in a channel that I am not in', () => {
  const clearing = policy.replace('  - allow: [push]', '  - { allow: [routine], to: [developers] }\n  - allow: [push]');
  const moved = "Its card is in our direct messages, because I'm not in #random.";

  test(
    'the form and a typed command say where the card really is; its thread says once how to invite me',
    inScenario({ ...options, policy: clearing }, async (scenario) => {
      const ana = scenario.person('ana');
      await ana.opens(push, 'Nothing is sent until it is approved', 'C0RANDOM');
      await ana.submits({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
      await ana.form(`#1 is waiting for approval. ${moved} Follow it in its thread.`);
      const change = await scenario.change(1, 'ana');
      expect(change.channel).toBe(ana.direct);
      const typed = await ana.says('/site cache clear acme-shop/staging', 'C0RANDOM');
      await typed.hears(`#2 is on its way. ${moved}`);
      await change.tells('/invite me there to get cards in the channel.');
      expect(change.replies().filter(({ text }) => text.includes('/invite'))).toHaveLength(1);
    }),
  );

  test(
    'the card is there all the same if Slack lets me post there',
    inScenario(
      { ...options, policy: clearing, slack: { scopes: [...SCOPES, 'chat:write.public'] } },
      async (scenario) => {
        const ana = scenario.person('ana');
        await ana.opens(push, 'Nothing is sent until it is approved', 'C0RANDOM');
        const change = await ana.confirms({ 'Type acme-shop/live to confirm': 'acme-shop/live' }, 'C0RANDOM');
        await ana.form('#1 is waiting for approval. Its card is in #random. Follow it in its thread.');
        expect(change.channel).toBe('C0RANDOM');
      },
    ),
  );
});

/** The requester's message that it was approved. */
const approvedFor = (requester: TestUser): Promise<VisibleMessage> =>
  requester.reads(/^#\d+ · Push [^]*Approved by @Chi\./);
const countOf = ({ slack }: Scenario, { direct, id }: TestUser): number =>
  slack.messages({ channel: direct, as: id }).length;

describe.concurrent('the requester reads directly that it was approved, and there', () => {
  test(
    'that it is done, without another message',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      const before = countOf(scenario, ana);
      scenario.makeDue(change.number);
      await change.tells(/^✅ Done after /);
      await shown(
        scenario,
        ana,
        ts,
        /^#1 · Push .*\nApproved by @Chi\.\n✅ Done after \d+ s: the host reports it finished\.$/,
      );
      expect(countOf(scenario, ana)).toBe(before);
    }),
  );

  test(
    'that the host rejected it, and another message says so',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 422, body: { message: 'no space left' } });
      scenario.makeDue(change.number);
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n❌ The host rejected it \(422\)/);
      const rejected = await ana.reads(/^#1 · Push .*\n❌ The host rejected it \(422\)\. Nothing was changed\./);
      expect([rejected.ts === ts, labelsOf(rejected)]).toEqual([false, ['Ask again']]);
    }),
  );

  test(
    'that the host accepted it and nothing more is known, and another message says so',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 200, body: { result: null } });
      scenario.makeDue(change.number);
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n☑️ Accepted by the host\./);
      expect((await ana.reads(/^#1 · Push .*\n☑️ Accepted by the host\./)).ts).not.toBe(ts);
    }),
  );

  test(
    'that it failed, and another message says so',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      scenario.hosting.operations.plan('environments:push', 'fail');
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      scenario.makeDue(change.number);
      await change.tells('Sent. The host accepted it');
      await failsNow(scenario, change);
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n❌ The host reports that it failed/);
      const failed = await ana.reads(
        /^#1 · Push .*\n❌ The host reports that it failed[^]*Part of it may have been done/,
      );
      expect(failed.ts).not.toBe(ts);
      expect(labelsOf(failed)).toEqual(['Error log since the push', 'Check the site', 'Ask again']);
    }),
  );
});

/** Lets a minute pass in which the host keeps saying that it failed. */
async function failsNow(scenario: Scenario, { number }: ChangeThread): Promise<void> {
  const untilPolled = (done: () => void): Promise<void> =>
    vi.waitFor(
      () => {
        scenario.makeDue(number);
        done();
      },
      { timeout: patienceMs, interval: 100 },
    );
  const times = `select json_extract(poll_state, '$.failing.times') as times from changes where number = ?`;
  await untilPolled(() => expect(Number(scenario.rows(times, number)[0]?.['times'])).toBeGreaterThanOrEqual(3));
  const longSince = `update changes set poll_state = json_set(poll_state, '$.failing.since', 1) where number = ?`;
  scenario.runSql(longSince, number);
  await untilPolled(() => expect(stateOf(scenario, { number })).toBe('failed'));
}
