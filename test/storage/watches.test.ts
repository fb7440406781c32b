import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  claimDigest,
  claimWatches,
  countWatches,
  findWatch,
  forgetWatches,
  noteWatch,
  openWatches,
  startWatch,
  stopWatch,
  type NewWatch,
} from '../../src/storage/watches.ts';
import { describeBoth } from './describe-both.ts';
import { sampleWatch } from './samples.ts';

describeBoth('watches', (open) => {
  const start = (database: Database, more: Partial<NewWatch> = {}) =>
    database.transaction((tx) => startWatch(tx, { ...sampleWatch, ...more }));
  const claim = (database: Database, now: number, { owner = 'a', perMinute = 8, limit = 9, leaseMs = 10 } = {}) =>
    database.transaction((tx) => claimWatches(tx, { owner, now, leaseMs, limit }, perMinute, (id) => [id]));

  it('are claimed when due, and given back until they are due again', async () => {
    const database = await open();
    await start(database);
    expect(await claim(database, 99_999)).toEqual([]);
    const [mine] = await claim(database, 100_000);
    expect(mine).toMatchObject({ owner: 'a', lease_until: 100_010 });
    expect(await claim(database, 100_001, { owner: 'b' })).toEqual([]);
    if (mine === undefined) throw new Error('nothing was claimed');
    const noted = await database.transaction((tx) => noteWatch(tx, mine, { read_to: 5 }, { dueAt: 200_000 }));
    expect(noted).toMatchObject({ read_to: 5, due_at: 200_000, owner: null });
  });

  it('begin so many reads in a minute, whoever claims them, and people take turns', async () => {
    const [database, leaseMs] = [await open(), 240_000];
    for (const requester of ['U1', 'U1', 'U1', 'U2']) await start(database, { requester });
    const claimed = await claim(database, 100_000, { perMinute: 3, limit: 2, leaseMs });
    expect(claimed.map(({ requester }) => requester).toSorted()).toEqual(['U1', 'U2']);
    expect(await claim(database, 130_000, { owner: 'b', perMinute: 3, leaseMs })).toHaveLength(1);
    expect(await claim(database, 159_999, { owner: 'b', perMinute: 3, leaseMs })).toEqual([]);
    expect(await claim(database, 160_000, { owner: 'b', perMinute: 3, leaseMs })).toHaveLength(1);
  });

  it('are not updated by a claimer that lost them to another one, to a stop, or to its own later claim', async () => {
    const database = await open();
    await start(database);
    const [first] = await claim(database, 100_000);
    const [second] = await claim(database, 200_000);
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    const note = (one: typeof first) => database.transaction((tx) => noteWatch(tx, one, {}, { dueAt: 300_000 }));
    expect(await note(first)).toBeUndefined();
    expect(await database.transaction((tx) => stopWatch(tx, first.id, 200_001))).toMatchObject({
      end_reason: 'stopped',
    });
    expect(await note(second)).toBeUndefined();
    expect(await database.transaction((tx) => stopWatch(tx, first.id, 200_002))).toBeUndefined();
    expect(await openWatches(database.db)).toEqual([]);
    await database.transaction((tx) => forgetWatches(tx, 200_002));
    expect(await findWatch(database.db, first.id)).toBeUndefined();
  });

  it('do not include digests, which are claimed separately and not counted', async () => {
    const database = await open();
    const { id } = await start(database, { kind: 'digest', due_at: 1 });
    const log = await start(database, { due_at: 2 });
    expect((await claim(database, 100_000)).map((one) => one.id)).toEqual([log.id]);
    expect(await countWatches(database.db)).toBe(1);
    const digest = () => database.transaction((tx) => claimDigest(tx, { owner: 'a', now: 100_000, leaseMs: 10 }));
    expect(await digest()).toMatchObject({ id });
    expect(await digest()).toBeUndefined();
  });
});
