import { parseStored } from '../../src/storage/parse-json.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PollState } from '../../src/send/evidence.ts';
import { inScenario, openScenario, patienceMs, type Scenario, stateOf, locksOf } from './scenario.ts';
import { labelsOf, type ChangeThread } from './people.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  leads: [U03CHI]
  developers: [U01ANA, U02BEN]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: [push], to: [developers], approval: { by: [leads], count: 1, expires: 1h } }
`;

let scenario: Scenario;
beforeAll(async () => {
  scenario = await openScenario({ policy, hosting: { durations: { 'environments:push': 0 } } });
});
afterAll(() => scenario.close());

const works = (of: Scenario): boolean => of.rows("select value from kv where key = 'following'").length > 0;
function trailOf(of: Scenario, { number }: ChangeThread): Partial<PollState> {
  const stored = of.rows('select poll_state from changes where number = ?', number)[0]?.['poll_state'];
  return typeof stored === 'string' ? parseStored<PollState>(stored) : {};
}
/** Resolves when the operation was read that many times; makes each read due at once. */
const untilPolled = (of: Scenario, change: ChangeThread, times: number): Promise<void> => {
  const wanted = (trailOf(of, change).looks ?? 0) + times;
  return vi.waitFor(
    () => {
      of.makeDue(change.number);
      expect(trailOf(of, change).looks).toBeGreaterThanOrEqual(wanted);
    },
    { timeout: patienceMs, interval: 50 },
  );
};
/** Moves a time in the change's poll state back by `ms`. */
const moveBack = (
  of: Scenario,
  change: ChangeThread,
  moment: '$.since' | '$.failing.since',
  ms: number,
): Promise<void> => {
  const read = (): unknown =>
    of.rows('select json_extract(poll_state, ?) as at from changes where number = ?', moment, change.number)[0]?.['at'];
  const before = Number(read());
  const set = 'update changes set poll_state = json_set(poll_state, ?, ?) where number = ? and owner is null';
  return vi.waitFor(
    () => {
      of.runSql(set, moment, before - ms, change.number);
      expect(read()).toBe(before - ms);
    },
    { timeout: patienceMs, interval: 50 },
  );
};
/** Resolves when the change is settled; makes each read due at once. */
const untilSettled = (of: Scenario, { number }: ChangeThread): Promise<void> =>
  vi.waitFor(
    () => {
      of.makeDue(number);
      expect(of.rows('select 1 from changes where number = ? and settled_at is not null', number)).toHaveLength(1);
    },
    { timeout: patienceMs, interval: 50 },
  );
/** An approved push onto an environment of that site, whose operation ends with this outcome. */
async function pushed(site: string, ends: 'hang' | 'fail', requester: 'ana' | 'ben'): Promise<ChangeThread> {
  scenario.hosting.operations.plan('environments:push', ends);
  const change = await scenario.person(requester).requests(`/site push ${site}/live ${site}/staging --files`);
  await scenario.person('chi').clicks(change.card(), 'Approve');
  await change.tells('Sent. The host accepted it.');
  return change;
}
const aboutOperation = (of: ChangeThread): string => {
  const [row] = scenario.rows('select operation from changes where number = ?', of.number);
  return `/operations/${encodeURIComponent(String(row?.['operation']))}`;
};

test('promise 2: a gateway answers 500 in HTML about a running push for minutes: the push stays locked and followed, and nothing failed', async () => {
  const change = await pushed('acme-blog', 'hang', 'ana');
  await untilPolled(scenario, change, 1);
  expect(trailOf(scenario, change)).toMatchObject({ known: true });
  scenario.hosting.faults.add({ kind: 'gateway', status: 500, path: aboutOperation(change), times: 'always' });
  await untilPolled(scenario, change, 4);
  await moveBack(scenario, change, '$.since', 300_000);
  scenario.runSql('update changes set sent_at = sent_at - 300000 where number = ?', change.number);
  await untilPolled(scenario, change, 1);
  await change.tells(/^▶️ Sent 5 min .*ago\. I can't ask the host about it right now, so I'll keep trying\.$/);
  expect(stateOf(scenario, change)).toBe('accepted');
  expect(trailOf(scenario, change).failing).toBeUndefined();
  expect(locksOf(scenario, change)).toHaveLength(2);
  expect(change.replies().filter(({ text }) => /failed|unknown/i.test(text))).toEqual([]);

  scenario.hosting.faults.remove();
  const done = { message: 'Finished', status: 200, data: null };
  scenario.hosting.faults.add({
    kind: 'status',
    status: 200,
    body: done,
    path: aboutOperation(change),
    times: 'always',
  });
  await untilSettled(scenario, change);
  await change.tells(/^✅ Done after .*: the host reports it finished\./);
  expect(locksOf(scenario, change)).toEqual([]);
});

test('promise 2: the host itself answers 500 to everything for minutes: no push counts as failed', async () => {
  const change = await pushed('lumen-studio', 'hang', 'ben');
  await untilPolled(scenario, change, 1);
  const body = { message: 'Error occurred while processing your request', status: 500 };
  scenario.hosting.faults.add({ kind: 'status', status: 500, body, method: 'GET', times: 'always' });
  await untilPolled(scenario, change, 4);
  await moveBack(scenario, change, '$.since', 300_000);
  await untilPolled(scenario, change, 1);
  scenario.hosting.faults.remove();
  expect([stateOf(scenario, change), trailOf(scenario, change).failing]).toEqual(['accepted', undefined]);
  expect(locksOf(scenario, change)).toHaveLength(2);
});

test('promise 2: the host itself calls a push failed: it counts only once the host has said so for a minute', async () => {
  const change = await pushed('acme-docs', 'fail', 'ben');
  await untilPolled(scenario, change, 1);
  await vi.waitFor(() => expect(scenario.hosting.operations.list().at(-1)?.state).toBe('failed'), patienceMs);
  await untilPolled(scenario, change, 4);
  expect(trailOf(scenario, change).failing?.times).toBeGreaterThanOrEqual(3);
  expect([stateOf(scenario, change), locksOf(scenario, change).length]).toEqual(['accepted', 2]);
  await moveBack(scenario, change, '$.failing.since', 60_000);
  await untilSettled(scenario, change);
  const reply = await change.tells(
    '❌ The host reports that it failed. It says: “Error occurred while processing your request”. ' +
      'Part of it may have been done, so please check acme-docs/staging before you ask again.',
  );
  expect(labelsOf(reply)).toEqual(['Error log since the push', 'Check the site', 'Ask again']);
  await change.shows(/^❌/);
  expect(locksOf(scenario, change)).toEqual([]);
});

test('a long routine change posts nothing before its end, unless the host cannot be asked', async () => {
  scenario.hosting.operations.plan('cache:clear', 'hang');
  const change = await scenario.person('ana').asks('/site cache clear north-bakery/staging', 'D0U01ANA');
  await scenario.becomes(change.number, 'accepted');
  scenario.runSql('update changes set sent_at = sent_at - 60000 where number = ?', change.number);
  await untilPolled(scenario, change, 2);
  await change.shows('Accepted by the host; running.');
  expect(scenario.rows('select key from messages where change = ? and kind = ?', change.number, 'reply')).toEqual([]);

  scenario.hosting.faults.add({ kind: 'gateway', status: 500, path: aboutOperation(change), times: 'always' });
  await untilPolled(scenario, change, 1);
  await change.tells(/^▶️ Sent 1 min .*ago\. I can't ask the host about it right now, so I'll keep trying\.$/);
  scenario.hosting.faults.remove();
  await untilPolled(scenario, change, 1);
  await change.tells(/^▶️ Running for 1 min\b/);
  expect(change.replies()).toHaveLength(1);
});

test(
  'promise 2: a host without operations answers 500 once in HTML and once in JSON: nothing failed, and operations are still not followed',
  inScenario({ policy, hosting: { optional: { operations: false } } }, async (quiet) => {
    const body = { message: 'Error occurred while processing your request', status: 500 };
    quiet.hosting.faults.add({ kind: 'gateway', status: 500, path: '/operations/*' });
    quiet.hosting.faults.add({ kind: 'status', status: 500, body, path: '/operations/*' });
    const change = await quiet.person('ana').asks('/site cache clear acme-shop/staging');
    await quiet.becomes(change.number, 'accepted');
    await untilPolled(quiet, change, 3);
    expect(quiet.hosting.faults.list()).toEqual([]);
    expect([stateOf(quiet, change), works(quiet)]).toEqual(['accepted', false]);
    await moveBack(quiet, change, '$.since', 60_000);
    await untilSettled(quiet, change);
    const last = await change.tells(/^☑️ Accepted by the host\./);
    expect(last.text).toContain('The host does not say when it is finished.');
    expect(change.replies()).toHaveLength(1);
    expect(works(quiet)).toBe(false);
  }),
);
