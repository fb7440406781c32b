import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openScenario, patienceMs, type Scenario, stateOf, reloadPolicy } from './scenario.ts';
import type { ChangeThread } from './people.ts';

/** Max is Ana's second account, and a lead. */
const rules = (leads: string, developers: string): string => `
version: 1
live: ['*/live']
groups:
  leads: [${leads}]
  developers: [${developers}]
people:
  ana: [U01ANA, U09MAX]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    where: ['acme-*/*', 'north-bakery/*']
    approval: { by: [leads], count: 1, expires: 1h }
  - allow: [push]
    to: [developers]
    where: ['lumen-studio/*']
    approval: { by: [leads], count: 2, expires: 1h }
`;

let scenario: Scenario;
beforeAll(async () => {
  const policy = rules('U03CHI, U04DEE, U05FAY, U09MAX', 'U01ANA, U02BEN, U03CHI');
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
  scenario.slack.changePerson('U09MAX', { deleted: false });
});
afterAll(() => scenario.close());

const onto = (site: string): string => `/site push ${site}/live ${site}/staging --files`;
const live = (site: string): string => `/site push ${site}/staging ${site}/live --files`;
const own = 'This is your own change, so somebody else has to approve it.';
const votesOn = ({ number }: ChangeThread): readonly unknown[] =>
  scenario.rows('select person from votes where change = ?', number);

describe.concurrent('promise 3: nobody approves their own change', () => {
  test('by the button in the channel, by declining it in a form, or by mention; their home offers neither', async () => {
    const chi = scenario.person('chi');
    const change = await chi.requests(onto('acme-shop'));
    await (await chi.clicks(change.card(), 'Approve')).hears(own);
    await chi.clicks(change.card(), 'Decline…');
    const refused = await chi.form('This is your own change, so somebody else has to decline it.');
    expect(refused.submit).toBeUndefined();
    await (await chi.mentions('approve', 'C0ACME', change.ts)).hears("Only the buttons on the change's card count");
    await scenario.slack.home(chi.id);
    const decisions = new RegExp(` ${change.number} \\d+ (\\w+)$`);
    const atHome = (): readonly string[] =>
      (scenario.slack.views(chi.id).home?.controls ?? []).flatMap(
        ({ value }) => decisions.exec(String(value))?.[1] ?? [],
      );
    await scenario.slack.until(() => atHome().includes('cancel') || undefined, patienceMs);
    expect(atHome()).toEqual(['cancel']);
    expect([stateOf(scenario, change), votesOn(change), scenario.writes('acme-shop/staging')]).toEqual([
      'waiting',
      [],
      [],
    ]);
  });

  test('in direct messages, where the card is and no copy arrives', async () => {
    const ben = scenario.person('ben');
    const change = await ben.requests(onto('acme-blog'), ben.direct);
    const refused = await ben.clicks(change.card(), 'Approve');
    await refused.hears(own);
    const cards = scenario.slack
      .messages({ channel: ben.direct, as: ben.id })
      .filter(({ text }) => text.startsWith('⏳ Push acme-blog/live'));
    expect(cards).toHaveLength(1);
    expect([stateOf(scenario, change), votesOn(change), scenario.writes('acme-blog/staging')]).toEqual([
      'waiting',
      [],
      [],
    ]);
  });

  test('with the second of their accounts', async () => {
    const [ana, max] = [scenario.person('ana'), scenario.person('max')];
    const change = await ana.requests(onto('acme-docs'), 'C0GENERAL');
    await change.tells(/^@Chi, @Dee or @Fay: this is waiting for your approval/);
    await (await max.clicks(change.card(), 'Approve')).hears(own);
    expect([stateOf(scenario, change), votesOn(change), scenario.writes('acme-docs/staging')]).toEqual([
      'waiting',
      [],
      [],
    ]);
    await max.clicks(change.card(), 'Cancel');
    await change.tells('⛔ Cancelled by @Max.');
    // Nobody is told directly of their own click, whichever account it came from.
    const told = 'select recipient from messages where change = ? and recipient in (?, ?)';
    expect(scenario.rows(told, change.number, ana.id, max.id)).toEqual([]);
  });
});

