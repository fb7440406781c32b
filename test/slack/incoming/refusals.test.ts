import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/base/log.ts';
import { openMetrics } from '../../../src/base/metrics.ts';
import { createRefusals } from '../../../src/slack/incoming/malformed.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('a flood of refused deliveries is one line a minute with their numbers, and a quiet minute has none', async () => {
  const lines: unknown[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const { metrics } = await openMetrics(undefined);
  const faults = vi.fn<() => void>();
  const refused = vi.fn<() => void>();
  const onRefused = createRefusals({
    log,
    metrics: { ...metrics, faults: { inc: faults }, refused: { inc: refused } },
  });
  onRefused('signature');
  expect(lines).toEqual([expect.objectContaining({ refused: { signature: 1 } })]);
  for (let count = 0; count < 5_000; count += 1) onRefused('signature');
  onRefused('time');
  onRefused('malformed');
  expect(lines).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(1)).toEqual([expect.objectContaining({ refused: { signature: 5_000, time: 1, malformed: 1 } })]);
  vi.advanceTimersByTime(600_000);
  expect(lines).toHaveLength(2);
  onRefused('length');
  expect(lines.at(-1)).toMatchObject({ refused: { length: 1 }, msg: 'deliveries were refused' });
  expect([refused.mock.calls.length, faults.mock.calls.length]).toEqual([5_004, 1]);
});
