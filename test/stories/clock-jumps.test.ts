import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { clockedPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { openScenario, patienceMs, type Scenario } from './scenario.ts';

const policy = `
version: 1
live: ['*/live']
groups:
  developers: [U01ANA, U02BEN]
  leads: [U03CHI]
rules:
  - { allow: [read], to: everyone }
  - { allow: [routine], to: [developers] }
  - { allow: ['allowlist add'], to: [developers], approval: { by: [leads], count: 1, expires: 30m } }
channels:
  ops: C0OPS
`;
const hour = 3_600_000;

/** A bot whose clock, or whose database server's clock, can be set. */
type Clocked = {
  readonly scenario: Scenario;
  readonly jump: (ms: number) => Promise<unknown>;
  readonly states: () => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
};

async function onSqlite(): Promise<Clocked> {
  const folder = mkdtempSync(join(tmpdir(), 'sitehand-clock-'));
  const file = join(folder, 'off');
  writeFileSync(file, '0');
  const NODE_OPTIONS = `--import ./test/prove/jumping-clock.ts?file=${encodeURIComponent(file)}`;
  const scenario = await openScenario({ ownProcess: 'all', policy, hosting, environment: { NODE_OPTIONS } });
  return {
    scenario,
    jump: async (ms) => writeFileSync(file, String(ms)),
    states: async () => scenario.rows('select state from changes order by number').map(({ state }) => state),
    close: async () => {
      await scenario.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function onPostgres(): Promise<Clocked> {
  const { url, jump } = await clockedPostgres();
  const sql = new Client({ connectionString: url });
  await sql.connect();
  const scenario = await openScenario({ policy, hosting, environment: { DATABASE_URL: url } });
  return {
    scenario,
    jump,
    states: async () =>
      (await sql.query<Record<string, unknown>>('select state from changes order by number')).rows.map(
        ({ state }) => state,
      ),
    close: async () => {
      await scenario.close();
      await sql.end();
    },
  };
}

const hosting = { durations: { 'cache:clear': 4_000 } };

const jumps = [
  { by: 'a day ahead', ms: 24 * hour },
  { by: 'an hour back', ms: -hour },
] as const;

/** How far the clock jumped, by what ops are told. */
const minutesIn = (text: string): readonly number[] =>
  [...text.matchAll(/The clock jumped: it says (.+?) UTC, but I had counted to (.+?) UTC/g)].map(
    ([, says = '', counted = '']) => Math.abs(Date.parse(`${says}Z`) - Date.parse(`${counted}Z`)) / 60_000,
  );

const expectJumpSurvived =
  (open: () => Promise<Clocked>) =>
  async ({ ms }: (typeof jumps)[number]): Promise<void> => {
    const { scenario, jump, states, close } = await open();
    try {
      const [ana, ben, chi] = [scenario.person('ana'), scenario.person('ben'), scenario.person('chi')];
      const waiting = await ben.asks('/site allowlist add acme-blog/staging 198.51.100.4', 'C0GENERAL');
      const running = await ana.asks('/site cache clear acme-shop/staging');
      await running.shows('Accepted by the host; running.');
      await jump(ms);
      await running.tells('the host reports it finished');
      // When the clock jumps ahead, Slack's client takes its socket for dead and opens another one.
      await vi.waitFor(async () => expect((await ana.says('/site whoami')).outcome.acked).toBe(true), patienceMs);
      expect(await states()).toEqual(['waiting', 'done']);
      await chi.clicks(waiting.card(), 'Approve');
      await waiting.tells('✅ 198.51.100.4 is on the SSH allowlist');
      expect(scenario.writes()).toHaveLength(2);
      const jumpMessages = (): readonly string[] =>
        scenario.slack
          .messages({ channel: 'C0OPS', as: chi.id })
          .map(({ text }) => text)
          // A machine that stands still for seconds looks like a small jump of its own.
          .filter((text) => minutesIn(text).some((minutes) => minutes > 30));
      await vi.waitFor(() => expect(jumpMessages()).toHaveLength(1), { timeout: patienceMs });
    } finally {
      await close();
    }
  };

describe.concurrent('the clock jumps while a bot runs', () => {
  const name = 'by $by: nothing expires early, nothing waits for it, and ops hear of it once';
  test.each(jumps)(`on SQLite ${name}`, expectJumpSurvived(onSqlite));
  test.skipIf(!postgresRuns).each(jumps)(`on PostgreSQL ${name}${noPostgres}`, expectJumpSurvived(onPostgres));
});
