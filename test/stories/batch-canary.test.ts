import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitBatch, writeCounts } from './batch.ts';
import { openScenario, reloadPolicy, type Scenario } from './scenario.ts';

/** One environment goes first: the others follow only once its site is known to be well. */

const policy = `
version: 1
live: ['*/live']
groups: { developers: [U01ANA, U02BEN, U04DEE], leads: [U03CHI] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers], canary: true }
  - { allow: [pause, resume], to: [leads] }
checks:
  lumen-studio: off
`;
const clear = '/site cache clear';

test('a canary whose site can be checked again by its turn lets the others follow', async () => {
  const scenario = await openScenario({
    policy,
    hosting: { durations: { 'cache:clear': 0 } },
  });
  try {
    const [dee, chi] = [scenario.person('dee'), scenario.person('chi')];
    await (await chi.says('/site pause', chi.direct)).hears('Sending is paused');
    const card = await submitBatch(dee, `${clear} lumen-studio/* --canary lumen-studio/live`);
    await reloadPolicy(scenario, policy.replace('lumen-studio: off', 'acme-docs: off'));
    await (await chi.says('/site resume', chi.direct)).hears('Sending is on again');
    await scenario.becomes(card.number, 'done');
    expect(writeCounts(scenario, ['lumen-studio/live', 'lumen-studio/staging'])).toEqual([1, 1]);
  } finally {
    await scenario.close();
  }
});

describe.concurrent('a canary', () => {
  let scenario: Scenario;
  beforeAll(async () => {
    scenario = await openScenario({ policy, hosting: { durations: { 'cache:clear': 0 } } });
  });
  afterAll(() => scenario.close());

  test('whose site stays well lets the others follow; a rule chose it, a live one', async () => {
    const ana = scenario.person('ana');
    const review = await ana.opens(`${clear} acme-blog/*`, 'Leave out');
    expect(review.text).toContain('Goes first, alone: acme-blog/live; the others follow');
    const card = await ana.confirms();
    await scenario.hosting.until(() => scenario.writes('acme-blog/live')[0]);
    expect(writeCounts(scenario, ['acme-blog/staging'])).toEqual([0]);
    await card.shows(/acme-blog\/live (?:goes first, alone\.|went first\. The others follow)/);
    await scenario.becomes(card.number, 'done');
    expect(writeCounts(scenario, ['acme-blog/live', 'acme-blog/staging'])).toEqual([1, 1]);
    const [first, second] = scenario.rows('select target_name, sent_at from changes where batch = ?', card.number);
    expect([first?.['target_name'], second?.['target_name']]).toEqual(['acme-blog/live', 'acme-blog/staging']);
    expect(Number(second?.['sent_at']) - Number(first?.['sent_at'])).toBeGreaterThan(10_000);
  });

  test('whose site is bad afterwards stops the batch; only its requester lets the others follow', async () => {
    const ben = scenario.person('ben');
    scenario.site.break('acme-docs/live', 'database');
    const card = await submitBatch(ben, `${clear} acme-docs/live, acme-docs/staging --canary acme-docs/live`);
    await card.tells('Stopped after its canary: the site of acme-docs/live is down (200, but');
    expect(writeCounts(scenario, ['acme-docs/live', 'acme-docs/staging'])).toEqual([1, 0]);
    await card.shows('[Go on]');
    await scenario.person('ana').clicks(card.card(), 'Go on');
    expect(writeCounts(scenario, ['acme-docs/staging'])).toEqual([0]);
    await ben.clicks(card.card(), 'Go on');
    await scenario.becomes(card.number, 'done');
    expect(writeCounts(scenario, ['acme-docs/live', 'acme-docs/staging'])).toEqual([1, 1]);
  });

  test('whose site cannot be checked is said to be so before, and stops the batch at once', async () => {
    const dee = scenario.person('dee');
    const line = `${clear} lumen-studio/* --canary lumen-studio/live`;
    const review = await dee.opens(line, 'Leave out');
    const why = 'the policy turns checks of it off';
    expect(review.text).toContain(
      `Goes first, alone: lumen-studio/live; then it stops, unless its site can be checked by then: now it can't, because ${why}`,
    );
    const card = await dee.confirms();
    await card.tells(`Stopped after its canary: the site of lumen-studio/live can't be checked: ${why}`);
    expect(writeCounts(scenario, ['lumen-studio/live', 'lumen-studio/staging'])).toEqual([1, 0]);
  });
});
