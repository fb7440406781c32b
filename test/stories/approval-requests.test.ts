import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisibleMessage } from '../../src/playground/slack/shapes.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';
import { type TestUser, type ChangeThread, labelsOf } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE]
  developers: [U01ANA, U02BEN, U04DEE, U05FAY, U06ROB]
  fay: [U05FAY]
rules:
  - { allow: [read], to: everyone }
  - allow: [push]
    to: [developers]
    where: ['acme-shop/*', 'acme-blog/*']
    approval: { by: [leads], count: 1, expires: 1h }
  - allow: [push]
    to: [developers]
    where: ['acme-docs/*']
    approval: { by: [leads], count: 2, expires: 2h }
  - allow: [routine]
    to: [developers]
    approval: { by: [fay], count: 1, expires: 1h }
  - allow: [routine]
    to: [developers]
    where: ['lumen-studio/live']
    approval: { by: [fay], count: 1, expires: 30m, reason: required }
  - allow: [routine]
    to: [developers]
    where: ['lumen-studio/staging']
    approval: { by: [fay], reason: { match: '[A-Z]+-(\\d+)', link: 'https://tracker.example/browse/$0?n=$1' } }
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0, 'cache:clear': 0 } } });
});
afterAll(() => scenario.close());

const voted = ({ number }: ChangeThread): readonly unknown[] =>
  scenario.rows('select person from votes where change = ?', number);

