import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { openScenario, type Scenario } from './scenario.ts';
import type { ChangeThread, TestUser } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI, U04DEE, U05FAY]
  developers: [U01ANA, U02BEN]
rules:
  - { allow: [read], to: everyone }
  - { allow: [push], to: [developers], where: ['acme-shop/*', 'acme-docs/*'], approval: { by: [leads] } }
  - { allow: [push], to: [developers], where: ['acme-blog/*'], approval: { by: [leads], count: 2 } }
`;
const onto = (site: string): string => `/site push ${site}/live ${site}/staging --files`;

const withNote = 'Approve with a note…';

/** Opens the form for a note, from the card or from the pages with everything that will be sent. */
async function opensNote(scenario: Scenario, lead: TestUser, change: ChangeThread, inPages = false): Promise<void> {
  let fingerprint = '';
  if (inPages) {
    await lead.clicks(change.card(), 'Everything that will be sent');
    const page = await lead.form(new RegExp(`· #${change.number}\\nPage 1 of [^]*Fingerprint: `));
    fingerprint = /Fingerprint: ([0-9a-f]{64})/.exec(page.text)?.[1] ?? 'none';
    await scenario.slack.click(lead.id, 'modal', { label: withNote });
  } else await lead.clicks(change.card(), withNote);
  const form = await lead.form(`Approve #${change.number}\n`);
  expect(form.text).toMatch(new RegExp(`Fingerprint: ${fingerprint || '[0-9a-f]{64}'}`));
  expect(form.text).toMatch(/All files of \S+ will be replaced\./);
  expect(form.submit).toBe('Approve');
}

function stories(url: () => Promise<string | undefined>): void {
  let scenario: Scenario;
  beforeAll(async () => {
    const at = await url();
    scenario = await openScenario({
      policy,
      hosting: { durations: { 'environments:push': 0 } },
      ...(at && { environment: { DATABASE_URL: at } }),
    });
  });
  afterAll(() => scenario.close());

  test('is in the thread, escaped, in what the requester is told and in the audit trail', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const change = await ana.requests(onto('acme-shop'));
    await opensNote(scenario, chi, change);
    await chi.submits({ Note: 'after the sale\n<!here> *bold*' });
    const reply = await change.tells('Approved by @Chi: “after the sale <!here> *bold*”. Sending it now.');
    expect(reply.notification).toContain('&lt;!here&gt;');
    await change.tells(/^✅ Done after /);
    const asked = await ana.says(`/site change ${change.number}`);
    await asked.hears('approved it: “after the sale <!here> *bold*”');
    expect(scenario.writes('acme-shop/staging')).toHaveLength(1);
  });

  test('with a token in it is refused under its field; without a note it is a plain approval', async () => {
    const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
    const change = await ana.requests(onto('acme-docs'));
    await opensNote(scenario, chi, change, true);
    for (const secret of ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow'])
      expect((await chi.submits({ Note: `see ${secret}` })).errors['field:reason']).toMatch(
        /^That contains a .*I didn't keep it\. Nothing was done\./,
      );
    expect(change.replies().some(({ text }) => text.startsWith('Approved'))).toBe(false);
    await chi.submits({ Note: '' });
    expect(scenario.slack.views(chi.id).modals).toEqual([]);
    await change.tells('Approved by @Chi. Sending it now.');
    await change.tells(/^✅ Done after /);
  });

  test('submitted twice counts once; when another was faster, the person is told and gets the note back', async () => {
    const [ben, chi] = [scenario.person('ben'), scenario.person('chi')];
    const [dee, fay] = [scenario.person('dee'), scenario.person('fay')];
    const change = await ben.requests(onto('acme-blog'), 'C0GENERAL');
    await Promise.all([chi, dee, fay].map((lead) => opensNote(scenario, lead, change)));
    await Promise.all([chi.submits({ Note: 'once' }), chi.submits({ Note: 'once' })]);
    await change.tells('Approved by @Chi: “once”. One more approval is needed.');
    await dee.submits({ Note: 'twice' });
    await change.tells('Approved by @Dee: “twice”. Sending it now.');
    const late = await fay.submits({ Note: 'thrice' }, 'C0GENERAL');
    await late.hears(/^#\d+: .* Nothing was changed\. What you wrote was not posted: “thrice”$/);
    await change.tells(/^✅ Done after /);
    expect(change.replies().filter(({ text }) => text.startsWith('Approved by'))).toHaveLength(2);
    expect(scenario.writes('acme-blog/staging')).toHaveLength(1);
  });

  test('asks nobody for a note whose approval would not count', async () => {
    const [ana, ben, rob] = [scenario.person('ana'), scenario.person('ben'), scenario.person('rob')];
    const change = await ana.requests(onto('acme-docs'));
    for (const [person, why] of [
      [ana, '**This is your own change**, so somebody else has to approve it.'],
      [ben, "You're not among the people who can approve it."],
      [rob, "You're not among the people who can approve it."],
    ] as const) {
      await person.clicks(change.card(), withNote);
      const said = await person.form(/Nothing was changed/);
      expect(said.text).toContain(why.replaceAll('**', ''));
      expect(said.submit).toBeUndefined();
    }
    await scenario.person('chi').clicks(change.card(), 'Approve');
    await change.tells(/^✅ Done after /);
  });

  test('is refused for a change that moved on before the form was opened', async () => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const change = await ana.requests(onto('acme-shop'));
    await chi.clicks(change.card(), 'Everything that will be sent');
    await chi.form(`· #${change.number}\nPage 1 of `);
    await dee.clicks(change.card(), 'Decline…');
    await dee.form('Reason');
    await dee.submits({ Reason: 'not now' });
    await change.tells('⛔ Declined by @Dee');
    await scenario.slack.click(chi.id, 'modal', { label: withNote });
    await chi.form(/#\d+: It.s already closed\. Declined by @Dee: .* Nothing was changed\.$/);
  });
}

describe('an approval with a note', () => {
  stories(async () => undefined);
});
describe.skipIf(!postgresRuns)(`an approval with a note, on PostgreSQL${noPostgres}`, () => {
  stories(freshPostgres);
});