describe('promise 4: rights are checked again at the click and before the write', () => {
  test('Slack does not say who clicks: nothing is decided, and a second click counts', async () => {
    const [ana, chi, gus] = [scenario.person('ana'), scenario.person('chi'), scenario.person('gus')];
    const change = await ana.requests(onto('acme-docs'));
    await (await gus.clicks(change.card(), 'Approve')).hears('Guests of this workspace may not use Sitehand.');
    const fay = scenario.person('fay');
    scenario.slack.changePerson(fay.id, { is_stranger: true });
    await (await fay.clicks(change.card(), 'Approve')).hears('Only members of this workspace may use Sitehand.');
    scenario.slack.changePerson(fay.id, { is_stranger: false });
    scenario.slack.faults.add({ method: 'users.info', kind: 'status', status: 503, times: 1 });
    const unheard = await chi.clicks(change.card(), 'Approve');
    await unheard.hears(
      "I couldn't check this. Slack doesn't tell me right now who you are. Nothing was sent, and nothing was changed.",
    );
    expect([stateOf(scenario, change), votesOn(change)]).toEqual(['waiting', []]);
    await chi.clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('acme-docs/staging')).toHaveLength(1);
  });

  test('the rules take rights away: of a requester, an approver and a voter, before the click and before the write', async () => {
    const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
    const [dee, fay] = [scenario.person('dee'), scenario.person('fay')];
    const anas = async () => {
      const waits = await ana.requests(onto('acme-blog'));
      const byTwo = await ana.requests(onto('lumen-studio'), 'C0OPS');
      const held = await ana.requests(live('acme-docs'), 'G0BAKERY');
      for (const change of [byTwo, held]) await dee.clicks(change.card(), 'Approve');
      await byTwo.tells('Approved by @Dee. One more approval is needed.');
      await scenario.holdBeforeSend(held.number);
      return { waits, byTwo, held };
    };
    const bens = async () => {
      const waits = await ben.requests(onto('acme-shop'), 'C0GENERAL');
      const held = await ben.requests(live('north-bakery'), 'C0GENERAL');
      await chi.clicks(held.card(), 'Approve');
      await scenario.holdBeforeSend(held.number);
      return { waits, held };
    };
    const [ofAna, ofBen] = await Promise.all([anas(), bens()]);
    const written = scenario.writes().length;
    await reloadPolicy(scenario, rules('U03CHI, U05FAY, U09MAX', 'U01ANA, U03CHI'));

    const refused = await chi.clicks(ofBen.waits.card(), 'Approve');
    await refused.hears(
      `#${ofBen.waits.number} can no longer be approved. Nothing was sent. Ben is no longer allowed to do this.`,
    );
    await ofBen.waits.tells('⛔ Nothing was sent. Ben is no longer allowed to do this.');
    const noLead = await dee.clicks(ofAna.waits.card(), 'Approve');
    await noLead.hears("You're not among the people who can approve it. Nothing was changed.");
    expect([stateOf(scenario, ofAna.waits), votesOn(ofAna.waits)]).toEqual(['waiting', []]);
    scenario.makeDue(ofAna.held.number);
    scenario.makeDue(ofBen.held.number);
    await ofAna.held.tells('⛔ Nothing was sent. Somebody who approved it is no longer allowed to.');
    await ofBen.held.tells('⛔ Nothing was sent. Ben is no longer allowed to do this.');
    await chi.clicks(ofAna.byTwo.card(), 'Approve');
    await ofAna.byTwo.tells('Approved by @Chi. One more approval is needed.');
    expect(scenario.writes()).toHaveLength(written);
    await fay.clicks(ofAna.byTwo.card(), 'Approve');
    await ofAna.byTwo.tells(/^✅ Done after /);
    expect(scenario.writes()).toHaveLength(written + 1);
  });

  test.each([
    ['is deactivated', 'acme-docs', 'chi', { deleted: true }, { deleted: false }],
    ['becomes a guest', 'north-bakery', 'fay', { is_restricted: true }, { is_restricted: false }],
  ] as const)('the approver %s before the write: void', async (_, site, name, become, be) => {
    const [ana, approver] = [scenario.person('ana'), scenario.person(name)];
    const written = scenario.writes().length;
    const change = await ana.requests(live(site), site === 'acme-docs' ? 'C0ACME' : 'G0BAKERY');
    const copy = await scenario.slack.until(
      () =>
        scenario.slack
          .messages({ channel: approver.direct, as: approver.id })
          .find(({ text }) => text.startsWith('⏳') && text.includes(`· #${change.number}\n`)),
      patienceMs,
    );
    await approver.clicks(copy, 'Approve');
    await scenario.holdBeforeSend(change.number);
    scenario.slack.changePerson(approver.id, become);
    scenario.makeDue(change.number);
    await change.tells('⛔ Nothing was sent. Somebody who approved it is no longer allowed to.');
    scenario.slack.changePerson(approver.id, be);
    expect(scenario.writes()).toHaveLength(written);
  });
});
