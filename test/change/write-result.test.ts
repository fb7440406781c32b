import { describe, expect, test } from 'vitest';
import { eventOf, isSameSend, lateEvent, tookNothing, type Outcome } from '../../src/change/write-result.ts';
import type { ChangeEvent } from '../../src/change/change.ts';
import type { State } from '../../src/words/states.ts';

/** What an answer means for its change, at once and when it is late. */

const accepted: Outcome = { kind: 'accepted', status: 202, operation: 'op-1', immediate: false };
const done: Outcome = { kind: 'accepted', status: 200, immediate: true };
const rejected: Outcome = { kind: 'rejected', status: 403, message: 'no' };
const unknown: Outcome = { kind: 'unknown', why: 'the host answered 500', status: 500 };
const notSent: Outcome = { kind: 'not sent', why: 'I was held up' };
const throttled = (retryAfterMs: number | undefined): Outcome => ({ kind: 'throttled', retryAfterMs });

describe('an answer in time', () => {
  test.each<[string, Outcome, ChangeEvent, boolean]>([
    ['accepted', accepted, { kind: 'accept', operation: 'op-1' }, false],
    ['accepted and done', done, { kind: 'accept', operation: null }, false],
    ['rejected', rejected, { kind: 'reject' }, false],
    ['unknown', unknown, { kind: 'outcome_lost' }, false],
    ['not sent', notSent, { kind: 'send_aborted' }, true],
    ['throttled with a time', throttled(1_000), { kind: 'throttle', retryAfterMs: 1_000 }, true],
    ['throttled without a time', throttled(undefined), { kind: 'throttle', retryAfterMs: 15_000 }, true],
    ['throttled until tomorrow', throttled(86_400_000), { kind: 'throttle', retryAfterMs: 300_000 }, true],
  ])('%s', (_, outcome, event, nothing) => {
    expect(eventOf(outcome)).toEqual(event);
    expect(tookNothing(outcome)).toBe(nothing);
  });
});

describe('a late answer', () => {
  const late = (outcome: Outcome): Partial<Record<State, ChangeEvent>> =>
    Object.fromEntries(
      (['waiting', 'approved', 'sending', 'accepted', 'unknown', 'done', 'rejected'] as const).flatMap((state) => {
        const event = lateEvent(outcome, { state, version: 9, sent_at: 7 }, { version: 5, sent_at: 7, lost_at: null });
        return event ? [[state, event]] : [];
      }),
    );
  test.each<[string, Outcome, Partial<Record<State, ChangeEvent>>]>([
    [
      'an acceptance counts although it was sent again',
      accepted,
      { sending: { kind: 'accept', operation: 'op-1' }, unknown: { kind: 'accept_late', operation: 'op-1' } },
    ],
    [
      'so is one without an operation',
      done,
      { sending: { kind: 'accept', operation: null }, unknown: { kind: 'accept_late', operation: null } },
    ],
    ['a rejection counts only for its own send', rejected, { unknown: { kind: 'reject_late' } }],
    ['a throttled write moves nothing', throttled(1), {}],
    ['an unsent write moves nothing, if the change has moved on', notSent, {}],
    ['an unknown outcome moves nothing', unknown, {}],
  ])('%s', (_, outcome, wanted) => {
    expect(late(outcome)).toEqual(wanted);
  });
});

describe('an unsent write whose change became unknown in between', () => {
  const sent = { version: 5, sent_at: 7, lost_at: null };
  const unknownSince = { state: 'unknown', version: 6, sent_at: 7 } as const;
  test('ends it', () => {
    expect(lateEvent(notSent, unknownSince, sent)).toEqual({ kind: 'send_aborted_late' });
  });

  test.each([
    ['another send', { ...unknownSince, sent_at: 8 }, sent],
    ['the host had taken that send', { ...unknownSince, version: 7 }, sent],
    ['the database says that this send never was', { ...unknownSince, version: 5 }, sent],
    ['a person has closed it', { ...unknownSince, state: 'happened', version: 7 }, sent],
    ['it is being sent', { ...unknownSince, state: 'sending' }, sent],
    ['it may have been sent before a failover', unknownSince, { ...sent, lost_at: 3 }],
  ] as const)('does not if %s', (_, row, of) => {
    expect(lateEvent(notSent, row, of)).toBeUndefined();
  });

  test.each([throttled(1), unknown])('says nothing of an answer of the host: $kind', (outcome) => {
    expect(lateEvent(outcome, unknownSince, sent)).toBeUndefined();
  });
});

test('the same send means the same version and time of sending', () => {
  const sent = { version: 5, sent_at: 7 };
  expect(isSameSend({ ...sent, state: 'sending' }, sent)).toBe(true);
  expect(isSameSend({ ...sent, state: 'unknown' }, sent)).toBe(false);
  expect(isSameSend({ ...sent, version: 6, state: 'sending' }, sent)).toBe(false);
  expect(isSameSend({ ...sent, sent_at: 8, state: 'sending' }, sent)).toBe(false);
});
