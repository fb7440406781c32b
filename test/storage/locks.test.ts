import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  freeLocks,
  heldLock,
  limitLocks,
  sweepLocks,
  takeLocks,
  unlock,
  type Holder,
} from '../../src/storage/locks.ts';
import { describeBoth } from './describe-both.ts';
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
    await database.transaction((tx) => limitLocks(tx, 1, null));
    expect(await heldLock(database.db, 'a', 9_999)).toBeDefined();
    expect(await database.transaction((tx) => freeLocks(tx, 1))).toHaveLength(2);
    expect(await lockTable(database)).toMatchObject([{ target: 'c', until: 50 }]);
  });

  it('of people are unlocked; those of changes are not', async () => {
    const database = await open();
    await save(database);
    await take(database, ['a'], { change: 1, reason: '#1' });
    await take(database, ['b'], { person: 'U1', reason: 'release' });
    const free = (target: string) => database.transaction((tx) => unlock(tx, target));
    expect(await free('a')).toBeUndefined();
    expect(await free('b')).toMatchObject({ person: 'U1' });
    expect(await free('b')).toBeUndefined();
    expect(await heldLock(database.db, 'a', 10)).toBeDefined();
  });

  it('that have expired are removed', async () => {
    const database = await open();
    await take(database, ['a'], { person: 'U1', reason: 'release', until: 20 });
    await take(database, ['b'], { person: 'U1', reason: 'release' });
    await database.transaction((tx) => sweepLocks(tx, 20));
    expect(await lockTable(database)).toMatchObject([{ target: 'b' }]);
  });
});
