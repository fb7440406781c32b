import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openScenario, patienceMs, type Scenario, stateOf } from './scenario.ts';
import type { Said, ChangeThread } from './people.ts';

/** Max is Chi's second account; three sites need one approval, three need two. */
const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN, U03CHI, U04DEE, U05FAY]
  leads: [U03CHI, U04DEE, U09MAX]
people:
  chi: [U03CHI, U09MAX]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    where: ['acme-shop/*', 'acme-docs/*', 'north-bakery/*']
    approval: { by: [leads], count: 1, expires: 1h }
  - allow: [push]
    to: [developers]
    where: ['acme-blog/*', 'lumen-studio/*', 'harbor-events/*']
    approval: { by: [leads], count: 2, expires: 1h }
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
  scenario.slack.changePerson('U09MAX', { deleted: false });
});
afterAll(() => scenario.close());

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --files`;
const late = /#\d+: (?:It's already |The host has already |It was already sent|You've already approved it\.)/;
/** The private answers to a click that are about this change. */
const answers = (said: Said, change: ChangeThread): readonly string[] =>
  said
    .answers()
    .flatMap(({ text }) => (text.includes(`#${change.number}`) && /Nothing was changed/.test(text) ? [text] : []));

describe.concurrent('promise 1: a change that waits for approval', () => {
  test('by two: one lead counts once, even twice or with both ids; after the second lead it is written once', async () => {
    const [ana, chi, dee, max] = [
      scenario.person('ana'),
      scenario.person('chi'),
      scenario.person('dee'),
      scenario.person('max'),
    ];
    const change = await ana.requests(onto('acme-blog'));
    const before = scenario.writes('acme-blog/staging').length;
    await chi.clicks(change.card(), 'Approve');
    await change.tells('Approved by @Chi. One more approval is needed.');
    const again = await chi.clicks(change.card(), 'Approve');
    await again.hears(`You've already approved #${change.number}. Nothing was changed.`);
    const other = await max.clicks(change.card(), 'Approve');
    await other.hears(`You've already approved #${change.number}. Nothing was changed.`);
    expect(stateOf(scenario, change)).toBe('waiting');
    const card = await change.shows('Approved by  @Chi, ');
    expect(card.text).toMatch(/Approve {2}@Dee, until /);
    await dee.clicks(change.card(), 'Approve');
    await change.tells('Approved by @Dee. Sending it now.');
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('acme-blog/staging')).toHaveLength(before + 1);
  });

  test('by two who press in the same millisecond: both count, and it is written once', async () => {
    const [fay, chi, dee] = [scenario.person('fay'), scenario.person('chi'), scenario.person('dee')];
    const change = await fay.requests(onto('lumen-studio'), 'C0OPS');
    const said = await Promise.all([chi, dee].map((lead) => lead.clicks(change.card(), 'Approve')));
    await change.tells(/^✅ Done after /);
    expect(said.map((one) => answers(one, change))).toEqual([[], []]);
    expect(scenario.rows('select person from votes where change = ? order by person', change.number)).toEqual([
      { person: 'U03CHI' },
      { person: 'U04DEE' },
    ]);
    expect(scenario.writes('lumen-studio/staging')).toHaveLength(1);
  });

  test('by one, and two press in the same millisecond: one wins, the other is told privately', async () => {
    const [ben, chi, dee] = [scenario.person('ben'), scenario.person('chi'), scenario.person('dee')];
    const change = await ben.requests(onto('acme-shop'), 'C0GENERAL');
    const said = await Promise.all([chi, dee].map((lead) => lead.clicks(change.card(), 'Approve')));
    await change.tells(/^✅ Done after /);
    await vi.waitFor(() => expect(said.flatMap((one) => answers(one, change))).toEqual([expect.stringMatching(late)]), {
      timeout: patienceMs,
    });
    expect(scenario.writes('acme-shop/staging')).toHaveLength(1);

    const next = await ben.requests(onto('acme-shop'), 'C0GENERAL');
    const twenty = await Promise.all(Array.from({ length: 20 }, () => chi.clicks(next.card(), 'Approve')));
    await next.tells(/^✅ Done after /);
    const [first] = twenty;
    // The other nineteen clicks are too late; each gets an answer.
    await vi.waitFor(() => expect(first && answers(first, next)).toHaveLength(19), { timeout: patienceMs });
    expect(scenario.rows("select 1 from audit where change = ? and event = 'approve'", next.number)).toHaveLength(1);
    expect(scenario.writes('acme-shop/staging')).toHaveLength(2);
  });
});

