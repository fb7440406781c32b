import * as fc from 'fast-check';
import { deepStrictEqual } from 'node:assert';
import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  exclusiveLock,
  extendShared,
  freeLocks,
  heldLock,
  limitLocks,
  limitShared,
  locksOf,
  locksOn,
  shareLocks,
  sweepLocks,
  takeLocks,
  deletePersonLocks,
  type Holder,
} from '../../src/storage/locks.ts';
import { describeBoth } from './describe-both.ts';
import { LockModel, type Act } from './lock-model.ts';
import { save } from './samples.ts';

const take = (database: Database, targets: readonly string[], holder: Holder, now = 10) =>
  database.transaction((tx) => takeLocks(tx, targets, holder, now));

const lockTable = ({ db }: Database) => db.selectFrom('locks').selectAll().orderBy('target').execute();

describeBoth('locks', (open) => {
  it.each([
    ['held by another change', { change: 2, reason: '#2' }, 10, 'held'],
    ['held by the same change', { change: 1, reason: '#1 again' }, 10, 'taken'],
    ['asked for by a person', { person: 'U1', reason: 'release' }, 10, 'held'],
    ['almost over', { change: 2, reason: '#2' }, 99, 'held'],
    ['over', { change: 2, reason: '#2' }, 100, 'taken'],
  ] as const)('are all taken or none: %s', async (_, holder, now, end) => {
    const database = await open();
    await save(database);
    await save(database);
    expect(await take(database, ['b'], { change: 1, reason: '#1', until: 100 })).toBeUndefined();
    const held = await take(database, ['a', 'b', 'c', 'a'], holder, now);
    const targets = (await lockTable(database)).map(({ target }) => target);
    if (end === 'held') {
      expect(held).toMatchObject({ target: 'b', change: 1, reason: '#1', taken_at: 10, until: 100 });
      expect(targets).toEqual(['b']);
    } else {
      expect(held).toBeUndefined();
      expect(targets).toEqual(['a', 'b', 'c']);
      expect(await heldLock(database.db, 'b', now)).toMatchObject({ reason: holder.reason, until: null });
    }
  });

  it.each([
    ['renewed by its holder', 'U1', 99, 10],
    ['taken again by its holder after it expired', 'U1', 100, 100],
    ['taken by somebody else after it expired', 'U2', 100, 100],
  ])('say since when they are held: %s', async (_, person, now, since) => {
    const database = await open();
    await take(database, ['a'], { person: 'U1', reason: 'release', until: 100 });
    await take(database, ['a'], { person, reason: 'import' }, now);
    expect(await heldLock(database.db, 'a', now)).toMatchObject({ person, reason: 'import', taken_at: since });
  });

  it('are taken all or none when many race for overlapping targets', async () => {
    const database = await open();
    const replica = await database.again();
    const changes = await Promise.all(Array.from({ length: 10 }, () => save(database)));
    const sets = [
      ['a', 'b', 'c'],
      ['c', 'b'],
      ['b', 'd'],
    ];
    const race = changes.map(({ number }, by) =>
      take(by % 2 === 0 ? database : replica, sets[by % 3] ?? [], { change: number, reason: `#${number}` }),
    );
    const winners = (await Promise.all(race)).flatMap((held, by) => (held === undefined ? [by] : []));
    expect(winners).toHaveLength(1);
    const [winner = 0] = winners;
    const rows = await lockTable(database);
    expect(rows.map(({ target }) => target)).toEqual([...(sets[winner % 3] ?? [])].toSorted());
    expect(new Set(rows.map(({ change }) => change))).toEqual(new Set([changes[winner]?.number]));
  });

  it('locking nothing creates no lock', async () => {
    const database = await open();
    expect(await take(database, [], { person: 'U1', reason: 'none' })).toBeUndefined();
  });

  it('of a change end at a time or are freed; those of others stay', async () => {
    const database = await open();
    await save(database);
    await take(database, ['a', 'b'], { change: 1, reason: '#1' });
    await take(database, ['c'], { person: 'U1', reason: 'release', until: 50 });
    await database.transaction((tx) => limitLocks(tx, 1, 40));
    expect(await heldLock(database.db, 'a', 39)).toMatchObject({ until: 40 });
    expect(await heldLock(database.db, 'a', 40)).toBeUndefined();
    expect(await database.transaction((tx) => freeLocks(tx, 1))).toHaveLength(2);
    expect(await lockTable(database)).toMatchObject([{ target: 'c', until: 50 }]);
  });

  it('of people are unlocked; those of changes are not', async () => {
    const database = await open();
    await save(database);
    await take(database, ['a'], { change: 1, reason: '#1' });
    await take(database, ['b'], { person: 'U1', reason: 'release' });
    const free = (target: string) => database.transaction((tx) => deletePersonLocks(tx, [target]));
    expect(await free('a')).toEqual([]);
    expect(await free('b')).toMatchObject([{ person: 'U1' }]);
    expect(await free('b')).toEqual([]);
    expect(await heldLock(database.db, 'a', 10)).toBeDefined();
  });

  it('that have expired are removed', async () => {
    const database = await open();
    await take(database, ['a'], { person: 'U1', reason: 'release', until: 20 });
    await take(database, ['b'], { person: 'U1', reason: 'release' });
    await database.transaction((tx) => sweepLocks(tx, 20));
    expect(await lockTable(database)).toMatchObject([{ target: 'b' }]);
  });

  it('on what is only read are shared: they coexist, and keep exclusive ones away', async () => {
    const database = await open();
    for (const _ of [1, 2, 3]) await save(database);
    const share = (change: number, now = 10) =>
      database.transaction((tx) => shareLocks(tx, ['a', 'a', 'b'], change, now));
    expect([await share(1), await share(2), await share(1)]).toEqual([undefined, undefined, undefined]);
    expect(await take(database, ['c', 'a'], { change: 3, reason: '#3' })).toMatchObject({ target: 'a', change: 1 });
    expect(await take(database, ['b'], { person: 'U1', reason: 'release' })).toMatchObject({ target: 'b', change: 1 });
    expect(await lockTable(database)).toEqual([]);
    expect(await exclusiveLock(database.db, 'a', 10)).toBeUndefined();
    await database.transaction((tx) => limitShared(tx, 1, 40));
    await database.transaction((tx) => freeLocks(tx, 2));
    expect(await take(database, ['a'], { change: 3, reason: '#3' }, 39)).toMatchObject({ change: 1, until: 40 });
    expect(await take(database, ['a'], { change: 3, reason: '#3' }, 40)).toBeUndefined();
    expect(await share(2, 41)).toMatchObject({ target: 'a', change: 3 });
    await database.transaction((tx) => sweepLocks(tx, 40));
    expect(await locksOf(database.db, 1, 39)).toEqual([]);
  });

  const targets = ['a', 'b', 'c'];
  const [some, whose] = [fc.subarray(targets, { minLength: 1 }), fc.integer({ min: 1, max: 4 })];
  const act: fc.Arbitrary<Act> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), targets: some, change: whose }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('share' as const), targets: some, change: whose }) },
    fc.record({ kind: fc.constant('lock' as const), target: fc.constantFrom(...targets), afterMs: fc.nat(30) }),
    fc.record({ kind: fc.constant('unlock' as const), target: fc.constantFrom(...targets) }),
    fc.record({ kind: fc.constantFrom('limit' as const, 'limitShared' as const), change: whose, afterMs: fc.nat(30) }),
    fc.record({ kind: fc.constantFrom('free' as const, 'extend' as const), change: whose }),
  );
  const step = fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 2 }), afterMs: fc.nat(10) });

  it('match a simple model, also if two transactions run at once', { timeout: 60_000 }, async () => {
    const database = await open();
    const replica = await database.again();
    for (const _ of [1, 2, 3, 4]) await save(database);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        let model = new LockModel([]);
        let now = 100;
        for (const { acts, afterMs } of steps) {
          now += afterMs;
          const at = now;
          const both = acts.map((one, index) => perform(index === 0 ? database : replica, one, at));
          const were = await Promise.all(both);
          const found = await Promise.all(targets.map((target) => locksOn(database.db, [target], at)));
          const seen = JSON.stringify([were, found.map((locks) => locks.map(({ change, until }) => [change, until]))]);
          const orders =
            acts.length === 1
              ? [[0]]
              : [
                  [0, 1],
                  [1, 0],
                ];
          const possible = orders.map((order) => {
            const after = new LockModel(model.rows);
            const results: boolean[] = [];
            for (const index of order) results[index] = acts[index] === undefined || after.does(acts[index], at);
            return { after, says: JSON.stringify([results, targets.map((target) => after.on(target, at))]) };
          });
          const right = possible.find(({ says }) => says === seen);
          if (right === undefined) deepStrictEqual(seen, possible[0]?.says);
          else model = right.after;
        }
        await database.db.deleteFrom('locks').execute();
        await database.db.deleteFrom('shared_locks').execute();
      }),
      { numRuns: 60 },
    );
  });
});

/** Does it in a transaction of its own; whether it took what it wanted. */
function perform(database: Database, act: Act, now: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    switch (act.kind) {
      case 'take':
        return (await takeLocks(tx, act.targets, { change: act.change, reason: '' }, now)) === undefined;
      case 'share':
        return (await shareLocks(tx, act.targets, act.change, now)) === undefined;
      case 'lock': {
        const terms = { person: 'U1', reason: '', until: now + act.afterMs };
        return (await takeLocks(tx, [act.target], terms, now)) === undefined;
      }
      case 'unlock':
        await deletePersonLocks(tx, [act.target]);
        return true;
      case 'limit':
        await limitLocks(tx, act.change, now + act.afterMs);
        return true;
      case 'limitShared':
        await limitShared(tx, act.change, now + act.afterMs);
        return true;
      case 'extend':
        await extendShared(tx, act.change, now);
        return true;
      case 'free':
        await freeLocks(tx, act.change);
        return true;
    }
  });
}
