import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { within } from '../src/time-limit.ts';

/** This thread does nothing else for so long. */
const isBusyFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('takes what came while it was busy itself: only who does not answer is late', async () => {
  const answer = within(200, readFile(import.meta.filename));
  isBusyFor(400);
  expect((await answer).length).toBeGreaterThan(0);
});

it('is late where nothing came', async () => {
  await expect(within(20, new Promise(() => undefined))).rejects.toThrow('no answer within 20 ms');
});
