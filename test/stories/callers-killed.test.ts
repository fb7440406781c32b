import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Failpoint } from '../../src/base/failpoints.ts';
import { push, withApi } from './caller.ts';
import type { Scenario } from './scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitehand-callers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const order = join(folder, 'order.json');
const killed = {
  ownProcess: 'all',
  environment: {
    NODE_OPTIONS: `--import ./src/node-version.js --import ./test/prove/kill-at.ts?order=${encodeURIComponent(order)}`,
  },
} as const;

/** The bot dies at the point while it is asked, and is started again. */
async function dies(scenario: Scenario, point: Failpoint, asks: () => Promise<unknown>): Promise<void> {
  writeFileSync(`${order}.new`, JSON.stringify({ point }));
  renameSync(`${order}.new`, order);
  await expect(asks()).rejects.toThrow('fetch failed');
  await scenario.kill();
  await scenario.start();
}

const cardsOf = ({ slack }: Scenario, number: number): readonly unknown[] =>
  slack.messages({ channel: 'C0ACME', as: 'U01ANA' }).filter(({ text }) => text.includes(`· #${number}\n`));

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
