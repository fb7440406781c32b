import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { startReceiver, type Receiver } from '../audit/receiver.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { ids, inScenario, patienceMs, type Scenario, type ScenarioOptions } from './scenario.ts';

/** The audit trail is sent to a receiver outside. */

const key = 'canary-audit-out-1f7b02d5c94e8a6301';
const token = 'canary-token-4ab61c90';

/** A story whose bot sends the trail to a receiver; nothing of its credentials may be left behind. */
const withReceiver =
  (options: ScenarioOptions, story: (scenario: Scenario, receiver: Receiver) => Promise<void>) =>
  async (): Promise<void> => {
    const receiver = await startReceiver(key);
    const environment = { AUDIT_OUT: `${receiver.url}/in/${token}`, AUDIT_OUT_KEY: key, ...options.environment };
    try {
      await inScenario({ ...options, environment }, async (scenario) => {
        await story(scenario, receiver);
        await scenario.stop();
        const left = await scenario.leftovers();
        expect([key, token].filter((secret) => left.includes(secret))).toEqual([]);
      })();
    } finally {
      await receiver.close();
    }
  };

/** Asks for a change and waits for its end. */
async function clearsCache(scenario: Scenario): Promise<void> {
  const change = await scenario.person('ana').asks('/site cache clear acme-shop/live');
  await change.tells('the host reports it finished');
}

type Line = Readonly<Record<string, unknown>>;
const columns = 'seq, at, event, change, actor, details, previous, hash';
/** Resolves when these are all lines of the trail, each at least once, unchanged and in order. */
const expectWholeTrail = (lines: () => readonly Line[], trail: () => Promise<readonly Line[]> | readonly Line[]) =>
  vi.waitFor(
    async () => {
      const once = new Map(lines().map((line) => [line['seq'], line]));
      expect([...once.values()]).toEqual(await trail());
    },
    { timeout: patienceMs, interval: 50 },
  );
const linesOf = (receiver: Receiver) => (): readonly Line[] => receiver.posts.flatMap(({ batch }) => batch.lines);

const inOps = (scenario: Scenario, words: RegExp): readonly string[] =>
  scenario.slack
    .messages({ channel: 'C0OPS', as: ids.ana })
    .map(({ text }) => text)
    .filter((text) => words.test(text));

test(
  'killed before the receiver has answered, it sends those lines again; then all come, signed and in order',
  withReceiver({ ownProcess: 'the first', start: false }, async (scenario, receiver) => {
    const trail = () => scenario.rows(`select ${columns} from audit order by seq`);
    const got = Promise.withResolvers<undefined>();
    receiver.answerWith(() => got.resolve(undefined));
    await scenario.start();
    await got.promise;
    await clearsCache(scenario);
    await scenario.kill();
    receiver.answerWith();
    await scenario.start();
    await expectWholeTrail(linesOf(receiver), trail);
    expect(receiver.seqs().filter((seq) => seq === 1)).toHaveLength(2);
    expect(receiver.posts.every(({ isSigned }) => isSigned)).toBe(true);
    expect(receiver.mostAtOnce()).toBe(1);
    const said = await scenario.person('ana').says('/site doctor');
    await said.hears(/127\.0\.0\.1:\d+ has taken every line/);
  }),
);

test(
  'a receiver that refuses delays no change; the ops channel is told once, and when it is over',
  withReceiver({}, async (scenario, receiver) => {
    receiver.answerWith((response) => response.writeHead(401).end(token));
    await clearsCache(scenario);
    const toldOnce = () =>
      expect(inOps(scenario, /audit trail does not reach 127\.0\.0\.1:\d+: it answered 401/)).toHaveLength(1);
    await vi.waitFor(toldOnce, { timeout: patienceMs });
    const said = await scenario.person('ana').says('/site doctor');
    await said.hears(/doesn't reach 127\.0\.0\.1:\d+: it answered 401\. Waiting: \d+ lines, since/);
    await scenario.stop();
    await scenario.start();
    await vi.waitFor(() => expect(receiver.posts.length).toBeGreaterThan(1), { timeout: patienceMs });
    toldOnce();
    receiver.answerWith();
    await scenario.stop();
    await scenario.start();
    await expectWholeTrail(linesOf(receiver), () => scenario.rows(`select ${columns} from audit order by seq`));
    await vi.waitFor(() => expect(inOps(scenario, /audit trail reaches .* again/)).toHaveLength(1), {
      timeout: patienceMs,
    });
    toldOnce();
  }),
);

describe.skipIf(!postgresRuns)(`two replicas on one PostgreSQL${noPostgres}`, () => {
  test('send each line once, one batch at a time', async () => {
    const url = await freshPostgres();
    const sql = new Client({ connectionString: url });
    await sql.connect();
    try {
      await withReceiver({ start: false, environment: { DATABASE_URL: url } }, async (scenario, receiver) => {
        const held = Promise.withResolvers<() => void>();
        receiver.answerWith((response) => held.resolve(() => response.writeHead(204).end()));
        await Promise.all([scenario.start(), scenario.start()]);
        const answerFirst = await held.promise;
        await clearsCache(scenario);
        receiver.answerWith();
        answerFirst();
        await clearsCache(scenario);
        const trail = async (): Promise<readonly Line[]> =>
          (await sql.query<Line>(`select ${columns} from audit order by seq`)).rows.map((row) => ({
            ...row,
            seq: Number(row['seq']),
            at: Number(row['at']),
            change: row['change'] === null ? null : Number(row['change']),
          }));
        await expectWholeTrail(linesOf(receiver), trail);
        expect(receiver.mostAtOnce()).toBe(1);
        expect(receiver.seqs()).toEqual([...new Set(receiver.seqs())]);
      })();
    } finally {
      await sql.end();
    }
  });
});
