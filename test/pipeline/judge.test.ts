import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type Seen, type Trail, type Verdict } from '../../src/pipeline/judge.ts';
import { plain, say } from '../../src/text.ts';
import { changeOf } from './given.ts';

const begun = 1_000_000;
const fresh: Trail = { since: begun, looks: 0, known: false, failures: 0 };
const proof = (verdict: 'yes' | 'not yet' | 'no'): NonNullable<Seen['proof']> => ({
  verdict,
  says: say`it is ${verdict}`,
});
const change = changeOf({
  state: 'accepted',
  sent_at: begun - 1_000,
  operation: 'op-1',
  receipt: JSON.stringify({ kind: 'accepted', status: 202, immediate: false }),
});
const immediate = {
  ...change,
  operation: null,
  receipt: JSON.stringify({ kind: 'accepted', status: 200, immediate: true }),
};

const kindOf = (verdict: Verdict): string => ('wait' in verdict ? 'wait' : verdict.happening.kind);
const lockOf = (verdict: Verdict): number | undefined =>
  'wait' in verdict || verdict.happening.kind !== 'leave' ? undefined : verdict.happening.lockMs;

describe('what is made of what was seen', () => {
  const minute = 60_000;
  const hour = 3_600_000;
  test.each<[string, Partial<Trail>, Seen, boolean, number, string, string?]>([
    [
      'the host says finished',
      {},
      { operation: 'finished', proof: undefined },
      false,
      5_000,
      'finish',
      'the host reports it finished',
    ],
    [
      'a read proves it',
      {},
      { operation: 'not known', proof: proof('yes') },
      true,
      5_000,
      'finish',
      'it is yes: read back',
    ],
    ['a proof without an operation', {}, { operation: undefined, proof: proof('yes') }, false, 5_000, 'finish'],
    ['running', {}, { operation: 'running', proof: undefined }, true, 5_000, 'wait'],
    [
      'running for an hour',
      { known: true },
      { operation: 'running', proof: undefined },
      true,
      hour + 1,
      'leave',
      'still says running',
    ],
    ['one failure', {}, { operation: 'failed', proof: undefined }, true, 5_000, 'wait'],
    ['two failures', { failures: 1 }, { operation: 'failed', proof: undefined }, true, 5_000, 'wait'],
    [
      'three failures',
      { failures: 2 },
      { operation: 'failed', message: 'out of disk', proof: undefined },
      true,
      5_000,
      'fail',
      'out of disk',
    ],
    ['trouble with asking', {}, { operation: 'trouble', proof: undefined }, true, 5_000, 'wait'],
    [
      'trouble for an hour',
      {},
      { operation: 'trouble', proof: undefined },
      true,
      hour + 1,
      'lose',
      'does not answer about it any more',
    ],
    ['not known at first', {}, { operation: 'not known', proof: undefined }, true, minute - 1, 'wait'],
    [
      'not known for a minute, where following works',
      {},
      { operation: 'not known', proof: undefined },
      true,
      minute,
      'lose',
      'does not know it when asked',
    ],
    [
      'not known for a minute, where nobody ever followed',
      {},
      { operation: 'not known', proof: undefined },
      false,
      minute,
      'leave',
      'does not say when it is finished',
    ],
    [
      'not known for a minute, and a read shows nothing',
      {},
      { operation: 'not known', proof: proof('not yet') },
      false,
      minute,
      'leave',
      'Read back: it is not yet',
    ],
    [
      'once known, and a moment later not',
      { known: true },
      { operation: 'not known', proof: undefined },
      true,
      5_000,
      'wait',
    ],
    [
      'once known, and after a minute not',
      { known: true },
      { operation: 'not known', proof: undefined },
      false,
      minute,
      'lose',
      'does not know it any more',
    ],
    [
      'no operation, and not there yet',
      {},
      { operation: undefined, proof: proof('not yet') },
      false,
      minute - 1,
      'wait',
    ],
    [
      'no operation, and still not there',
      {},
      { operation: undefined, proof: proof('not yet') },
      false,
      minute,
      'leave',
      'I do not know why',
    ],
    [
      'no operation, and it is not so',
      {},
      { operation: undefined, proof: proof('no') },
      false,
      0,
      'leave',
      'Read back: it is no',
    ],
    ['no operation, and reading back fails', {}, { operation: undefined, proof: 'trouble' }, true, 59_999, 'wait'],
    [
      'no operation, and reading back fails for a minute',
      {},
      { operation: undefined, proof: 'trouble' },
      true,
      60_000,
      'leave',
      'cannot be verified from here',
    ],
    [
      'no operation and no proof',
      {},
      { operation: undefined, proof: undefined },
      true,
      0,
      'leave',
      'cannot be verified from here',
    ],
  ])('%s', (_, trail, seen, works, after, wanted, says) => {
    const verdict = judge(change, { ...fresh, ...trail }, seen, works, begun + after);
    expect(kindOf(verdict)).toBe(wanted);
    if (says !== undefined && 'says' in verdict) expect(plain(verdict.says)).toContain(says);
    if ('says' in verdict) expect(verdict.proven).toBe(isProven(seen) || seen.operation === 'finished');
  });

  test('what the host has done at once is not locked any longer; what may go on is', () => {
    const seen: Seen = { operation: undefined, proof: undefined };
    expect(lockOf(judge(immediate, fresh, seen, true, begun))).toBe(0);
    expect(lockOf(judge({ ...change, receipt: null }, fresh, seen, true, begun))).toBe(900_000);
    expect(lockOf(judge(change, fresh, { ...seen, operation: 'not known' }, false, begun + 60_000))).toBe(900_000);
  });

  test('it looks again less and less often', () => {
    const waits = [0, 1, 2, 3, 4, 5, 99].map((looks) =>
      judge(change, { ...fresh, looks }, { operation: 'running', proof: undefined }, true, begun),
    );
    expect(waits.map((verdict) => 'wait' in verdict && verdict.wait)).toEqual([
      2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000,
    ]);
  });
});

const isProven = (seen: Seen): boolean => typeof seen.proof === 'object' && seen.proof.verdict === 'yes';

const seen: fc.Arbitrary<Seen> = fc.record({
  operation: fc.constantFrom('finished', 'running', 'failed', 'not known', 'trouble', undefined),
  message: fc.option(fc.string(), { nil: undefined }),
  proof: fc.option(fc.constantFrom(proof('yes'), proof('not yet'), proof('no'), 'trouble' as const), {
    nil: undefined,
  }),
});

describe('whatever is seen', () => {
  test('promise 2: done only with the host’s word or a proof, and it always ends', () => {
    fc.assert(
      fc.property(
        fc.array(seen, { minLength: 1, maxLength: 9 }),
        fc.boolean(),
        fc.constantFrom(change, immediate),
        (shows, works, of) => {
          let trail = fresh;
          let now = begun;
          for (let looks = 0; looks < 200; looks += 1) {
            const shown = shows[looks % shows.length];
            if (shown === undefined) throw new Error('nothing is shown');
            const verdict = judge(of, trail, shown, works, now);
            if (!('wait' in verdict)) {
              const evident = shown.operation === 'finished' || isProven(shown);
              expect(verdict.happening.kind === 'finish').toBe(evident);
              expect(plain(verdict.says)).not.toMatch(evident ? /unknown/i : /\bdone\b/i);
              return;
            }
            expect(verdict.wait).toBeGreaterThanOrEqual(2_000);
            ({ trail } = verdict);
            now += verdict.wait;
          }
          throw new Error('it was looked at two hundred times and never settled');
        },
      ),
    );
  });
});
