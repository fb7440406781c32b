import { describe, expect, test, vi } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { SCOPES } from '../../src/playground/slack/options.ts';
import { manySites } from './batch.ts';
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
      const held = await shown(scenario, chi, copy.ts, /Not sent yet:/);
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

  test(
    'names no channel once the card is in direct messages instead',
    inScenario(options, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      await ana.opens(push, 'Nothing is sent until it is approved', 'C0RANDOM');
      await ana.submits({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
      const copy = await chi.reads(/^⏳ Push acme-shop\/staging → /);
      const { text } = await shown(scenario, chi, copy.ts, /^⏳ Push acme-shop\/staging → [^\n]*\nAsked by @Ana\n/);
      expect(text).not.toContain('#random');
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
      await ana.reads(`#1 is waiting for approval. ${moved}`);
      const change = await scenario.change(1, 'ana');
      expect(change.channel).toBe(ana.direct);
      const typed = await ana.says('/site cache clear acme-shop/staging', 'C0RANDOM');
      await typed.hears(`#2 is on its way. ${moved}`);
      await change.tells('/invite me there to get cards in the channel.');
      expect(change.replies().filter(({ text }) => text.includes('/invite'))).toHaveLength(1);
    }),
  );

  test(
    'or in one for cards that is archived: it is said where the card really is',
    inScenario({ ...options, policy: `${clearing}channels: { C0ACME: { cards: C0OLD } }\n` }, async (scenario) => {
      const ana = scenario.person('ana');
      const typed = await ana.says('/site cache clear acme-shop/staging');
      await typed.hears(
        '#1 is on its way. Its card is in our direct messages, because #old-launch takes no posts of mine.',
      );
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
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n❌ The host rejected it \(422: unprocessable entity\)/);
      const rejected = await ana.reads(
        /^#1 · Push .*\n❌ The host rejected it \(422: unprocessable entity\)\. Nothing was changed\./,
      );
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

  test(
    'that a clone failed, with a button to look what was made',
    inScenario({ policy: policy.replace('[push]', '[clone]') }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      scenario.hosting.operations.plan('site:clone', 'fail');
      const change = await ana.requests('/site clone acme-shop/live "Acme relaunch"');
      await chi.clicks(change.card(), 'Approve');
      await change.tells('Sent. The host accepted it');
      await failsNow(scenario, change);
      expect(labelsOf(await ana.reads(/^#1 · Clone .*\n❌ The host reports that it failed/))).toEqual([
        'List environments',
        'Ask again',
      ]);
    }),
  );
});

describe.concurrent('the requester reads directly', () => {
  test(
    'that an approved change could not be sent, after its last try, and can ask again there',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const busy = { kind: 'status', status: 429, headers: { 'retry-after': '0' }, method: 'PUT' } as const;
      scenario.hosting.faults.add({ ...busy, times: 'always' });
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      scenario.makeDue(change.number);
      await change.tells('⛔ Nothing was sent.');
      const ended = await ana.reads(/^#1 · Push .*\n⛔ Nothing was sent\. The host is busy \(429\)/);
      expect([ended.ts === ts, labelsOf(ended)]).toEqual([false, ['Ask again']]);
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n⛔ Nothing was sent\./);
      // The thread does not go on promising it either.
      await change.tells(/^Approved by @Chi\.$/);
    }),
  );

  test(
    'that it is done, when its second try is taken: nothing goes on saying that it was not sent',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const busy = { kind: 'status', status: 429, headers: { 'retry-after': '0' }, method: 'PUT' } as const;
      scenario.hosting.faults.add({ ...busy, times: 1 });
      const { change } = await approvedPush(scenario);
      const { ts } = await approvedFor(ana);
      scenario.makeDue(change.number);
      await change.tells("I'll try again at");
      scenario.makeDue(change.number);
      await change.tells('✅ Done');
      await shown(scenario, ana, ts, /\nApproved by @Chi\.\n✅ Done/);
      await change.tells(/^Approved by @Chi\.$/);
    }),
  );

  test(
    'what ended, and asks again from there: the card is where it was first asked for',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const { change, copy } = await approvedPush(scenario);
      await scenario.person('chi').clicks(copy, 'Stop');
      await change.tells('⛔ Stopped by @Chi.');
      const told = await ana.reads(/⛔ Stopped by @Chi\. [^]*\[Ask again\]/);
      await ana.opensFrom(told, 'Ask again', 'Nothing is sent until it is approved');
      await ana.submits({ 'Type acme-shop/live to confirm': 'acme-shop/live' });
      await ana.reads('#2 is waiting for approval. Its card is in #acme-shop.');
      expect((await scenario.change(2, 'ana')).channel).toBe('C0ACME');
    }),
  );

  test(
    'nothing of their own click',
    inScenario(options, async (scenario) => {
      const ana = scenario.person('ana');
      const change = await ana.requests(push);
      const before = countOf(scenario, ana);
      await ana.clicks(change.card(), 'Cancel');
      await change.tells('⛔ Cancelled by @Ana.');
      await scenario.person('chi').reads(/Cancelled by @Ana/);
      expect(countOf(scenario, ana)).toBe(before);
    }),
  );
});

