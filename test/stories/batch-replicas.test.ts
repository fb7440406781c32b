import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { editsOf, manySites, namesOfMany, policy, writeCounts } from './batch.ts';
import { inScenario, patienceMs, type Scenario } from './scenario.ts';
import type { ChangeThread, TestUser } from './people.ts';

/** A batch as large as can be that two replicas move, one of which is killed again and again while the host fails. */

const count = 200;
const names = namesOfMany(count);
/** How many writes the host has got when one of the replicas is killed. */
const killedAt = [40, 90, 140];
const longPatienceMs = 4 * patienceMs;

/** Changes that were sent more than once, not counting what came too late to be sent. */
const sentAgain = `
  select change from audit where event in ('send', 'send_aborted', 'send_aborted_late')
  group by change having sum(case event when 'send' then 1 else -1 end) > 1`;

type Row = Readonly<Record<string, unknown>>;
type Ask = (statement: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;
type Story = { readonly scenario: Scenario; readonly ask: Ask; readonly ana: TestUser; readonly card: ChangeThread };

describe.skipIf(!postgresRuns)(`a batch of two hundred, of two replicas on one PostgreSQL${noPostgres}`, () => {
  test(
    'promise 1: killed three times, while the host is slow and fails in three ways: each is written once at most, and in the end the card counts what the host did',
    { timeout: 4 * longPatienceMs },
    async () => {
      const url = (await makeDatabase()).href;
      const sql = new Client({ connectionString: url });
      await sql.connect();
      const ask: Ask = async (statement, ...values) => (await sql.query<Row>(statement, [...values])).rows;
      const hosting = { plan: manySites(count), durations: { 'cache:clear': 0 } } as const;
      const environment = { DATABASE_URL: url };
      try {
        await inScenario(
          { policy, hosting, environment, slack: { rateLimits: true }, ownProcess: 'all', start: false },
          (scenario) => twoHundred(scenario, ask),
        )();
        expect(await ask(sentAgain)).toEqual([]);
      } finally {
        await sql.end();
      }
    },
  );
});

async function twoHundred(scenario: Scenario, ask: Ask): Promise<void> {
  await scenario.start();
  // The second is the one that `kill` ends.
  await scenario.start();
  scenario.slack.delivery.duplicates = 1;
  scenario.hosting.faults.add({ kind: 'status', status: 422, method: 'POST', skip: 20 });
  scenario.hosting.faults.add({ kind: 'status', status: 500, method: 'POST', skip: 65 });
  scenario.hosting.faults.add({ kind: 'reset', at: 'before-headers', applied: true, method: 'POST', skip: 115 });
  scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: 200, times: 'always' });
  const ana = scenario.person('ana');
  const began = performance.now();
  await ana.opens('/site cache clear many-*/live', 'Leave out');
  // So long a list is saved beside the form, for the other replica too, a moment later: nobody has read it before.
  await eventually(async () => (await ask('select 1 from button_payloads')).length > 0);
  const card = await ana.confirms();
  const story = { scenario, ask, ana, card };
  await Promise.all([killsOneAgainAndAgain(story), pressesOn(story)]);
  const counts = writeCounts(scenario, names);
  expect(Math.max(...counts)).toBe(1);
  // The host has them all, but those that a killed replica was about to send.
  const unknown = await inState(story, 'unknown');
  expect(unknown.length).toBeGreaterThanOrEqual(2);
  expect(counts.filter((times) => times === 0).length).toBeLessThanOrEqual(unknown.length - 2);
  expect(await inState(story, 'rejected')).toHaveLength(1);
  await closesUnknowns(story);
  await card.tells('It is over, and not all are done.');
  const done = names.filter((name) => isDone(scenario, name)).length;
  const accepted = (await inState(story, 'accepted')).length;
  const both = `${done - accepted} of ${count} done${accepted > 0 ? ` · ${accepted} accepted` : ''}`;
  await card.shows(`${both} · ${count - done} failed`);
  expect(writeCounts(scenario, names)).toEqual(counts);
  expect(card.replies().length).toBeLessThanOrEqual(3);
  await expectFewCalls(story, performance.now() - began);
}

/** Each time another replica takes the dead one's place. */
async function killsOneAgainAndAgain({ scenario, ask }: Story): Promise<void> {
  for (const after of killedAt) {
    await scenario.hosting.until(() => scenario.writes()[after], longPatienceMs);
    const [sign] = await ask(
      `select key from kv where key like 'replica:%' and value like $1`,
      `%:${scenario.pid()}"%`,
    );
    const owner = String(sign?.['key']).replace('replica:', '');
    await scenario.kill();
    // The leases of the dead would end by themselves, within a minute.
    await ask('update changes set lease_until = 1, due_at = 1 where owner = $1', owner);
    await ask('update messages set lease_until = 1 where owner = $1', owner);
    await scenario.start();
  }
}

/** Lets it go on whenever it stops, until all were tried. */
async function pressesOn({ ask, ana, card }: Story): Promise<void> {
  const stateOf = async (): Promise<unknown> =>
    (await ask('select state from changes where number = $1', card.number))[0]?.['state'];
  const isTried = (): boolean => card.card().text.includes('All were tried');
  for (;;) {
    await eventually(
      async () => isTried() || ((await stateOf()) === 'stopped' && card.card().text.includes('[Go on]')),
    );
    if (isTried()) return;
    const seen = card.card().text;
    await ana.clicks(card.card(), 'Go on');
    // It is refused until the card has shown what else ended badly; then it is pressed again.
    await eventually(async () => (await stateOf()) !== 'stopped' || card.card().text !== seen);
  }
}

/** Closes each by what the host shows, as people do after they looked there. */
async function closesUnknowns(story: Story): Promise<void> {
  const { scenario, ask, ana, card } = story;
  // Until six minutes after it was sent, a write could still arrive.
  await ask(`update changes set sent_at = 1 where state = 'unknown'`);
  for (;;) {
    const [first] = await inState(story, 'unknown');
    if (first === undefined) return;
    const label = `${isDone(scenario, first) ? 'It happened' : 'It did not happen'}: ${first}`;
    await card.shows(`[${label}]`);
    await ana.clicks(card.card(), label);
    await eventually(async () => !(await inState(story, 'unknown')).includes(first));
  }
}

/**
 * Slack refused no call, but a post where a killed replica had just posted, which the next one can't know. The card was
 * edited every five seconds at most, besides with a move.
 */
async function expectFewCalls({ scenario, ask, card }: Story, tookMs: number): Promise<void> {
  const refused = scenario.slack.calls().filter(({ result }) => result === 'ratelimited');
  expect(refused.filter(({ method }) => method !== 'chat.postMessage')).toEqual([]);
  expect(refused.length).toBeLessThanOrEqual(killedAt.length);
  const moves = await ask('select 1 from audit where change = $1', card.number);
  expect(editsOf(scenario, card)).toBeLessThanOrEqual(tookMs / 5_000 + moves.length);
}

const isDone = ({ hosting }: Scenario, name: string): boolean =>
  (hosting.world.environmentNamed(name)?.cacheClearedAt ?? null) !== null;

/** The names of those in this state, in their order. */
const inState = async ({ ask, card }: Story, state: string): Promise<readonly string[]> => {
  const rows = await ask(
    'select target_name from changes where batch = $1 and state = $2 order by number',
    card.number,
    state,
  );
  return rows.map((row) => String(row['target_name']));
};

const eventually = (isSo: () => Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await isSo()).toBe(true), { timeout: longPatienceMs, interval: 100 });
