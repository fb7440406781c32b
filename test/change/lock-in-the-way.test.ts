import { expect, test } from 'vitest';
import { lockRefusal } from '../../src/change/lock-in-the-way.ts';
import type { Change } from '../../src/storage/changes.ts';
import { plain } from '../../src/words/text.ts';
import { changeOf } from '../fixtures.ts';

const now = 7_200_000;
const lock = { target: 'environment:e1', change: 6, person: null, reason: '#6', taken_at: now - 60_000, until: null };
const holder = (more: Partial<Change>): Change =>
  changeOf({ number: 6, requester: 'U01ANA', command: 'clone', settled_at: null, sent_at: null, ...more });
const clone = "acme-shop/live is busy: @U01ANA's clone (#6)";

test.each([
  [{ state: 'accepted', sent_at: now - 40_000 }, null, `${clone} has been running for 40 s.`],
  [{ state: 'sending', sent_at: now - 2_000 }, null, `${clone} has been running for 2 s.`],
  [{ state: 'approved' }, null, `${clone} is waiting to be sent. It has held the lock for 1 min.`],
  [
    { state: 'unknown', sent_at: 1, lost_at: 0 },
    null,
    "acme-shop/live is busy: the outcome of @U01ANA's clone (#6) has been unknown for 2 h.",
  ],
  [
    { state: 'accepted', sent_at: now - 40_000, settled_at: now - 39_000 },
    now,
    `${clone} was sent 40 s ago and may still be running. Its lock ends 1970-01-01 02:00 UTC.`,
  ],
] as const)('a change that is %o', (more, until, says) => {
  const held = { target: 'acme-shop/live', lock: { ...lock, until }, holder: holder(more) };
  expect(plain(lockRefusal(held, now))).toBe(`${says} Nothing was sent.`);
});

test.each([
  [null, '', 'acme-shop/live is locked by @U02BEN, and has been for 1 min.'],
  [
    now,
    'a *release*',
    'acme-shop/live is locked by @U02BEN until 1970-01-01 02:00 UTC (“a *release*”), and has been for 1 min.',
  ],
])("a person's lock until %s", (until, reason, says) => {
  const own = { ...lock, change: null, person: 'U02BEN', reason, until };
  expect(plain(lockRefusal({ target: 'acme-shop/live', lock: own, holder: undefined }, now))).toBe(
    `${says} Nothing was sent.`,
  );
});
