import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Failpoint } from '../../src/base/failpoints.ts';
import { newKey } from '../../src/api/authenticate.ts';
import { freePort } from '../../src/playground/paths-and-ports.ts';
import { makeDatabase, freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { askingAt, key, openStream, policy, push, withApi } from './caller.ts';
import { lineOf, openFaultyConnection } from './faulty-connection.ts';
import { inScenario, patienceMs, reloadPolicy, type Scenario } from './scenario.ts';

/** What a program asks for, when the bot, its database or an answer dies on the way. */

const folder = mkdtempSync(join(tmpdir(), 'sitehand-callers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const order = join(folder, 'order.json');
const killed = {
  ownProcess: 'all',
  environment: {
    NODE_OPTIONS: `--import ./src/node-version.js --import ./test/prove/kill-at.ts?order=${encodeURIComponent(order)}`,
  },
} as const;

const soon = <T>(look: () => Promise<T> | T): Promise<T> => vi.waitFor(look, { timeout: patienceMs, interval: 50 });

/** The bot dies at the point while it is asked, and is started again. */
async function dies(scenario: Scenario, point: Failpoint, asks: () => Promise<unknown>): Promise<void> {
  const t0=performance.now(), c0=process.cpuUsage();
  writeFileSync(`${order}.new`, JSON.stringify({ point }));
  renameSync(`${order}.new`, order);
  await expect(asks()).rejects.toThrow('fetch failed');
  await scenario.kill();
  const t1=performance.now();
  await scenario.start();
  console.log(point, t1-t0, performance.now()-t1, process.cpuUsage(c0));
}

const cardsOf = ({ slack }: Scenario, number: number): readonly unknown[] =>
  slack.messages({ channel: 'C0ACME', as: 'U01ANA' }).filter(({ text }) => text.includes(`· #${number}\n`));

describe.concurrent('a program repeats what it asked', () => {
  test(
    'promise 1: killed before and after a request is saved, and before and after it is taken back: one change, one card, one write, or none',
    withApi(async (scenario, call) => {
      const chi = scenario.person('chi');
      const headers = { 'idempotency-key': 'pipeline-4711' };
      const asks = () => call('/v1/requests', { json: push, headers });
      await dies(scenario, 'request checked', asks);
      expect(scenario.rows('select number from changes')).toEqual([]);
      await dies(scenario, 'request saved', asks);
      expect(await asks()).toMatchObject({ status: 200, body: { number: 1, state: 'waiting' } });
      const pushed = await scenario.change(1, 'ana');
      await chi.clicks(pushed.card(), 'Approve');
      await scenario.holdBeforeSend(1);
      scenario.makeDue(1);
      await pushed.tells(/Done after|confirmed/);
      expect(await asks()).toMatchObject({ status: 200, body: { number: 1, state: 'done' } });
      expect(scenario.writes()).toHaveLength(1);

      await call('/v1/requests', { json: push });
      const cancels = () => call('/v1/changes/2/cancel', { method: 'POST' });
      const change = await scenario.change(2, 'ana');
      await dies(scenario, 'click checked', cancels);
      await chi.clicks(change.card(), 'Approve');
      await scenario.holdBeforeSend(2);
      await dies(scenario, 'click saved', cancels);
      expect(await cancels()).toMatchObject({ status: 200, body: { state: 'cancelled', settled: true } });
      expect([cardsOf(scenario, 1), cardsOf(scenario, 2)]).toMatchObject([{ length: 1 }, { length: 1 }]);
      expect(scenario.writes()).toHaveLength(1);
    }, killed),
  );

  test(
    'a stream over a restart goes on after the last event that came: each once, in order; a fault in one is logged and ends it',
    withApi(async (scenario, call, base) => {
      await call('/v1/requests', { json: push });
      const first = await openStream(base, 1);
      await first.until('asked');
      await scenario.stop();
      const before = await first.rest();
      await scenario.start();
      const change = await scenario.change(1, 'ana');
      await scenario.person('chi').clicks(change.card(), 'Approve');
      const [second, other] = [await openStream(base, 1, before.at(-1)?.id), await openStream(base, 1)];
      await scenario.holdBeforeSend(1);
      scenario.makeDue(1);
      const all = scenario.rows('select seq as id, event from audit where change = 1 order by seq');
      const told = [...before, ...(await second.rest())];
      expect(told).toEqual(scenario.rows('select seq as id, event from audit where change = 1 order by seq'));
      expect(await other.rest()).toEqual(told);
      expect(told.length).toBeGreaterThan(all.length - 1);
    }),
  );
});
