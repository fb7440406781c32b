import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isKnown,
  assessOperation,
  type Observation,
  type PollState,
  type PollResult,
} from '../../src/send/evidence.ts';
import { plain, say } from '../../src/words/text.ts';
import { changeOf } from '../fixtures.ts';

const begun = 1_000_000;
const minute = 60_000;
const hour = 3_600_000;
const fresh: PollState = { since: begun, looks: 0, known: false, unclear: 0 };
/** Reported failed this many times, first this long after following began. */
const failing = (times: number, after: number): Partial<PollState> => ({ failing: { times, since: begun + after } });
const proof = (verdict: 'yes' | 'not yet' | 'no'): NonNullable<Observation['proof']> => ({
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

const kindOf = (verdict: PollResult): string => ('wait' in verdict ? 'wait' : verdict.event.kind);
const lockOf = (verdict: PollResult): number | undefined =>
  'wait' in verdict || verdict.event.kind !== 'unverified' ? undefined : verdict.event.lockMs;

describe('the state of an operation, by observation', () => {
  test.each<[string, Partial<PollState>, Observation, boolean, number, string, string?]>([
    [
      'the host says finished',
      {},
      { operation: 'finished', proof: undefined },
      false,
      5_000,
      'finish',
      'after 6 s: the host reports it finished',
    ],
    [
      'a read proves it',
      {},
      { operation: 'not known', proof: proof('yes') },
      true,
      5_000,
      'finish',
      'it is yes: confirmed',
    ],
    ['a proof without an operation', {}, { operation: undefined, proof: proof('yes') }, false, 5_000, 'finish'],
    ['running', {}, { operation: 'running', proof: undefined }, true, 5_000, 'wait'],
    [
      'running for an hour',
      { known: true },
      { operation: 'running', proof: undefined },
      true,
      hour + 1,
      'unverified',
      "the host still says it's running",
    ],
    ['running for no longer than that', {}, { operation: 'running', proof: undefined }, true, hour, 'wait'],
    ['one failure', {}, { operation: 'failed', proof: undefined }, true, 5_000, 'wait'],
    ['the second after an hour', failing(1, 0), { operation: 'failed', proof: undefined }, true, hour, 'wait'],
    ['three within a minute', failing(2, 5_000), { operation: 'failed', proof: undefined }, true, 64_999, 'wait'],
    [
      'three over a minute',
      failing(2, 5_000),
      { operation: 'failed', message: 'out of disk', proof: undefined },
      true,
      65_000,
      'fail',
      'out of disk',
    ],
    [
      'three over a minute, and a read proves it',
      failing(2, 0),
      { operation: 'failed', proof: proof('yes') },
      true,
      minute,
      'finish',
      'it is yes: confirmed',
    ],
    ['trouble after two failures', failing(2, 0), { operation: 'trouble', proof: undefined }, true, minute, 'wait'],
    ['trouble with asking', {}, { operation: 'trouble', proof: undefined }, true, 5_000, 'wait'],
    [
      'trouble at the first look after an hour',
      { known: true },
      { operation: 'trouble', proof: undefined },
      true,
      hour + 1,
      'wait',
    ],
    [
      'trouble for an hour',
      { known: true, unclear: 4 },
      { operation: 'trouble', proof: undefined },
      false,
      hour + 1,
      'outcome_lost',
      'no longer answers about it',
    ],
    [
      'trouble for no longer than that',
      { known: true, unclear: 4 },
      { operation: 'trouble', proof: undefined },
      true,
      hour,
      'wait',
    ],
    [
      'trouble for an hour, at a host where following never worked',
      { unclear: 4 },
      { operation: 'trouble', proof: undefined },
      false,
      hour + 1,
      'unverified',
      "the host gave no answer that says how it's going",
    ],
    [
      'trouble for an hour about this one, at a host where following works',
      { unclear: 4 },
      { operation: 'trouble', proof: undefined },
      true,
      hour + 1,
      'outcome_lost',
      'no longer answers about it',
    ],
    [
      'trouble for ten minutes, at a host where following never worked',
      { unclear: 4 },
      { operation: 'trouble', proof: undefined },
      false,
      10 * minute,
      'unverified',
      "the host gave no answer that says how it's going",
    ],
    ['trouble for less', { unclear: 4 }, { operation: 'trouble', proof: undefined }, false, 10 * minute - 1, 'wait'],
    ['not known at first', {}, { operation: 'not known', proof: undefined }, true, minute - 1, 'wait'],
    [
      'not known for a minute, at a host where following works',
      {},
      { operation: 'not known', proof: undefined },
      true,
      minute,
      'outcome_lost',
      'does not know it when asked',
    ],
    [
      'not known for a minute, at a host where following never worked',
      {},
      { operation: 'not known', proof: undefined },
      false,
      minute,
      'unverified',
      'does not say when it is finished',
    ],
    [
      'not known for a minute, and a read shows nothing',
      {},
      { operation: 'not known', proof: proof('not yet') },
      false,
      minute,
      'unverified',
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
      'outcome_lost',
      'no longer knows it',
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
      'unverified',
      "I don't know why",
    ],
    [
      'no operation, and it is not so',
      {},
      { operation: undefined, proof: proof('no') },
      false,
      0,
      'unverified',
      'Read back: it is no',
    ],
    ['no operation, and reading back fails', {}, { operation: undefined, proof: 'trouble' }, true, 59_999, 'wait'],
    [
      'no operation, and reading back fails for a minute',
      {},
      { operation: undefined, proof: 'trouble' },
      true,
      60_000,
      'unverified',
      "I couldn't read it back, so I can't tell what came of it.",
    ],
    [
      'no operation and no proof',
      {},
      { operation: undefined, proof: undefined },
      true,
      0,
      'unverified',
      'cannot be verified from here',
    ],
  ])('%s', (_, poll, seen, works, after, wanted, says) => {
    const verdict = assessOperation(change, { ...fresh, ...poll }, seen, works, begun + after);
    expect(kindOf(verdict)).toBe(wanted);
    if (says !== undefined && 'says' in verdict) expect(plain(verdict.says)).toContain(says);
    if ('says' in verdict) expect(wanted === 'finish').toBe(isProven(seen) || seen.operation === 'finished');
    if ('says' in verdict) expect(plain(verdict.says)).not.toMatch(/\bop-1\b/);
  });

  test('the duration counts from the send, or from when following began', () => {
    const done = assessOperation(
      { ...change, sent_at: null },
      fresh,
      { operation: 'finished', proof: undefined },
      true,
      begun + 5_000,
    );
    expect('says' in done && plain(done.says)).toContain('after 5 s');
  });

  test('an operation that is done at once is unlocked; one that may go on stays locked', () => {
    const seen: Observation = { operation: undefined, proof: undefined };
    expect(lockOf(assessOperation(immediate, fresh, seen, true, begun))).toBe(0);
    expect(lockOf(assessOperation({ ...change, receipt: null }, fresh, seen, true, begun))).toBe(900_000);
    expect(lockOf(assessOperation(change, fresh, { ...seen, operation: 'not known' }, false, begun + 60_000))).toBe(
      900_000,
    );
  });

  const waitOf = (poll: Partial<PollState>, seen: Observation): number => {
    const verdict = assessOperation(change, { ...fresh, ...poll }, seen, true, begun);
    if (!('wait' in verdict)) throw new Error('it was settled');
    return verdict.wait;
  };

  test('polls become less and less frequent', () => {
    const running: Observation = { operation: 'running', proof: undefined };
    expect([0, 1, 2, 3, 4, 5, 99].map((looks) => waitOf({ looks }, running))).toEqual([
      2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000,
    ]);
  });

  test('a host in trouble is polled less and less often, and not before its Retry-After', () => {
    const trouble = (restMs?: number): Observation => ({ operation: 'trouble', proof: undefined, restMs });
    const waits = [0, 1, 2, 3, 4, 5, 6, 99].map((unclear) => waitOf({ unclear, looks: unclear }, trouble()));
    expect(waits).toEqual([4_000, 8_000, 16_000, 32_000, 64_000, 120_000, 120_000, 120_000]);
    expect(waitOf({}, trouble(90_000))).toBe(90_000);
    expect(waitOf({ unclear: 5 }, trouble(1_000))).toBe(120_000);
    expect([86_400_000, Infinity].map((rest) => waitOf({}, trouble(rest)))).toEqual([300_000, 300_000]);
  });

  test('the poll state counts failures and unclear answers in a row, and since when the operation is reported failed', () => {
    const rows: readonly (readonly [Observation['operation'], Partial<PollState>])[] = [
      ['failed', { failing: { times: 1, since: begun }, unclear: 1, known: false }],
      ['failed', { failing: { times: 2, since: begun }, unclear: 2 }],
      ['trouble', { failing: undefined, unclear: 3 }],
      ['trouble', { failing: undefined, unclear: 4 }],
      ['failed', { failing: { times: 1, since: begun + 4 }, unclear: 5, known: false }],
      ['running', { failing: undefined, unclear: 0, known: true }],
      ['not known', { failing: undefined, unclear: 0, known: true }],
    ];
    let poll = fresh;
    for (const [at, [operation, wanted]] of rows.entries()) {
      const verdict = assessOperation(change, poll, { operation, proof: undefined }, true, begun + at);
      if (!('wait' in verdict)) throw new Error('it was settled');
      ({ poll } = verdict);
      expect(poll).toMatchObject({ ...wanted, looks: at + 1 });
    }
  });
});

describe('whether this host answers about operations', () => {
  test.each<[Observation['operation'], boolean]>([
    ['running', true],
    ['finished', true],
    ['failed', false],
    ['not known', false],
    ['trouble', false],
    [undefined, false],
  ])('%s: %s', (operation, shows) => {
    expect(isKnown(operation)).toBe(shows);
  });
});

const isProven = (seen: Observation): boolean => typeof seen.proof === 'object' && seen.proof.verdict === 'yes';

const seen: fc.Arbitrary<Observation> = fc.record({
  operation: fc.constantFrom('finished', 'running', 'failed', 'not known', 'trouble', undefined),
  message: fc.option(fc.string(), { nil: undefined }),
  restMs: fc.option(fc.constantFrom(0, 1_000, 3_600_000, Infinity), { nil: undefined }),
  proof: fc.option(fc.constantFrom(proof('yes'), proof('not yet'), proof('no'), 'trouble' as const), {
    nil: undefined,
  }),
});

describe('for any sequence of observations', () => {
  test('promise 2: done only if the host says so or a proof shows it, failed only if the host says so for a minute, and it always ends', () => {
    fc.assert(
      fc.property(
        fc.array(seen, { minLength: 1, maxLength: 9 }),
        fc.boolean(),
        fc.constantFrom(change, immediate),
        (shows, works, of) => {
          let poll = fresh;
          let now = begun;
          const since: number[] = [];
          for (let looks = 0; looks < 200; looks += 1) {
            const shown = shows[looks % shows.length];
            if (shown === undefined) throw new Error('nothing is shown');
            const verdict = assessOperation(of, poll, shown, works, now);
            since.push(now);
            if (shown.operation !== 'failed') since.length = 0;
            if (!('wait' in verdict)) {
              const evident = shown.operation === 'finished' || isProven(shown);
              expect(verdict.event.kind === 'finish').toBe(evident);
              const [first = now] = since;
              if (verdict.event.kind === 'fail')
                expect([now - first >= minute, since.length >= 3]).toEqual([true, true]);
              expect(plain(verdict.says)).not.toMatch(evident ? /unknown/i : /\bdone\b/i);
              return;
            }
            expect(verdict.wait).toBeGreaterThanOrEqual(2_000);
            ({ poll } = verdict);
            now += verdict.wait;
          }
          throw new Error('it was looked at two hundred times and never settled');
        },
      ),
    );
  });
});