describe('promise 1: before it is sent', () => {
  test.concurrent('it is declined, cancelled and approved at once: one wins, the others are told', async () => {
    const [ben, chi, dee] = [scenario.person('ben'), scenario.person('chi'), scenario.person('dee')];
    const contested = await ben.requests(onto('acme-docs'), 'C0GENERAL');
    await dee.clicks(contested.card(), 'Decline…');
    await dee.form('Reason');
    const [approval] = await Promise.all([
      chi.clicks(contested.card(), 'Approve'),
      dee.submits({ Reason: 'not on a Friday' }),
    ]);
    await scenario.slack.until(
      () => (/declined|done/.test(String(stateOf(scenario, contested))) ? true : undefined),
      patienceMs,
    );
    if (stateOf(scenario, contested) === 'declined') await approval.hears(late);
    else await dee.form(late);
    expect(scenario.writes('acme-docs/staging')).toHaveLength(stateOf(scenario, contested) === 'declined' ? 0 : 1);

    const before = scenario.writes('acme-docs/staging').length;
    const taken = await ben.requests(onto('acme-docs'), 'C0GENERAL');
    const [approves, cancels] = await Promise.all([
      chi.clicks(taken.card(), 'Approve'),
      ben.clicks(taken.card(), 'Cancel'),
    ]);
    await scenario.slack.until(
      () => (/cancelled|done/.test(String(stateOf(scenario, taken))) ? true : undefined),
      patienceMs,
    );
    const votes = scenario.rows('select 1 from votes where change = ?', taken.number).length;
    if (stateOf(scenario, taken) === 'done') await cancels.hears(late);
    else if (votes === 0) await approves.hears(late);
    expect(scenario.writes('acme-docs/staging')).toHaveLength(before + (stateOf(scenario, taken) === 'done' ? 1 : 0));
  });

  test.concurrent('it is declined with a reason, by an approver; the requester is told in direct messages', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await dee.requests(onto('harbor-events'), 'G0BAKERY');
    const other = await ana.clicks(change.card(), 'Decline…');
    const refused = await ana.form("You're not among the people who can decline it. Nothing was changed.");
    expect(refused.controls).toEqual([]);
    expect(other.answers()).toEqual([]);
    await chi.clicks(change.card(), 'Decline…');
    const form = await chi.form('Reason');
    expect([form.title, form.submit]).toEqual([`Decline #${change.number}`, 'Decline']);
    for (const nothing of ['', '   ']) {
      const { errors } = await chi.submits({ Reason: nothing });
      expect(Object.keys(errors)).toEqual(['field:reason']);
    }
    expect(stateOf(scenario, change)).toBe('waiting');
    await chi.submits({ Reason: 'wait for <!channel> and password=abcd1234efgh' });
    expect(scenario.slack.views(chi.id).modals).toEqual([]);
    const reply = await change.tells('⛔ Declined by @Chi: “wait for <!channel> and ');
    expect(reply.text).not.toContain('abcd1234');
    expect(reply.controls.map(({ label }) => label)).toEqual(['Ask again']);
    const direct = (): readonly string[] =>
      scenario.slack.messages({ channel: dee.direct, as: dee.id }).map(({ text }) => text);
    await scenario.slack.until(() => direct().find((text) => text.includes('Declined by @Chi')), patienceMs);
    expect(scenario.writes('harbor-events/staging')).toEqual([]);
  });

  test.concurrent('only its requester can cancel it', async () => {
    const [chi, rob, dee] = [scenario.person('chi'), scenario.person('rob'), scenario.person('dee')];
    const before = scenario.writes('acme-blog/staging').length;
    const change = await chi.requests(onto('acme-blog'), 'C0OPS');
    for (const testUser of [rob, dee]) {
      const said = await testUser.clicks(change.card(), 'Cancel');
      await said.hears(`#${change.number}: Only @Chi can cancel it. Nothing was changed.`);
    }
    await chi.clicks(change.card(), 'Cancel');
    await change.tells('⛔ Cancelled by @Chi. Nothing was sent.');
    expect(scenario.writes('acme-blog/staging')).toHaveLength(before);
  });

  test.concurrent('it is stopped by a colleague who only reads, but by no guest; after it was sent, nobody can stop it', async () => {
    const [fay, chi, rob, gus] = [
      scenario.person('fay'),
      scenario.person('chi'),
      scenario.person('rob'),
      scenario.person('gus'),
    ];
    const live = '/site push north-bakery/staging north-bakery/live --database';
    const change = await fay.requests(live);
    await chi.clicks(change.card(), 'Approve');
    const stop = await change.tells('Approved by @Chi. Sending in 10 s.');
    await scenario.holdBeforeSend(change.number);
    await (await gus.clicks(stop, 'Stop')).hears('Guests of this workspace may not use Sitehand. Nothing was done.');
    expect(stateOf(scenario, change)).toBe('approved');
    const both = await Promise.all([rob, fay].map((one) => one.clicks(stop, 'Stop')));
    await change.tells(/^⛔ Stopped by @(Rob|Fay)\. Nothing was sent\./);
    await vi.waitFor(() => expect(both.flatMap((one) => answers(one, change))).toEqual([expect.stringMatching(late)]), {
      timeout: patienceMs,
    });
    expect(scenario.rows('select * from locks where change = ?', change.number)).toEqual([]);
    expect(scenario.writes('north-bakery/live')).toEqual([]);

    const second = await fay.requests(live);
    await chi.clicks(second.card(), 'Approve');
    const waiting = await second.tells('Approved by @Chi. Sending in 10 s.');
    await scenario.holdBeforeSend(second.number);
    scenario.makeDue(second.number);
    await second.tells('Sent. The host accepted it');
    await scenario.replaceBlocks(waiting, waiting.blocks);
    const said = await rob.clicks(waiting, 'Stop');
    await said.hears(late);
    expect(scenario.writes('north-bakery/live')).toHaveLength(1);
  });
});

test('promise 1: every click of an approval is delivered three times: it counts once, and nobody is told anything twice', async () => {
  const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
  scenario.slack.delivery.duplicates = 3;
  try {
    const change = await ana.requests(onto('harbor-events'), 'C0GENERAL');
    const first = await chi.clicks(change.card(), 'Approve');
    await change.tells('One more approval is needed.');
    await dee.clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
    expect(answers(first, change)).toEqual([]);
    expect(change.replies().filter(({ text }) => text.startsWith('Approved by'))).toHaveLength(2);
    expect(scenario.writes('harbor-events/staging')).toHaveLength(1);
  } finally {
    scenario.slack.delivery.duplicates = 1;
  }
});