describe.concurrent('an approver', () => {
  test('gets the card in direct messages and decides there; every copy loses its buttons; the requester is told', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await ana.requests(
      '/site push acme-shop/live acme-shop/staging --database --reason "fresh data"',
      ana.direct,
    );
    await change.tells(/^@Chi or @Dee: this is waiting for your approval until /);
    const mine = new RegExp(`^⏳ Push acme-shop/live → acme-shop/staging: database · #${change.number}\\n`);
    const [copy, other] = await Promise.all([chi.reads(mine), dee.reads(mine)]);
    expect([copy, other].map(labelsOf)).toEqual(
      Array.from({ length: 2 }, () => ['Approve', 'Approve with a note…', 'Everything that will be sent', 'Decline…']),
    );
    expect(copy.text).toContain('The DATABASE of acme-shop/staging will be replaced.');
    expect(copy.controls[0]?.confirm).toContain('The DATABASE of acme-shop/staging will be replaced.');
    await chi.clicks(copy, 'Approve');
    await change.tells('Approved by @Chi. Sending it now.');
    await ana.reads(new RegExp(`#${change.number} · Push [^]*Approved by @Chi`));
    const none = (who: TestUser, { ts }: VisibleMessage): Promise<VisibleMessage> =>
      scenario.slack.until(
        () =>
          scenario.slack
            .messages({ channel: who.direct, as: who.id })
            .find((one) => one.ts === ts && one.controls.length === 0),
        patienceMs,
      );
    await Promise.all([none(chi, copy), none(dee, other)]);
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('acme-shop/staging')).toHaveLength(1);
  });

  test('is asked about at most five changes of one person; the sixth is refused with the next step', async () => {
    const ben = scenario.person('ben');
    const sites = ['acme-shop', 'acme-blog', 'acme-docs', 'north-bakery', 'harbor-events'];
    for (const site of sites) await ben.asks(`/site cache clear ${site}/live`, ben.direct);
    const sixth = await ben.says('/site cache clear acme-shop/staging', ben.direct);
    const refused = await sixth.hears('You already have 5 changes waiting for approval. Nothing was asked.');
    expect(labelsOf(refused)).toEqual(['Show them']);
    expect(scenario.rows('select 1 from changes where requester = ?', ben.id)).toHaveLength(5);
  });

  test('does not answer in time: the change expires, a late click is refused, and Ask again opens the same words', async () => {
    const [rob, chi] = [scenario.person('rob'), scenario.person('chi')];
    const line = '/site push acme-blog/live acme-blog/staging --files --search-replace --reason "release 42"';
    const change = await rob.requests(line, 'C0GENERAL');
    const { blocks } = change.card();
    scenario.runSql('update changes set expires_at = 1 where number = ?', change.number);
    const late = await chi.clicks(change.card(), 'Approve');
    await late.hears(/^#\d+: The time to approve it ended at .* Nothing was changed\./);
    scenario.runSql('update changes set due_at = 1 where number = ?', change.number);
    const reply = await change.tells("⛔ Nothing was sent. It wasn't approved in time.");
    await rob.reads(/It wasn't approved in time/);
    await change.shows('⛔ Push acme-blog/live → acme-blog/staging');
    await scenario.replaceBlocks(change, blocks);
    const later = await chi.clicks(change.card(), 'Approve');
    await later.hears(/^#\d+: It's already closed\. Nothing was sent\. It wasn't approved in time\./);
    expect(voted(change)).toEqual([]);
    expect(labelsOf(reply)).toEqual(['Ask again']);
    await rob.clicks(reply, 'Ask again');
    await rob.form('Nothing is sent until it is approved');
    const again = await rob.confirms({}, 'C0GENERAL');
    const wordsOf = ({ number }: ChangeThread): unknown =>
      scenario.rows('select args, reason from changes where number = ?', number)[0];
    expect(wordsOf(again)).toEqual(wordsOf(change));
    expect(scenario.writes('acme-blog/staging')).toEqual([]);
  });

  test('is reminded at half time, in the thread and in direct messages, unless they have approved already', async () => {
    const [fay, chi, dee] = [scenario.person('fay'), scenario.person('chi'), scenario.person('dee')];
    const change = await fay.requests('/site push acme-docs/live acme-docs/staging --files', 'C0OPS');
    await change.tells(/^2 of @Chi, @Dee: this is waiting for your approval until /);
    const due = (): number =>
      Number(scenario.rows('select due_at from changes where number = ?', change.number)[0]?.['due_at']);
    const [row] = scenario.rows('select created_at, expires_at from changes where number = ?', change.number);
    const [from, to] = [Number(row?.['created_at']), Number(row?.['expires_at'])];
    expect(due()).toBe(from + (to - from) / 2);
    const makeDue = (): void => scenario.runSql('update changes set due_at = 1 where number = ?', change.number);
    makeDue();
    await change.tells(/^⏳ 2 of @Chi, @Dee: this is still waiting for your approval, until /);
    const reminded = new RegExp(`#${change.number} · Push [^]*this is still waiting for your approval`);
    await Promise.all([chi.reads(reminded), dee.reads(reminded)]);
    await chi.clicks(change.card(), 'Approve');
    await change.tells('Approved by @Chi. One more approval is needed.');
    makeDue();
    await change.tells(/^⏳ @Dee: this is still waiting for your approval, until /);
    const count = (who: TestUser): number =>
      scenario.slack.messages({ channel: who.direct, as: who.id }).filter(({ text }) => reminded.test(text)).length;
    await scenario.slack.until(() => (count(dee) === 2 ? true : undefined), patienceMs);
    expect(count(chi)).toBe(1);
    expect(scenario.writes('acme-docs/staging')).toEqual([]);
  });

  test('needs a reason if the rule says so: without one, a form asks for it', async () => {
    const chi = scenario.person('chi');
    const [dee, fay] = [scenario.person('dee'), scenario.person('fay')];
    await dee.opens('/site cache clear lumen-studio/live', 'The rules want a reason for this. Nothing was done.');
    const { errors } = await dee.submits();
    expect(errors['field:reason']).toContain('The rules want a reason for this. Nothing was done.');
    const change = await dee.confirms({ Reason: 'stale prices' }, 'C0ACME');
    const refused = await chi.clicks(change.card(), 'Approve');
    await refused.hears("You're not among the people who can approve it. Nothing was changed.");
    await fay.clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
    expect(scenario.writes('lumen-studio/live')).toHaveLength(1);
  });

  test('needs a ticket in the reason if a rule looks for one: forms say so, and it is a link from then on', async () => {
    const [dee, fay] = [scenario.person('dee'), scenario.person('fay')];
    const clear = '/site cache clear lumen-studio/staging';
    const wanted = 'The rules want a match of [A-Z]+-(\\d+) in the reason. Nothing was done.';
    await dee.opens(clear, 'The rules want a reason with a match of [A-Z]+-(\\d+) for this. Nothing was done.');
    await dee.opens(`${clear} --reason "stale prices"`, wanted);
    const { errors } = await dee.submits();
    expect(errors['field:reason']).toContain(wanted);
    // A batch has what all of its environments need.
    const review = await dee.opens('/site cache clear lumen-studio/*', 'Nothing is sent until it is approved');
    expect(JSON.stringify(review.blocks)).toContain('It needs a match of [A-Z]+-(\\\\d+).');
    expect((await dee.submits({ Reason: 'no ticket' })).errors['field:reason']).toContain(wanted);

    const change = await dee.asks(`${clear} --reason "for WEB-42 <!channel> [WEB-42](https://evil.example)"`, 'C0ACME');
    const linked = '{"type":"link","url":"https://tracker.example/browse/WEB-42?n=42","text":"WEB-42"}';
    expect(JSON.stringify(change.card().blocks).split(linked)).toHaveLength(2);
    await fay.clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
    const said = await dee.says(`/site change ${change.number}`, 'C0ACME');
    expect(JSON.stringify((await said.hears('Asked by')).blocks)).toContain(linked);
    expect(JSON.stringify(change.card().blocks)).toContain(linked);
    await dee.says('/site changes export lumen-studio/staging', 'C0ACME');
    const exported = await scenario.slack.until(() => scenario.slack.files(dee.id).at(-1), patienceMs);
    expect(exported.text).toContain(
      '`for WEB-42 <!channel> [WEB-42](https://evil.example)` <https://tracker.example/browse/WEB-42?n=42>',
    );
  });
});
