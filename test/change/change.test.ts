import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readyToSend,
  closableFrom,
  coolsDown,
  maxThrottles,
  maxAttempts,
  move,
  validMs,
  type ChangeEvent,
  type Transition,
  type TransitionInput,
} from '../../src/change/change.ts';
import { openStates, type State } from '../../src/words/states.ts';

const now = 1_000_000;
const expires = now + 300_000;
const states: readonly State[] = [
  'waiting',
  'approved',
  'sending',
  'accepted',
  'done',
  'failed',
  'rejected',
  'unknown',
  'happened',
  'did_not_happen',
  'declined',
  'cancelled',
  'expired',
  'invalidated',
  'superseded',
  'running',
  'stopped',
  'ended',
];
const open: ReadonlySet<State> = new Set(openStates);
const simpleEvents: readonly ChangeEvent[] = [
  { kind: 'approve' },
  { kind: 'decline' },
  { kind: 'cancel' },
  { kind: 'expire' },
  { kind: 'invalidated' },
  { kind: 'supersede' },
  { kind: 'send', owner: 'me', leaseMs: 45_000 },
  { kind: 'connect_failed' },
  { kind: 'send_aborted' },
  { kind: 'throttle', retryAfterMs: 15_000 },
  { kind: 'accept', operation: 'op-1' },
  { kind: 'reject' },
  { kind: 'outcome_lost' },
  { kind: 'finish' },
  { kind: 'complete' },
  { kind: 'fail' },
  { kind: 'unverified', lockMs: 900_000 },
  { kind: 'commit_lost', sentAt: now - 7 },
  { kind: 'ask_again', expiresAt: now + 9_000, remindAt: now + 4_000 },
  { kind: 'confirmed_happened' },
  { kind: 'confirmed_not' },
  { kind: 'accept_late', operation: null },
  { kind: 'reject_late' },
  { kind: 'send_aborted_late' },
];

const batchEvents: readonly ChangeEvent[] = [
  { kind: 'start', expiresAt: now + 7_000 },
  { kind: 'halt' },
  { kind: 'go_on' },
  { kind: 'end' },
  { kind: 'all_done' },
  { kind: 'all_accepted' },
];

const standing = (state: State, more: Partial<TransitionInput> = {}): TransitionInput => ({
  state,
  risk: 'sensitive',
  cools_down: 0,
  lost_at: null,
  post_review: null,
  scheduled_at: null,
  sent_at: null,
  progress: null,
  settled_at: open.has(state) ? null : now - 1,
  expires_at: expires,
  attempts: 0,
  throttle_count: 0,
  ...more,
});

const nobody = { owner: null, lease_until: null };
const settled = (state: State): Transition => ({
  patch: { state, settled_at: now, due_at: null, ...nobody },
  locks: 'free',
});
const moving = (
  state: State,
  due_at: number,
  more: Partial<Transition['patch']> = {},
  locks: Transition['locks'] = 'keep',
): Transition => ({
  patch: { state, settled_at: null, due_at, ...nobody, ...more },
  locks,
});

const over = (state: State): Transition => ({ ...settled(state), locks: 'keep' });

const askedAgain = moving(
  'waiting',
  now + 4_000,
  { expires_at: now + 9_000, lost_at: now, attempts: 0, throttle_count: 0 },
  'free',
);

/** All moves, by the state they start from. Any other is impossible. */
const table: Readonly<Partial<Record<State, Partial<Record<ChangeEvent['kind'], Transition>>>>> = {
  waiting: {
    approve: moving('approved', now, { expires_at: expires }, 'take'),
    decline: settled('declined'),
    cancel: settled('cancelled'),
    expire: settled('expired'),
    invalidated: settled('invalidated'),
    supersede: settled('superseded'),
    commit_lost: moving('unknown', now, { lost_at: now, reminders: null, sent_at: now - 7 }, { sharedMs: 3_600_000 }),
    ask_again: askedAgain,
  },
  approved: {
    cancel: settled('cancelled'),
    expire: settled('expired'),
    invalidated: settled('invalidated'),
    supersede: settled('superseded'),
    send: moving('sending', now + 45_000, { owner: 'me', lease_until: now + 45_000, sent_at: now }),
    connect_failed: moving('approved', now + 2_000, { attempts: 1, sent_at: null }),
    commit_lost: moving('unknown', now, { lost_at: now, reminders: null, sent_at: now - 7 }, { sharedMs: 3_600_000 }),
    ask_again: askedAgain,
    complete: settled('done'),
  },
  sending: {
    send_aborted: moving('approved', now + 2_000, { attempts: 1, sent_at: null }),
    throttle: moving('approved', now + 15_000, { throttle_count: 1, sent_at: null }),
    accept: moving('accepted', now + 2_000, { operation: 'op-1' }),
    reject: settled('rejected'),
    outcome_lost: moving('unknown', now, { lost_at: now, reminders: null }, { sharedMs: 3_600_000 }),
  },
  accepted: {
    outcome_lost: moving('unknown', now, { lost_at: now, reminders: null }, { sharedMs: 3_600_000 }),
    finish: settled('done'),
    fail: settled('failed'),
    unverified: { ...settled('accepted'), locks: { keepMs: 900_000 } },
  },
  unknown: {
    confirmed_happened: settled('happened'),
    confirmed_not: settled('did_not_happen'),
    accept_late: moving('accepted', now + 200, { operation: null }, 'extend'),
    reject_late: settled('rejected'),
    send_aborted_late: {
      ...settled('expired'),
      patch: { ...settled('expired').patch, sent_at: null, lost_at: null },
    },
  },
};

