import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Access } from '../../src/commands/kit/action.ts';
import { allowlistAdd } from '../../src/commands/allowlist/add.ts';
import { allowlistRemove } from '../../src/commands/allowlist/remove.ts';
import { allowlistSet } from '../../src/commands/allowlist/set.ts';
import type { AllowlistSnapshot } from '../../src/commands/allowlist/listing.ts';
import { effectsOf, type AccessEffects, type OpenTimer } from '../../src/change/timed-access.ts';
import { live } from '../fixtures.ts';

/** The effects of an allowlist change on timed access. */

const [x, y, z] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const;
const access = (more: Partial<Access>): Access => ({ lets: [], mayEmpty: false, takes: [], ...more });
const timer = (id: number, endsAt: number, ...addresses: readonly string[]): OpenTimer => ({ id, addresses, endsAt });

describe('effects of a change that is done at 100', () => {
  const open = [timer(1, 150, x, y), timer(2, 500, z)];
  test.each<[string, Access, AccessEffects]>([
    [
      'an address for a while that has no timer',
      access({ lets: ['10.0.0.9'], forMs: 60 }),
      { losses: [], starts: { addresses: ['10.0.0.9'], endsAt: 160 } },
    ],
    [
      'more time for one of two',
      access({ lets: [x], forMs: 60 }),
      { losses: [{ id: 1, why: 'moved', lost: [x], left: [y] }], starts: { addresses: [x], endsAt: 160 } },
    ],
    ['less time than there is', access({ lets: [z], forMs: 60 }), { losses: [], starts: undefined }],
    [
      'more time for one, less for another',
      access({ lets: [x, z], forMs: 60 }),
      { losses: [{ id: 1, why: 'moved', lost: [x], left: [y] }], starts: { addresses: [x], endsAt: 160 } },
    ],
    [
      'for good',
      access({ lets: [x, z] }),
      {
        losses: [
          { id: 1, why: 'kept', lost: [x], left: [y] },
          { id: 2, why: 'kept', lost: [z], left: [] },
        ],
        starts: undefined,
      },
    ],
    [
      'taken off',
      access({ takes: [y, z] }),
      {
        losses: [
          { id: 1, why: 'removed', lost: [y], left: [x] },
          { id: 2, why: 'removed', lost: [z], left: [] },
        ],
        starts: undefined,
      },
    ],
    [
      'the whole list replaced: what it names stays for good, all else is off it',
      access({ lets: [x], takes: 'all others' }),
      {
        losses: [
          { id: 1, why: 'kept', lost: [x], left: [y] },
          { id: 1, why: 'removed', lost: [y], left: [] },
          { id: 2, why: 'removed', lost: [z], left: [] },
        ],
        starts: undefined,
      },
    ],
  ])('%s', (_, of, effects) => {
    expect(effectsOf(of, open, 100, true)).toEqual(effects);
  });

  test('a change that is only accepted ends no timer, but still grants', () => {
    expect(effectsOf(access({ takes: [x] }), open, 100, false)).toEqual({ losses: [], starts: undefined });
    expect(effectsOf(access({ lets: [x], takes: 'all others' }), open, 100, false).losses).toEqual([
      { id: 1, why: 'kept', lost: [x], left: [y] },
    ]);
  });
});

