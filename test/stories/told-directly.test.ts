import { describe, expect, test } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
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
const options = { policy } as const;
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

describe('the copy of whoever approved', () => {
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

describe('the thread', () => {
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
