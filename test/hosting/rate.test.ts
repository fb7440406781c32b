import { expect, test } from 'vitest';
import { createRate } from '../../src/hosting/rate.ts';

test.each([
  [120, 1, 0.75, 90],
  [120, 1, 1, 120],
  [120, 2, 0.75, 45],
  [35, 1, 0.8, 28],
  [35, 50, 0.8, 1],
])('of %i a minute, %i replicas and the part %f leave %i to each', (perMinute, replicas, part, most) => {
  let now = 0;
  const { note, restMs } = createRate({ perMinute, replicas: () => replicas, ticks: () => now });
  for (let request = 0; request < most; request += 1) {
    expect(restMs(part)).toBe(0);
    note();
    now += 10;
  }
  // There is room again once the first of them is more than a minute old, and for one only.
  expect(restMs(part)).toBe(62_000 - now);
  now = 62_000;
  expect(restMs(part)).toBe(0);
  note();
  expect(restMs(part)).toBe(Math.min(10, 62_000 * Number(most > 1)) || 62_000);
  for (let request = 0; request < 1_000; request += 1) note();
  expect(restMs(part)).toBe(62_000);
});

test('without a limit there is always room', () => {
  const { note, restMs } = createRate({ perMinute: Infinity, replicas: () => 3, ticks: () => 0 });
  for (let request = 0; request < 1_000; request += 1) note();
  expect(restMs(0.1)).toBe(0);
});

test('whoever has asked for much leaves some to others', () => {
  const { note, restMs } = createRate({ perMinute: 120, replicas: () => 1, ticks: () => 0 });
  let anas = 0;
  for (; restMs(0.75, 'ana') === 0; anas += 1) note('ana');
  expect(anas).toBe(78);
  expect(restMs(0.75, 'ben')).toBe(0);
  for (let request = 0; request < 12; request += 1) {
    expect(restMs(0.75, 'ben')).toBe(0);
    note('ben');
  }
  // Then nobody's reports have room; what is for changes has.
  expect([restMs(0.75, 'ben'), restMs(0.75, 'chi')]).toEqual([62_000, 62_000]);
  expect(restMs(0.9)).toBe(0);
});
