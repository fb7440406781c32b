import { expect, test } from 'vitest';
import { eventually, manySites, policy } from './batch.ts';
import { inScenario } from './scenario.ts';

/** How long a batch may go on after its start. */

const minute = 60_000;
const valid = (time: string): string =>
  policy
    .replace('"acme-*/live"', '"many-*/live"')
    .replace(
      '{ allow: ["cache clear"], to: [developers] }',
      `{ allow: ["cache clear"], to: [developers], approval: { by: [leads], count: 1, expires: 1h }, batchValidity: ${time} }`,
    );

test(
  'a batch is valid for as long as the rule said when it was asked for, whatever the rule says by then',
  inScenario(
    { policy: valid('1h'), hosting: { plan: manySites(20), durations: { 'cache:clear': 0 } } },
    async (scenario) => {
      const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
      scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST', times: 'always' });
      const edit = async (time: string, edits: number): Promise<void> => {
        await scenario.writePolicy(valid(time));
        const read = () => scenario.rows("select 1 from audit where event = 'policy'").length === edits;
        await eventually(scenario, 'the rules to be read', read);
      };
      const review = await ana.opens('/site cache clear many-*/live', 'Leave out');
      expect(review.text).toContain('Stops after: 1 h');
      const card = await ana.confirms();
      await card.shows(/Stops after\W+1 h/);
      await edit('2h', 2);
      await chi.clicks(card.card(), 'Approve');
      await scenario.becomes(card.number, 'stopped');
      const [{ validFor } = {}] = scenario.rows(
        `select changes.expires_at - audit.at as validFor from changes, audit
         where number = ? and audit.change = number and event = 'start'`,
        card.number,
      );
      expect(validFor).toBe(60 * minute);
      await card.shows('Stops at');
      await card.shows('[Go on]');

      await edit('1m', 3);
      const passes = (ms: number) =>
        scenario.runSql('update changes set expires_at = expires_at - ?, due_at = 1 where number = ?', ms, card.number);
      const stops = () => scenario.rows("select 1 from audit where change = ? and event = 'halt'", card.number).length;
      passes(55 * minute);
      await chi.clicks(card.card(), 'Go on');
      await eventually(scenario, 'it to go on and stop again', () => stops() === 2);
      await card.shows('[Go on]');
      const sent = scenario.writes().length;
      expect(sent).toBeLessThan(20);
      passes(6 * minute);
      await card.tells('It is over, and not all are done.');
      await scenario.becomes(card.number, 'ended');
      expect(scenario.writes()).toHaveLength(sent);
      await eventually(scenario, 'no button to go on', () => !card.card().text.includes('[Go on]'));
    },
  ),
);
