import { expect, test } from 'vitest';
import { gaugesOf } from '../../src/program/gauges.ts';
import { openMetrics } from '../../src/base/metrics.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { createSemaphore } from '../../src/base/semaphore.ts';
import { policyFrom } from '../fixtures.ts';

test('if the database does not answer, the metrics say so and leave out its contents, instead of 0', async () => {
  const database = await openDatabase('sqlite::memory:');
  const policy = policyFrom('version: 1\nrules: []\n');
  const idle = createSemaphore({ most: 3, waiting: 1, waitMs: 1 });
  const { show, port, close } = await openMetrics(0);
  const parts = {
    policy: { current: () => policy, isBroken: () => true },
    auditOut: undefined,
    hosting: idle,
    turns: { usual: idle, urgent: idle, reports: idle },
    logLoss: () => ({ lines: 0, why: undefined, isLosing: false }),
    slackRestMs: () => 1_500,
  };
  try {
    await database.close();
    show(gaugesOf({ database, ...parts }));
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('sitehand_database_up 0\n');
    expect(text).not.toMatch(/^sitehand_(changes|oldest_seconds|sending_paused)\b.* \d/m);
    expect(text).toContain(`sitehand_policy_info{hash="${policy.hash.slice(0, 8)}"} 1`);
    expect(text).toContain('sitehand_policy_broken 1\n');
    expect(text).toContain('sitehand_places{for="host reads",state="free"} 3\n');
    expect(text).toContain('sitehand_slack_wait_seconds 1.5\n');
  } finally {
    await close();
  }
});