/** A batch sends nothing and locks nothing: its changes do. */
const tableOfBatch: typeof table = {
  ...table,
  waiting: { ...table.waiting, approve: moving('approved', now, { expires_at: expires }) },
  approved: { ...table.approved, start: moving('running', now, { expires_at: now + 7_000 }) },
  running: { halt: moving('stopped', now), end: over('ended'), all_done: over('done'), all_accepted: over('accepted') },
  stopped: {
    go_on: moving('running', now),
    end: over('ended'),
    all_done: over('done'),
    all_accepted: over('accepted'),
  },
};

describe('every state and everything that can happen in it', () => {
  const all = [...simpleEvents, ...batchEvents];
  const cases = states.flatMap((state) => all.map((event) => [state, event.kind, event] as const));
  test.each(cases)('%s: %s', (state, kind, event) => {
    expect(move(standing(state), event, now)).toStrictEqual(table[state]?.[kind]);
  });

  test.each(cases)('a batch, %s: %s', (state, kind, event) => {
    const sends = kind === 'send' || kind === 'complete';
    const made = sends ? undefined : tableOfBatch[state]?.[kind];
    expect(move(standing(state, { progress: '{}' }), event, now)).toStrictEqual(made);
  });

  test.each(cases)('at its time, %s: %s, and nothing is sent before', (state, kind, event) => {
    const wanted = table[state]?.[kind];
    const due = (at: number): Transition | undefined =>
      kind === 'approve' && wanted ? { patch: { ...wanted.patch, due_at: at }, locks: 'keep' } : wanted;
    const locks = kind === 'send' ? { locks: 'take' } : {};
    const then = due(now);
    expect(move(standing(state, { scheduled_at: now }), event, now)).toStrictEqual(then && { ...then, ...locks });
    const early = kind === 'send' || kind === 'complete' ? undefined : due(now + 1);
    expect(move(standing(state, { scheduled_at: now + 1 }), event, now)).toStrictEqual(early);
  });

  test('a settled accepted change moves no more', () => {
    for (const event of simpleEvents)
      expect(move(standing('accepted', { settled_at: now - 1 }), event, now)).toBeUndefined();
  });

  test('a routine change takes no locks', () => {
    expect(move(standing('waiting', { risk: 'routine' }), { kind: 'approve' }, now)?.locks).toBe('keep');
  });

  test('locks are removed at once if they should last no longer', () => {
    expect(move(standing('accepted'), { kind: 'unverified', lockMs: 0 }, now)?.locks).toBe('free');
  });
});

test('what certainly was not sent needs no review; what was, or may have been, does', () => {
  const unsent = ['cancelled', 'declined', 'expired', 'invalidated', 'superseded'];
  const left = new Set<string>();
  for (const state of states)
    for (const event of simpleEvents)
      for (const lost_at of [null, now - 1]) {
        const to = move(standing(state, { post_review: 'open', lost_at }), event, now)?.patch;
        if (to === undefined) continue;
        const mayBeSent = (to.lost_at === undefined ? lost_at : to.lost_at) !== null;
        const isOver = unsent.includes(to.state) && !mayBeSent;
        expect([state, event.kind, lost_at, to.post_review]).toEqual([
          state,
          event.kind,
          lost_at,
          isOver ? null : undefined,
        ]);
        if (isOver) left.add(to.state);
        expect(move(standing(state, { lost_at }), event, now)?.patch).not.toHaveProperty('post_review');
      }
  expect([...left].toSorted()).toEqual(unsent);
});

