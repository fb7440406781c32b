import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Confirmation, NotAsShown, nameToType, isAsShown, shownOf } from '../../src/change/confirmation.ts';
import type { BrokenGlass } from '../../src/access/authorization.ts';
import type { Needed } from '../../src/policy/rules.ts';
import { save } from '../../src/decide/submit.ts';
import type { Pinned } from '../../src/change/pin.ts';
import { Refusal, type Args } from '../../src/base/errors.ts';
import type { Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { refusalText } from '../fixtures.ts';
import { confirmationOf, contextOver, pinnedFrom, openStill } from '../matrix/waiting-changes.ts';
import { idOf, roles } from '../matrix/people-and-rules.ts';

/** A change is saved only after its review, with the name typed if required, on every frontend. */

let database: Database;
beforeAll(async () => {
  database = await openStill();
});
afterAll(() => database.close());

const push = ['push', idOf('staging'), idOf('live'), '--database'];
const add = ['allowlist', 'add', idOf('live'), '198.51.100.4'];
const requester = { person: roles.ana, channel: { id: 'C1', shared: false } };
const tryToSave = async (pinned: Pinned, confirmation: Confirmation): Promise<Change | undefined | Refusal> =>
  save(contextOver(database), pinned, requester, confirmation, undefined).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
const countChanges = async (): Promise<number> =>
  (await database.db.selectFrom('changes').selectAll().execute()).length;

describe('promise 5: a change is saved only as it was shown', () => {
  const seen = (pinned: Pinned, more: Partial<Exclude<Confirmation, string>> = {}): Confirmation => ({
    shown: pinned.fingerprint,
    typedName: nameToType(pinned.action, pinned.target),
    ...more,
  });
  test.each<[string, Args, (pinned: Pinned) => Confirmation, RegExp]>([
    ['a change without a review', push, () => 'not needed', /need to see what this does first\. Nothing was done\./],
    [
      'a doubtful address that is not on live, without a review',
      ['allowlist', 'add', idOf('staging'), '10.0.0.5'],
      () => 'not needed',
      /need to see what this does first/,
    ],
    ['a sensitive change without a review', add, () => 'not needed', /need to see what this does first/],
    ['a timer is pretended', push, () => 'timer', /need to see what this does first/],
    [
      'no name was typed',
      push,
      (pinned) => seen(pinned, { typedName: undefined }),
      /^The name has to be typed: acme-shop\/live\./,
    ],
    ['another name was typed', push, (pinned) => seen(pinned, { typedName: 'acme-shop/staging' }), /^This is not acme/],
    ['it only looks like the name', push, (pinned) => seen(pinned, { typedName: 'acme-shop/lіve' }), /U\+0456/],
    [
      'a letter is a capital',
      push,
      (pinned) => seen(pinned, { typedName: 'acme-Shop/live' }),
      /^This is not acme-shop\/live\. Capitals count: it has “S” where the name has “s”\. Nothing was done\./,
    ],
    ['no fingerprint came', push, (pinned) => seen(pinned, { shown: undefined }), /^This changed while you read it\./],
    ['something else was shown', add, (pinned) => seen(pinned, { shown: 'f'.repeat(64) }), /^This changed while/],
    ['half the fingerprint came', add, (pinned) => seen(pinned, { shown: pinned.fingerprint.slice(0, 8) }), /changed/],
  ])('%s', async (_, words, confirmation, sentence) => {
    const pinned = await pinnedFrom(contextOver(database), 'ana', words);
    const before = await countChanges();
    const saved = await tryToSave(pinned, confirmation(pinned));
    if (!(saved instanceof Refusal)) throw new Error('it was saved');
    expect(refusalText(saved)).toMatch(sentence);
    expect(saved instanceof NotAsShown).toBe(/changed/.test(refusalText(saved)));
    expect(await countChanges()).toBe(before);
  });

  test.each<[string, Args, (pinned: Pinned) => Confirmation]>([
    ['a reviewed change with the typed name', push, confirmationOf],
    ['a reviewed change that needs no typed name', add, confirmationOf],
    ['a routine change without a review', ['cache', 'clear', idOf('live')], () => 'not needed'],
    [
      'a sensitive change that is not on live',
      ['allowlist', 'add', idOf('staging'), '198.51.100.4'],
      () => 'not needed',
    ],
  ])('%s is saved', async (_, words, confirmation) => {
    const pinned = await pinnedFrom(contextOver(database), 'ana', words);
    expect(await tryToSave(pinned, confirmation(pinned))).toMatchObject({ fingerprint: pinned.fingerprint });
  });

  test('a timer runs a command that was shown when it was set', async () => {
    const pinned = await pinnedFrom(contextOver(database), 'ana', add);
    const timed = { ...pinned, authorization: { ...pinned.authorization, approval: 'none', timerOf: 1 } as const };
    expect(await tryToSave(timed, 'timer')).toMatchObject({ state: 'approved' });
  });
});

test('promise 5: an approval that was promised is not dropped; one that is needed only now needs no new review', () => {
  const free = { fingerprint: 'f', authorization: { approval: 'none', rules: [], policy: '' } } as const;
  const needed = { requirements: [{ by: ['leads'], count: 1 }], expires: 60_000, reason: 'optional' } as const;
  const guarded = { fingerprint: 'f', authorization: { ...free.authorization, approval: needed } };
  expect(isAsShown(free, shownOf(free))).toBe(true);
  expect(isAsShown(guarded, shownOf(guarded))).toBe(true);
  expect(isAsShown(free, shownOf(guarded))).toBe(false);
  expect(isAsShown(guarded, shownOf(free))).toBe(true);
  expect(isAsShown({ ...guarded, fingerprint: 'g' }, shownOf(guarded))).toBe(false);
  expect(isAsShown(free, undefined)).toBe(false);
});

test('promise 5: a review that shows an approval confirms no break-glass, nor the reverse, nor one that skips more', () => {
  const of = (approval: 'none' | Needed, breakGlass?: BrokenGlass) => ({
    fingerprint: 'f',
    authorization: { approval, rules: [], policy: '', ...(breakGlass && { breakGlass }) },
  });
  const needed: Needed = { requirements: [{ by: ['leads'], count: 1 }], expires: 60_000, reason: 'required' };
  const all = {
    'at once': of('none'),
    'after approval': of(needed),
    'without approval': of(needed, { approval: true, freezes: [] }),
    'in spite of a freeze': of(needed, { approval: false, freezes: ['peak'] }),
    'in spite of both': of(needed, { approval: true, freezes: ['peak'] }),
    'in spite of another freeze': of(needed, { approval: true, freezes: ['peak', 'sale'] }),
  };
  const pairs = Object.entries(all).flatMap(([shown, before]) =>
    Object.entries(all).flatMap(([is, now]) => (isAsShown(now, shownOf(before)) ? [`${shown} → ${is}`] : [])),
  );
  const same = Object.keys(all).map((one) => `${one} → ${one}`);
  expect(pairs.toSorted()).toEqual([...same, 'at once → after approval'].toSorted());
});
