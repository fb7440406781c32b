import { expect, test } from 'vitest';
import { interleave } from '../prove/interleavings.ts';

test('of simultaneous clicks one wins, and the others are told', { timeout: 600_000 }, async () => {
  const runs = Number(process.env['SITEHAND_INTERLEAVINGS'] ?? 120);
  const ends = await interleave(runs);
  for (const state of ['waiting', 'approved', 'accepted', 'declined', 'cancelled', 'expired', 'superseded'] as const) {
    expect([...ends.keys()]).toContain(state);
  }
});
