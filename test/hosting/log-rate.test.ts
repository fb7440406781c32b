import { expect, test } from 'vitest';
import { createLogRate } from '../../src/hosting/log-rate.ts';

test.each([
  [1, 28],
  [2, 14],
  [50, 1],
])('with %i replicas a watch reads while fewer than %i logs were read in a minute', (replicas, reads) => {
  let now = 0;
  const { note, hasRoom } = createLogRate(
    () => now,
    () => replicas,
  );
  for (let read = 0; read < reads; read += 1) {
    expect(hasRoom()).toBe(true);
    note();
  }
  expect(hasRoom()).toBe(false);
  for (let read = 0; read < 1_000; read += 1) note();
  now += 60_000;
  expect(hasRoom()).toBe(true);
});
