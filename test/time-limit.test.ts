import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { within } from '../src/time-limit.ts';

/** Blocks this thread for this long. */
const isBusyFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('accepts an answer that came while this thread was blocked; only a missing one is late', async () => {
  const answer = within(200, readFile(import.meta.filename));
  isBusyFor(400);
  expect((await answer).length).toBeGreaterThan(0);
});

it('is late if nothing came', async () => {
  await expect(within(20, new Promise(() => undefined))).rejects.toThrow('no answer within 20 ms');
});
