import { expect, test } from 'vitest';
import { submitBatch, eventually, writeCounts } from './batch.ts';
import { inScenario } from './scenario.ts';

/** Who is asked to approve a batch. */

/** Chi leads two of the three sites, and sees no other. */
const policy = (leads: string): string => `
version: 1
live: ["*/live"]
groups: { developers: [U01ANA], leads: [${leads}], chi: [U03CHI] }
rules:
  - { allow: [read], to: [developers, leads] }
  - { deny: [read], to: [chi], where: ["acme-blog/*"] }
  - { allow: ["cache clear"], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
channels: { ops: C0OPS }
`;
const clear = '/site cache clear acme-*/live';
const names = ['acme-blog/live', 'acme-docs/live', 'acme-shop/live'];

test(
  'only people who can approve all of a batch are asked; if nobody can, it names the obstacle and can be asked for without it',
  inScenario({ policy: policy('U03CHI, U04DEE') }, async (scenario) => {
    const [ana, chi, dee] = [scenario.person('ana'), scenario.person('chi'), scenario.person('dee')];
    const toldOf = (person: typeof chi) =>
      scenario.slack
        .messages({ channel: person.direct, as: person.id })
        .filter(({ text }) => text.includes('[Approve]'));
    const card = await submitBatch(ana, clear);
    await card.tells('@Dee: this is waiting for your approval');
    await eventually(scenario, 'a message to Dee', () => toldOf(dee).length === 1);
    await (await chi.clicks(card.card(), 'Approve')).hears(/#1/);
    expect(scenario.writes()).toEqual([]);
    await dee.clicks(card.card(), 'Approve');
    await scenario.becomes(card.number, 'done');
    expect(writeCounts(scenario, names)).toEqual([1, 1, 1]);
    expect(toldOf(chi)).toEqual([]);

    await scenario.writePolicy(policy('U03CHI'));
    const read = () => scenario.rows("select 1 from audit where event = 'policy'").length === 2;
    await eventually(scenario, 'the rules to be read', read);
    await ana.opens(clear, 'Leave out');
    const refused = await (await ana.submits()).hears('Nobody can approve this for acme-blog/live.');
    expect(refused.text).toContain('Ask again, and leave out what nobody can approve.');
    expect(scenario.rows('select 1 from changes where progress is not null')).toHaveLength(1);
    const rest = await submitBatch(ana, clear, { 'Leave out': ['acme-blog/live'] });
    await rest.tells('@Chi: this is waiting for your approval');
    await chi.clicks(rest.card(), 'Approve');
    await scenario.becomes(rest.number, 'done');
    expect(writeCounts(scenario, names)).toEqual([1, 2, 2]);
  }),
);