describe('in any order of grants and removals', () => {
  const address = fc.constantFrom<string>(x, y, z, '198.51.100.0/24');
  const some = fc.uniqueArray(address, { minLength: 1, maxLength: 4 });
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('for a while' as const),
      addresses: some,
      forMs: fc.integer({ min: 1, max: 1_000 }),
    }),
    fc.record({ kind: fc.constant('for good' as const), addresses: some }),
    fc.record({ kind: fc.constant('remove' as const), addresses: some }),
    fc.record({ kind: fc.constant('set' as const), addresses: some }),
  );
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

  /** The list and the timers after each step. */
  function after(steps: readonly Step[]) {
    let seen: AllowlistSnapshot = { list: [], timed: [] };
    let timers: readonly OpenTimer[] = [];
    const grants = new Map<string, { readonly forGood: boolean; readonly latest: number }>();
    steps.forEach((one, at) => {
      const input = { env: live, addresses: one.addresses };
      const letIn = { ...input, for: one.kind === 'for a while' ? one.forMs : undefined };
      const taken = { ...input, empty: true };
      const of = { snapshot: seen };
      const wrong =
        one.kind === 'remove'
          ? allowlistRemove.impossible?.({ ...of, input: taken })
          : one.kind === 'set'
            ? allowlistSet.impossible?.({ ...of, input })
            : allowlistAdd.impossible?.({ ...of, input: letIn });
      if (wrong) return;
      const effect =
        one.kind === 'remove'
          ? allowlistRemove.access?.({ ...of, input: taken })
          : one.kind === 'set'
            ? allowlistSet.access?.({ ...of, input })
            : allowlistAdd.access?.({ ...of, input: letIn });
      if (effect === undefined) throw new Error('it has no effect');
      const was = new Set(seen.list);
      const list =
        one.kind === 'remove'
          ? seen.list.filter((entry) => !one.addresses.includes(entry))
          : one.kind === 'set'
            ? one.addresses
            : [...new Set([...seen.list, ...one.addresses])];
      for (const entry of new Set([...was, ...list, ...one.addresses])) {
        const known = was.has(entry) ? grants.get(entry) : undefined;
        if (!list.includes(entry)) grants.delete(entry);
        else if (!one.addresses.includes(entry)) continue;
        else if (one.kind !== 'for a while') grants.set(entry, { forGood: true, latest: Infinity });
        else if (!known?.forGood) {
          grants.set(entry, { forGood: false, latest: Math.max(known?.latest ?? 0, at + one.forMs) });
        }
      }
      timers = applied(timers, effectsOf(effect, timers, at, true), at);
      const timed = timers.flatMap(({ addresses, endsAt: until }) => addresses.map((address) => ({ address, until })));
      seen = { list, timed };
    });
    return { seen, timers, grants };
  }

  function applied(timers: readonly OpenTimer[], { losses, starts }: AccessEffects, at: number): readonly OpenTimer[] {
    const left = timers.map((one) => ({
      ...one,
      addresses: losses.findLast(({ id }) => id === one.id)?.left ?? one.addresses,
    }));
    const all = starts ? [...left, { id: 1_000 + at, ...starts }] : left;
    return all.filter(({ addresses }) => addresses.length > 0);
  }

  test('each address on the list ends at the latest end it was granted; permanent ones never do', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { seen, timers, grants } = after(steps);
        for (const entry of seen.list) {
          const ends = timers.filter(({ addresses }) => addresses.includes(entry)).map(({ endsAt }) => endsAt);
          const grant = grants.get(entry);
          expect(ends).toEqual(grant?.forGood ? [] : [grant?.latest]);
        }
        // No timer waits for an address that is no longer on the list.
        expect(timers.flatMap(({ addresses }) => addresses).filter((one) => !seen.list.includes(one))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a requested change of an allowlist', () => {
  const input = (forMs: number | undefined, ...addresses: readonly string[]) => ({ env: live, addresses, for: forMs });
  const snapshot: AllowlistSnapshot = { list: ['192.0.2.1/32', z], timed: [{ address: x, until: 9_000 }] };
  test.each<[string, ReturnType<typeof input>, boolean, readonly string[] | 'refused']>([
    ['is timed access, for good', input(undefined, x), true, [x]],
    ['is timed access, longer', input(300_000, x), true, [x]],
    ['is there for good, for good', input(undefined, z), true, 'refused'],
    ['is there for good, for a while', input(300_000, z), true, 'refused'],
    ['is not there, for a while, beside one for good', input(300_000, y, z), false, [y]],
    ['is not there and is timed access', input(300_000, y, x), false, [y, x]],
  ])('that %s', (_, of, isUnwritten, lets) => {
    const wrong = allowlistAdd.impossible?.({ input: of, snapshot });
    expect(wrong === undefined ? allowlistAdd.access?.({ input: of, snapshot }).lets : 'refused').toEqual(lets);
    expect(allowlistAdd.unwritten?.({ input: of, snapshot })).toBe(isUnwritten);
  });

  test('has no Undo for access that ended by itself', () => {
    const removed = { input: { env: live, addresses: [x], empty: false }, snapshot };
    expect(allowlistRemove.undo?.(removed)).toBeUndefined();
    expect(allowlistRemove.undo?.({ ...removed, snapshot: { ...snapshot, timed: [] } })).toBeDefined();
    expect(allowlistSet.undo?.({ input: { env: live, addresses: [y] }, snapshot })).toBeUndefined();
  });

  test('has its end as precondition: another end needs a new approval', () => {
    const of = { input: input(undefined, x), snapshot };
    const later = { ...snapshot, timed: [{ address: x, until: 9_001 }] };
    expect(allowlistAdd.preconditions?.(of)).not.toEqual(allowlistAdd.preconditions?.({ ...of, snapshot: later }));
    expect(allowlistAdd.leaves?.(snapshot)).toEqual(allowlistAdd.leaves?.(later));
  });
});
