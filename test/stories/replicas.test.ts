import { appendFile, copyFile } from 'node:fs/promises';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { enqueueMessage } from '../../src/storage/messages.ts';
import { say } from '../../src/words/text.ts';
import { expectSoon } from './people.ts';
import { ids, inScenario, patienceMs, type Scenario, type ScenarioOptions } from './scenario.ts';

const live = 'acme-shop/live';

type Story = (scenario: Scenario, sql: Client) => Promise<void>;

/** So many bots on one PostgreSQL, between the same Slack and the same host. */
const withBots =
  (bots: number, story: Story, options: ScenarioOptions = {}) =>
  async (): Promise<void> => {
    // Its own database: six bots would wait for one another's locks.
    const url = (await makeDatabase()).href;
    const sql = new Client({ connectionString: url });
    await sql.connect();
    const all = async (scenario: Scenario): Promise<void> => {
      await Promise.all(Array.from({ length: bots }, () => scenario.start()));
      await story(scenario, sql);
    };
    try {
      await inScenario({ ...options, environment: { DATABASE_URL: url }, start: false }, all)();
    } finally {
      await sql.end();
    }
  };
const withTwo = (story: Story): (() => Promise<void>) => withBots(2, story);

const cards = (
  scenario: Scenario,
): readonly { readonly channel: string; readonly ts: string; readonly text: string }[] =>
  scenario.slack.messages({ channel: 'C0ACME', as: ids.ana }).filter(({ text }) => /· #\d+/.test(text));

const repliesOf = (
  scenario: Scenario,
  { channel, ts }: { readonly channel: string; readonly ts: string },
): readonly string[] =>
  scenario.slack
    .messages({ channel, thread: ts, as: ids.ana })
    .filter((one) => one.ts !== ts)
    .map(({ text }) => text);

describe.skipIf(!postgresRuns)(`two replicas on one PostgreSQL${noPostgres}`, { concurrent: true }, () => {
  // Alone: ten bots that start at once hold the lock of a new database for longer than a command waits for it.
  test(
    'promise 1: hear every command twice, once each, and write each change once',
    { concurrent: false },
    withTwo(async (scenario) => {
      scenario.slack.delivery.duplicates = 1;
      const names = ['acme-shop/live', 'acme-blog/live', 'acme-docs/live'];
      await Promise.all(names.map((name) => scenario.slack.command(ids.ana, 'C0ACME', `/site cache clear ${name}`)));
      const finished = (): boolean =>
        cards(scenario).length === names.length &&
        cards(scenario).every((card) => repliesOf(scenario, card).some((text) => text.includes('reports it finished')));
      const threads = () => [
        ...scenario
          .log()
          .split('\n')
          .filter((line) => /"level":(?:50|60|"error"|"fatal")/.test(line)),
        ...cards(scenario).map((card) => [card.text, ...repliesOf(scenario, card)]),
        ...scenario.slack
          .messages({ channel: 'C0ACME', as: ids.ana })
          .flatMap(({ ephemeral, text }) => (ephemeral ? [text] : [])),
      ];
      await expectSoon(scenario.slack, 'every cache cleared', () => finished() || undefined, threads);
      expect(scenario.writes()).toHaveLength(names.length);
      for (const name of names) expect(scenario.writes(name)).toHaveLength(1);
      for (const card of cards(scenario)) {
        // On a busy machine a replica may be held up before it writes, says so, and tries again.
        const replies = repliesOf(scenario, card).filter((text) => !text.startsWith('I wrote nothing: I was held up'));
        expect(replies).toEqual([expect.stringMatching(/reports it finished\./)]);
      }
    }),
  );

  test(
    'promise 3: ask once whoever can approve from a time on, though both were due to; and a head approves',
    withBots(
      2,
      async (scenario, sql) => {
        const change = await scenario.person('ana').asks('/site cache clear acme-shop/live');
        const passed = 'created_at = created_at - 900000, expires_at = expires_at - 900000, due_at = due_at - 900000';
        await sql.query(`update changes set ${passed} where number = $1`, [change.number]);
        await change.tells(/^⏫ @Fay: this is still waiting, and you can approve it too now/);
        await scenario.person('fay').clicks(change.card(), 'Approve');
        await change.tells(/^✅ Done after /);
        expect(change.replies().filter(({ text }) => text.startsWith('⏫'))).toHaveLength(1);
        expect((await sql.query("select 1 from audit where event = 'asked_anew'")).rows).toHaveLength(1);
        expect(scenario.writes(live)).toHaveLength(1);
      },
      {
        policy: `version: 1
groups: { developers: [U01ANA], leads: [U03CHI], heads: [U05FAY] }
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers], approval: { by: [leads], then: { after: 15m, by: [heads] } } }
`,
      },
    ),
  );

  test(
    'promise 2: a lease that ends while the host still works makes it unknown; the late answer is recorded and told',
    withTwo(async (scenario, sql) => {
      scenario.hosting.faults.add({ kind: 'delay', method: 'POST', ms: patienceMs });
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      await scenario.hosting.until(() => scenario.writes()[0], patienceMs);
      const { rowCount } = await sql.query(`update changes set lease_until = 1, due_at = 1 where state = 'sending'`);
      expect(rowCount).toBe(1);
      await change.tells('Outcome unknown');
      await scenario.endHostDelays();
      await change.tells('The answer came late');
      await change.tells('the host reports it finished');
      // Whoever was alarmed reads what came of it, and hears that the answer came.
      const ana = scenario.person('ana');
      await ana.reads(/^#1 · [^\n]*\n⚠️ The outcome was unknown\.\n✅ Done after /);
      await ana.reads(/^#1 · [^\n]*\nThe answer came late\.\n✅ Done after /);
      expect(scenario.writes()).toHaveLength(1);
      const { rows } = await sql.query<{ event: string }>(`select event from audit where change = 1 order by seq`);
      expect(rows.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['send', 'outcome_lost', 'accept_late', 'finish']),
      );
    }),
  );

  test(
    'hold back together when sending is paused, and go on together',
    withTwo(async (scenario, sql) => {
      await sql.query(`insert into kv (key, value, at) values ('pause', 'a test', 1)`);
      const change = await scenario.person('ana').asks(`/site cache clear ${live}`);
      const looked = (): Promise<boolean> =>
        sql.query(`select 1 from changes where due_at > created_at`).then(({ rowCount }) => rowCount === 1);
      await vi.waitFor(async () => expect(await looked()).toBe(true), { timeout: patienceMs });
      expect(scenario.writes()).toEqual([]);
      await sql.query(`delete from kv where key = 'pause'`);
      await change.tells('the host reports it finished');
      expect(scenario.writes()).toHaveLength(1);
    }),
  );
});

// One after the other: each of their bots has ten connections, and the server a hundred.
describe.skipIf(!postgresRuns)(`replicas on one PostgreSQL${noPostgres}`, () => {
  test(
    'three of them ask the host about an operation one at a time',
    withBots(
      3,
      async (scenario, sql) => {
        await scenario.person('ana').asks(`/site cache clear ${live}`);
        const pollsOf = async (): Promise<number> => {
          const { rows } = await sql.query<{ polls: number | null }>(
            `select (poll_state::json ->> 'looks')::int as polls from changes where state = 'accepted' and owner is null`,
          );
          return rows[0]?.polls ?? 0;
        };
        const due = (): Promise<unknown> =>
          sql.query(`update changes set due_at = 1 where state = 'accepted' and owner is null`);
        for (let polls = 1; polls <= 5; polls += 1) {
          await due();
          await vi.waitFor(async () => expect(await pollsOf()).toBeGreaterThanOrEqual(polls), { timeout: patienceMs });
        }
        // Nothing is due any more, so the numbers stand.
        await sql.query(`update changes set due_at = ${farAway} where state = 'accepted' and owner is null`);
        const asked = scenario.hosting.journal.entries().filter(({ path }) => path.startsWith('/operations/'));
        expect(asked).toHaveLength(await pollsOf());
      },
      { hosting: { durations: { 'cache:clear': 3_600_000 } } },
    ),
  );

  test(
    'one that stops hands over at once what it has leased, and counts no more',
    withBots(0, async (scenario, sql) => {
      const first = await scenario.start();
      await (await scenario.person('ana').says('/site whoami')).hears(ids.ana);
      // From here on she is known, so this meets the question before the send.
      scenario.slack.faults.add({ method: 'users.info', kind: 'delay', delayMs: 3_600_000, times: 1 });
      await scenario.slack.command(ids.ana, 'C0ACME', `/site cache clear ${live}`);
      const owners = async (): Promise<readonly string[]> =>
        (await sql.query<{ owner: string }>(`select owner from changes where owner is not null`)).rows.map(
          ({ owner }) => owner,
        );
      await vi.waitFor(async () => expect(await owners()).toHaveLength(1), { timeout: patienceMs });
      const [stopping] = await owners();
      await scenario.start();
      expect((await replicasIn(sql)).toSorted()).toContain(`replica:${stopping}`);
      await first.end('SIGTERM');
      expect(await owners()).not.toContain(stopping);
      expect(await replicasIn(sql)).toHaveLength(1);
      expect(await replicasIn(sql)).not.toContain(`replica:${stopping}`);
      await vi.waitFor(() => expect(cards(scenario)).toHaveLength(1), { timeout: patienceMs });
      const [card] = cards(scenario);
      await scenario.slack.until(
        () => (card && repliesOf(scenario, card).some((text) => text.includes('reports it finished'))) || undefined,
        patienceMs,
      );
      expect(scenario.writes()).toHaveLength(1);
    }),
  );

  test(
    'one starts work that became due on another as soon as it is announced, without polls of its own',
    withBots(0, async (scenario, sql) => {
      // It looks for work when it is started, when it is nudged, and at intervals, of which none ends.
      const intervals = vi.spyOn(globalThis, 'setInterval').mockImplementation(never);
      try {
        await scenario.start();
      } finally {
        intervals.mockRestore();
      }
      const listening = `select 1 from pg_stat_activity where application_name = 'sitehand listener'
        and datname = current_database() and state = 'idle' and query like 'listen %'`;
      await vi.waitFor(async () => expect((await sql.query(listening)).rowCount).toBe(1), { timeout: patienceMs });
      const other = await openDatabase(scenario.environment['DATABASE_URL'] ?? '');
      try {
        for (const says of ['the first', 'the second']) {
          const body = JSON.stringify({ text: say`${says}` });
          const owed = { key: says, kind: 'direct', recipient: ids.ana, about: null, body } as const;
          await other.transaction(async (tx) => void (await enqueueMessage(tx, { ...owed, at: await other.now(tx) })));
          await scenario.slack.until(
            () =>
              scenario.slack
                .messages({ channel: scenario.person('ana').direct, as: ids.ana })
                .find(({ text }) => text === says),
            patienceMs,
          );
        }
      } finally {
        await other.close();
      }
    }),
  );

  test(
    'with different rules are named by doctor',
    withBots(0, async (scenario) => {
      const other = `${scenario.environment['POLICY_FILE']}.other`;
      await copyFile(scenario.environment['POLICY_FILE'] ?? '', other);
      await appendFile(other, '\n# another file\n');
      await Promise.all([scenario.start(), scenario.start({ POLICY_FILE: other })]);
      const said = await scenario.person('dee').says('/site doctor');
      const page = await said.hears('Replicas');
      expect(page.text).toMatch(/2 live, but they differ: \S+:\d+: rules [\da-f]{8}; \S+:\d+: rules [\da-f]{8}/);
    }),
  );

  test(
    'promise 4: with different rules, an approval of either counts only once they are the same again; the rest goes on',
    withBots(
      0,
      async (scenario, sql) => {
        const other = `${scenario.environment['POLICY_FILE']}.other`;
        await copyFile(scenario.environment['POLICY_FILE'] ?? '', other);
        await appendFile(other, '\n# another file\n');
        const first = await scenario.start();
        const stale = await scenario.start({ POLICY_FILE: other });
        const looks = async () => {
          const { rows } = await sql.query<{ at: string }>(`select at from kv where key like 'replica:%' order by at`);
          return rows.map(({ at }) => Number(at));
        };
        /** Resolves when both have looked for the other since this moment. */
        const bothLook = async (): Promise<void> => {
          const newest = Math.max(...(await looks()));
          await vi.waitFor(async () => expect((await looks())[0]).toBeGreaterThan(newest), { timeout: patienceMs });
        };
        await bothLook();
        // They have differed for long enough for the ops channel to know.
        await sql.query(`insert into kv (key, value, at) values ('policies_differ', '', 1)`);
        await bothLook();
        const [ana, chi] = [scenario.person('ana'), scenario.person('chi')];
        const push = await ana.requests('/site push acme-shop/staging acme-shop/live --database');
        for (const bot of [first, stale]) {
          scenario.slack.deliverTo(`http://127.0.0.1:${bot.port()}/slack/events`);
          const click = await chi.clicks(push.card(), 'Approve');
          await click.hears('My replicas go by different rules right now');
        }
        await push.shows(/^⏳/);
        const cleared = await ana.asks('/site cache clear acme-shop/staging');
        await cleared.tells('reports it finished');
        await ana.opens('/site push acme-shop/staging acme-shop/live --files --break-glass --reason down', '🚨');
        const emergency = await ana.confirms({ [`Type ${live} to confirm`]: live });
        const due = async () =>
          (await sql.query(`update changes set due_at = 1 where number = ${emergency.number} and due_at < expires_at`))
            .rowCount;
        await vi.waitFor(async () => expect(await due()).toBe(1), { timeout: patienceMs });
        await emergency.shows('My replicas go by different rules right now');
        await chi.clicks(emergency.card(), 'Stop');
        await emergency.tells('Stopped by @Chi');
        expect(scenario.writes(live)).toEqual([]);
        scenario.slack.deliverTo(`http://127.0.0.1:${first.port()}/slack/events`);
        await stale.end('SIGTERM');
        const again = (): boolean =>
          scenario.slack
            .messages({ channel: 'C0OPS', as: ids.chi })
            .some(({ text }) => text.includes('approvals count again'));
        await scenario.slack.until(() => again() || undefined, patienceMs);
        await chi.clicks(push.card(), 'Approve');
        await push.tells('Done after');
        expect(scenario.writes(live)).toHaveLength(1);
      },
      { slack: { delivery: { kind: 'http' } }, hosting: { durations: { 'environments:push': 0 } } },
    ),
  );

  test(
    'understand a channel that another one has bound, without a restart',
    withBots(
      0,
      async (scenario) => {
        const [one, other] = [await scenario.start(), await scenario.start()];
        const deliverTo = (bot: typeof one): void =>
          scenario.slack.deliverTo(`http://127.0.0.1:${bot.port()}/slack/events`);
        for (const [bot, site] of [
          [one, 'acme-shop'],
          [other, 'acme-blog'],
        ] as const) {
          deliverTo(bot);
          await (await scenario.person('ana').says(`/site use ${site}`, 'C0GENERAL')).hears(site);
          deliverTo(bot === one ? other : one);
          const said = await scenario.person('ana').says('/site backups list live', 'C0GENERAL');
          await said.hears(`${site}/live`);
        }
      },
      { slack: { delivery: { kind: 'http' } } },
    ),
  );
});

const never = (): NodeJS.Timeout => setTimeout(() => undefined, 2 ** 31 - 1).unref();

const farAway = 9_000_000_000_000;

const replicasIn = async (sql: Client): Promise<readonly string[]> =>
  (await sql.query<{ key: string }>(`select key from kv where key like 'replica:%'`)).rows.map(({ key }) => key);
