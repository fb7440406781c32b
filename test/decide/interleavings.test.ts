import { expect, test } from 'vitest';
import type { State } from '../../src/words/states.ts';
import { interleave } from '../prove/interleavings.ts';

const ends: readonly State[] = ['waiting', 'approved', 'accepted', 'declined', 'cancelled', 'expired', 'superseded'];
/** One in some twenty runs ends as superseded, so a hundred can do without; ten times as many can't. */
const maxRounds = 10;

test('of simultaneous clicks one wins, and the others are told', { timeout: 600_000 }, async () => {
  const runs = Number(process.env['SITEHAND_INTERLEAVINGS'] ?? 120);
  const seen = new Set<State>();
  const missing = (): readonly State[] => ends.filter((state) => !seen.has(state));
  for (let round = 0; round < maxRounds && missing().length > 0; round += 1)
    for (const state of (await interleave(runs)).keys()) seen.add(state);
  expect(missing()).toEqual([]);
});
