import { expect, test } from 'vitest';
import { interleave } from '../prove/interleavings.ts';

test('promise 3: whoever presses what at once, one wins and the others are told', async () => {
  const runs = Number(process.env['SITEHAND_INTERLEAVINGS'] ?? 300);
  const ends = await interleave(runs);
  for (const state of ['waiting', 'approved', 'accepted', 'declined', 'cancelled', 'expired', 'superseded'] as const) {
    expect(ends.get(state) ?? 0, state).toBeGreaterThan(0);
  }
});