describe('attempts and time', () => {
  test.each<[string, Partial<TransitionInput>, State, ChangeEvent, State]>([
    ['the second try comes later', { attempts: 1 }, 'approved', { kind: 'connect_failed' }, 'approved'],
    ['the third is the last', { attempts: 2 }, 'approved', { kind: 'connect_failed' }, 'expired'],
    ['an aborted send counts as a try', { attempts: 2 }, 'sending', { kind: 'send_aborted' }, 'expired'],
    ['429 twice', { throttle_count: 1 }, 'sending', { kind: 'throttle', retryAfterMs: 1 }, 'approved'],
    ['429 for the third time', { throttle_count: 2 }, 'sending', { kind: 'throttle', retryAfterMs: 1 }, 'expired'],
    ['a rest beyond its validity', {}, 'sending', { kind: 'throttle', retryAfterMs: 300_000 }, 'expired'],
    ['a rest just within it', {}, 'sending', { kind: 'throttle', retryAfterMs: 299_999 }, 'approved'],
    ['a try that would be too late', { expires_at: now + 2_000 }, 'approved', { kind: 'connect_failed' }, 'expired'],
  ])('%s', (_, more, state, event, to) => {
    const patch = move(standing(state, more), event, now)?.patch;
    expect(patch?.state).toBe(to);
    expect(patch?.sent_at).toBeNull();
    expect(patch?.settled_at).toBe(to === 'expired' ? now : null);
  });

  test.each([
    ['approved', { kind: 'start', expiresAt: 1 }],
    ['stopped', { kind: 'go_on' }],
  ] as const)('a batch that is %s: nothing begins from the moment of expiry on', (state, event) => {
    const batch = standing(state, { progress: '{}' });
    expect(move(batch, event, expires - 1)).toBeDefined();
    expect(move(batch, event, expires)).toBeUndefined();
  });

  test.each(['approve', 'send', 'complete'] as const)('no %s from the moment of expiry on', (kind) => {
    const event: ChangeEvent = kind === 'send' ? { kind, owner: 'me', leaseMs: 1 } : { kind };
    const of = standing(kind === 'approve' ? 'waiting' : 'approved');
    expect(move(of, event, expires - 1)).toBeDefined();
    expect(move(of, event, expires)).toBeUndefined();
  });
});

describe('once it is approved', () => {
  const cooling = { cools_down: 1, scheduled_at: null } as const;

  test.each([
    [1, true],
    [0, false],
  ] as const)('cooling down %d: time to stop it is %s', (cools_down, cools) => {
    expect(coolsDown({ cools_down })).toBe(cools);
    const made = move(standing('waiting', { cools_down }), { kind: 'approve' }, now)?.patch;
    expect(made?.due_at).toBe(cools ? made?.expires_at : now);
  });

  test.each([
    ['early', 10 * validMs, 10 * validMs],
    ['late', 1, validMs],
    ['exactly in time', validMs, validMs],
  ])('%s, it stays valid for five minutes at least, and is never cut short', (_, left, valid) => {
    expect(readyToSend({ ...cooling, expires_at: now + left }, now)).toEqual({
      expires_at: now + valid,
      due_at: now + valid,
    });
  });

  test('a change that was stopped before it was due is never sent', () => {
    const stopped = move(standing('approved', cooling), { kind: 'cancel' }, now)?.patch;
    const after = { ...standing('approved', cooling), ...stopped };
    expect(move(after, { kind: 'send', owner: 'me', leaseMs: 1 }, now)).toBeUndefined();
  });
});

test.each(['confirmed_happened', 'confirmed_not'] as const)('%s not before the last write can have arrived', (kind) => {
  const unknown = standing('unknown', { sent_at: now });
  expect(closableFrom(unknown)).toBe(now + 345_000);
  expect(move(unknown, { kind }, now + 344_999)).toBeUndefined();
  expect(move(unknown, { kind }, now + 345_000)).toEqual({
    patch: {
      ...settled(kind === 'confirmed_happened' ? 'happened' : 'did_not_happen').patch,
      settled_at: now + 345_000,
    },
    locks: 'free',
  });
});

test('a rejection by the host does not wait until the change may be closed', () => {
  for (const { kind, state } of [
    { kind: 'reject', state: 'sending' },
    { kind: 'reject_late', state: 'unknown' },
  ] as const)
    expect(move(standing(state, { sent_at: now }), { kind }, now)).toEqual(settled('rejected'));
});

