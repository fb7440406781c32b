import { describe, expect, test, vi } from 'vitest';
import { eventually, manySites, policy as clearing, submitBatch } from './batch.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups: { leads: [U03CHI], developers: [U01ANA] }
rules:
  - { allow: [read], to: everyone }
  - { allow: ['cache clear'], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;
const options = { policy, hosting: { plan: manySites(6), durations: { 'cache:clear': 0 } } };
const wait = { timeout: patienceMs, interval: 100 };

/** Chi approves a batch of Ana's that stops because the host answers its first write with 500. Resolves when it is summed up. */
async function stopped(scenario: Scenario): Promise<void> {
  const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
  scenario.hosting.faults.add({ kind: 'status', method: 'POST', status: 500, times: 1 });
  await ana.opens('/site cache clear many-*/live', 'Leave out');
  await ana.confirms({});
  await chi.clicks(await chi.reads(/^⏳ /), 'Approve');
  const summedUp = (): unknown => scenario.rows("select 1 from audit where event = 'summed_up'");
  await vi.waitFor(() => expect(summedUp()).not.toEqual([]), wait);
}

/** What Ana was told directly of the stop, once nothing is owed to her. */
async function toldAna(scenario: Scenario): Promise<readonly string[]> {
  const { id, direct } = scenario.person('ana');
  const owed = 'select 1 from messages where recipient = ? and due_at is not null';
  await vi.waitFor(() => expect(scenario.rows(owed, id)).toEqual([]), wait);
  const told = scenario.slack.messages({ channel: direct, as: id }).map(({ text }) => text);
  // What told of the approval only says how it is now.
  return told.filter((text) => text.includes('✋') && !text.includes('Approved by'));
}

const withNumbers = [expect.stringMatching(/✋ \*?\*?Stopped: [^]* done · 1 unknown/)];

describe.concurrent('a stop of a batch is told to its requester once, with its numbers', () => {
  test(
    'which come by an edit',
    inScenario(options, async (scenario) => {
      await stopped(scenario);
      expect(await toldAna(scenario)).toEqual(withNumbers);
    }),
  );

  test(
    'also after Slack was in trouble',
    inScenario(options, async (scenario) => {
      const { id, direct } = scenario.person('ana');
      const away = [id, direct].map((channel) =>
        scenario.slack.faults.add({ method: 'chat.postMessage', kind: 'status', status: 500, channel }),
      );
      await stopped(scenario);
      for (const fault of away) scenario.slack.faults.remove(fault.id);
      expect(await toldAna(scenario)).toEqual(withNumbers);
    }),
  );
});

test(
  'changes of a batch that take long leave nothing owed: they have no thread of their own',
  inScenario({ policy: clearing, hosting: { durations: { 'cache:clear': 0 } } }, async (scenario) => {
    const asked = scenario.hosting.faults.add({ kind: 'gateway', status: 500, path: '/operations/*', times: 'always' });
    const batch = await submitBatch(scenario.person('ana'), '/site cache clear acme-docs/live, acme-docs/staging');
    const inBatch = "batch is not null and state = 'accepted'";
    const polls = `select poll_state from changes where ${inBatch} and json_extract(poll_state, '$.looks') > 1`;
    await eventually(scenario, 'both were asked about after half a minute', () => {
      scenario.runSql(`update changes set due_at = 1, sent_at = sent_at - 60000 where ${inBatch} and owner is null`);
      return scenario.rows(polls).length === 2;
    });
    scenario.hosting.faults.remove(asked.id);
    await scenario.becomes(batch.number, 'done');
    const due = (table: 'messages' | 'changes') => scenario.rows(`select * from ${table} where due_at is not null`);
    await vi.waitFor(() => expect([...due('messages'), ...due('changes')]).toEqual([]), wait);
  }),
);