describe.concurrent('once an unknown outcome is known', () => {
  const withOps = `${policy}channels: { ops: G0BAKERY }\n`;
  const known = /^#1 · Push .*\n⚠️ The outcome was unknown\.\n✅ @Chi says it happened\.$/;

  test(
    'everybody who was alarmed reads so in that message, and the requester is told',
    inScenario({ ...options, policy: withOps }, async (scenario) => {
      const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
      scenario.hosting.faults.add({ kind: 'status', method: 'PUT', status: 500 });
      const { change } = await approvedPush(scenario);
      scenario.makeDue(change.number);
      const alarmed = /^#1 · Push [^]*Outcome unknown\. I sent it at/;
      const alarms = await Promise.all([ana, chi, dee].map((one) => one.reads(alarmed)));
      const inOps = (words: RegExp) => () =>
        scenario.slack.messages({ channel: 'G0BAKERY', as: chi.id }).find(({ text }) => words.test(text));
      await scenario.slack.until(inOps(alarmed), patienceMs);
      scenario.runSql('update changes set sent_at = 1 where number = 1');
      await chi.clicks(await change.shows('[It happened]'), 'It happened');
      await change.tells('✅ @Chi says it happened.');
      for (const [at, one] of [ana, chi, dee].entries())
        expect((await shown(scenario, one, alarms[at]?.ts ?? '', known)).controls).toEqual([]);
      await scenario.slack.until(inOps(known), patienceMs);
      expect(await ana.reads(/^#1 · Push .*\n✅ @Chi says it happened\.$/)).toBeDefined();
      expect(scenario.slack.messages({ channel: dee.direct, as: dee.id }).at(-1)?.text).toMatch(/outcome was unknown/);
    }),
  );
});

describe.concurrent('a reply whose channel was archived', () => {
  test(
    'stands in direct messages, and goes on naming its change when it is edited there',
    inScenario(options, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      await ana.requests(push);
      const copy = await chi.reads(/^⏳ Push /);
      scenario.slack.changeChannel('C0ACME', { archived: true });
      await chi.clicks(copy, 'Approve');
      const reply = await ana.reads(/^#1 · Push .*\nApproved by @Chi\. Sending in 10 s\.\n\[Stop\]$/);
      scenario.makeDue(1);
      await shown(scenario, ana, reply.ts, /^(?:(?!\[Stop\])[^])*$/);
      const { text } = await shown(scenario, ana, reply.ts, /Approved by @Chi/);
      expect(text).toMatch(/^#1 · Push .*\nApproved by @Chi\. Sending in 10 s\.$/);
    }),
  );
});

describe.concurrent('a batch', () => {
  const many = `
version: 1
live: ['*/live']
groups: { leads: [U03CHI], developers: [U01ANA] }
rules:
  - { allow: [read], to: everyone }
  - { allow: ['cache clear'], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
  test(
    "that somebody else stops or ends: its requester is told, and an approver's copy says where its numbers are",
    inScenario({ policy: many, hosting: { plan: manySites(12) } }, async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 600_000, times: 'always' });
      await ana.opens('/site cache clear many-*/live', 'Leave out', ana.direct);
      const batch = await ana.confirms({}, ana.direct);
      const copy = await chi.reads(/^⏳ /);
      await chi.clicks(copy, 'Approve');
      await shown(scenario, chi, copy.ts, /change 1 says how far it is\./);
      const begun = await ana.reads(/Approved by @Chi\./);
      await chi.clicks(await shown(scenario, chi, copy.ts, /\[Stop\]/), 'Stop');
      await ana.reads(/^#1 · [^]*✋ Stopped by @Chi\./);
      await shown(scenario, ana, begun.ts, /Approved by @Chi\.\n✋ Stopped by @Chi\./);
      scenario.hosting.faults.remove();
      scenario.hosting.faults.release();
      await chi.clicks(await shown(scenario, chi, copy.ts, /\[End it\]/), 'End it');
      await batch.tells('⛔ It is over, and not all are done.');
      await ana.reads(/^#1 · [^]*⛔ It is over, and not all are done\./);
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