const anyEvent: fc.Arbitrary<ChangeEvent> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'approve' } as const) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('send' as const), owner: fc.constant('me'), leaseMs: fc.nat(60_000) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('throttle' as const), retryAfterMs: fc.nat(400_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unverified' as const), lockMs: fc.nat(900_000) }) },
  { weight: 10, arbitrary: fc.constantFrom(...simpleEvents) },
);
const anyEvents = fc.array(fc.record({ event: anyEvent, afterMs: fc.nat(20_000) }), { maxLength: 40 });
const anyStart = fc.record({
  state: fc.constantFrom<State>('waiting', 'approved'),
  risk: fc.constantFrom('routine', 'sensitive', 'destructive'),
  scheduled_at: fc.constantFrom(null, now, now + 30_000, now + 200_000),
});

type Row = TransitionInput & Pick<Transition['patch'], 'due_at' | 'owner' | 'lease_until'>;
type Step = {
  readonly from: Row;
  readonly to: Row;
  readonly event: ChangeEvent;
  readonly at: number;
  readonly move: Transition;
};

/** The change after each event. */
function run(
  start: Pick<TransitionInput, 'state' | 'risk' | 'scheduled_at'>,
  steps: readonly { readonly event: ChangeEvent; readonly afterMs: number }[],
): readonly Step[] {
  let row: Row = { ...standing(start.state, start), due_at: now, ...nobody };
  let at = now;
  const history: Step[] = [];
  for (const { event, afterMs } of steps) {
    at += afterMs;
    const made = move(row, event, at);
    if (made === undefined) continue;
    const { operation: _, ...patch } = made.patch;
    const to: Row = { ...row, ...patch, sent_at: patch.sent_at === undefined ? row.sent_at : patch.sent_at };
    history.push({ from: row, to, event, at, move: made });
    row = to;
  }
  return history;
}

describe('any events in any order', () => {
  const always = (holds: (history: readonly Step[]) => void): void =>
    fc.assert(
      fc.property(anyStart, anyEvents, (start, steps) => holds(run(start, steps))),
      { numRuns: 400 },
    );

  test('a settled change stays as it is, with nothing due and no owner', () =>
    always((history) => {
      for (const [index, { to }] of history.entries()) {
        expect(to.settled_at !== null).toBe(!open.has(to.state) || (to.state === 'accepted' && to.due_at === null));
        if (to.settled_at === null) continue;
        expect(index).toBe(history.length - 1);
        expect(to).toMatchObject({ due_at: null, owner: null, lease_until: null });
      }
    }));

  test('an unsettled change has something due, so that it is never forgotten', () =>
    always((history) => {
      for (const { to } of history) if (to.settled_at === null) expect(Number.isFinite(to.due_at)).toBe(true);
    }));

  test('locks end exactly when it is settled or asked again, except for operations that cannot be followed', () =>
    always((history) => {
      for (const { to, move, event } of history) {
        const isKept = typeof move.locks === 'object' && 'keepMs' in move.locks;
        const goes = move.locks === 'free' || isKept;
        expect(goes).toBe(to.settled_at !== null || to.state === 'waiting');
        if (isKept) expect(event.kind).toBe('unverified');
      }
    }));

  test('promise 1: it is sent only when approved and valid, at its time, and once, unless the host certainly took nothing', () =>
    always((history) => {
      let mayBeOut = false;
      for (const { from, to, event, at } of history) {
        if (event.kind === 'send') {
          expect(mayBeOut).toBe(false);
          expect(from.state).toBe('approved');
          expect(at).toBeLessThan(from.expires_at);
          expect(at).toBeGreaterThanOrEqual(from.scheduled_at ?? 0);
          expect(to.sent_at).toBe(at);
          mayBeOut = true;
        }
        if (event.kind === 'send_aborted' || event.kind === 'throttle') mayBeOut = false;
      }
    }));

  test('attempts and throttles are bounded, from each time that it is asked again', () =>
    always((history) => {
      let [attempts, throttles] = [0, 0];
      for (const { event } of history) {
        if (event.kind === 'ask_again') [attempts, throttles] = [0, 0];
        if (event.kind === 'connect_failed' || event.kind === 'send_aborted') attempts += 1;
        if (event.kind === 'throttle') throttles += 1;
        expect(attempts).toBeLessThanOrEqual(maxAttempts);
        expect(throttles).toBeLessThanOrEqual(maxThrottles + 1);
      }
    }));

  test('a change that says nothing was sent has no time of sending', () =>
    always((history) => {
      const nothing = new Set(['declined', 'expired', 'cancelled', 'invalidated', 'superseded', 'approved', 'waiting']);
      for (const { to } of history) if (nothing.has(to.state)) expect(to.sent_at).toBeNull();
    }));

  test('only sending has an owner and a lease', () =>
    always((history) => {
      for (const { to } of history) expect(to.owner !== null && to.lease_until !== null).toBe(to.state === 'sending');
    }));
});
