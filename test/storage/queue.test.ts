import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { pauseKeys, writeKv } from '../../src/storage/kv.ts';
import {
  insertQueued,
  isHeadOfQueue as isNext,
  queueOf,
  removeQueued,
  wakeNext,
  wakeQueues,
} from '../../src/storage/queue.ts';
import { claimWaiting, findOpen, readWaiting, releaseWaiting, type QueuedRequest } from '../../src/storage/waiting.ts';
import { describeBoth } from './describe-both.ts';
import { sampleQueued } from './samples.ts';

const join = (database: Database, row: Partial<typeof sampleQueued> = {}): Promise<QueuedRequest> =>
  database.transaction((tx) => insertQueued(tx, { ...sampleQueued, ...row }));
const claim = (database: Database, owner: string, now: number): Promise<QueuedRequest[]> =>
  database.transaction(async (tx) =>
    (await claimWaiting(tx, 'queue', { owner, now, leaseMs: 50, limit: 4 })).map((row) => readWaiting(row)),
  );
const idsOf = (rows: readonly QueuedRequest[]): readonly number[] => rows.map(({ id }) => id);
const dueAt = async (database: Database, id: number): Promise<number | undefined> =>
  (await findOpen(database.db, ['queue'], id))?.due_at ?? undefined;

describeBoth('queued requests', (open) => {
  it('are due in order: the first of each target, and the others when they expire or the first is gone', async () => {
    const database = await open();
    const [first, second, other] = [await join(database), await join(database), await join(database, { target: 'e2' })];
    expect([first.due_at, second.due_at, other.due_at]).toEqual([10, 1_000, 10]);
    expect(new Set(idsOf(await claim(database, 'a', 20)))).toEqual(new Set([first.id, other.id]));
    expect(await database.transaction((tx) => removeQueued(tx, first, 30))).toBe(true);
    expect(await database.transaction((tx) => removeQueued(tx, first, 30))).toBe(false);
    expect(idsOf(await claim(database, 'a', 30))).toEqual([second.id]);
    expect(idsOf(await queueOf(database.db, sampleQueued.target))).toEqual([second.id]);
  });

  it('are claimed once; who lost the lease can no longer use, change or remove them', async () => {
    const database = await open();
    const replica = await database.again();
    await join(database);
    const claims = [claim(database, 'a', 20), claim(replica, 'b', 20)];
    const [mine] = (await Promise.all(claims)).flat();
    if (mine?.owner == null) throw new Error('nobody got it');
    expect((await Promise.all(claims)).flat()).toHaveLength(1);
    expect(await claim(replica, 'c', 69)).toEqual([]);
    const [theirs] = await claim(replica, 'c', 70);
    expect(theirs?.id).toBe(mine.id);
    expect(await database.transaction((tx) => removeQueued(tx, mine, 71, true))).toBe(false);
    expect(await database.transaction((tx) => releaseWaiting(tx, mine, 500))).toBeUndefined();
    expect(await replica.transaction((tx) => removeQueued(tx, theirs ?? mine, 72, true))).toBe(true);
  });

  it('that are woken while somebody looks at them stay due; those whose turn has come are not woken', async () => {
    const database = await open();
    const { id } = await join(database);
    const [claimed] = await claim(database, 'a', 20);
    if (claimed === undefined) throw new Error('not claimed');
    await database.transaction((tx) => wakeQueues(tx, [sampleQueued.target], 21));
    await database.transaction((tx) => releaseWaiting(tx, claimed, 500));
    expect(await dueAt(database, id)).toBe(21);
    const [again] = await claim(database, 'a', 22);
    if (again === undefined) throw new Error('not claimed again');
    await database.transaction((tx) => releaseWaiting(tx, again, 1_000, { turn_at: 22 }));
    await database.transaction((tx) => wakeQueues(tx, [sampleQueued.target], 23));
    expect(await dueAt(database, id)).toBe(1_000);
  });

  it('let those behind them pass while put back, but not while they are claimed, due, or have their turn', async () => {
    const database = await open();
    const [, second] = [await join(database), await join(database)];
    const isHeadOfQueue = (now: number): Promise<boolean> => isNext(database.db, second, now);
    expect(await isHeadOfQueue(20)).toBe(false);
    const [first] = await claim(database, 'a', 20);
    if (first === undefined) throw new Error('not claimed');
    expect([await isNext(database.db, first, 20), await isHeadOfQueue(20)]).toEqual([true, false]);
    await database.transaction((tx) => releaseWaiting(tx, first, 500));
    await database.transaction((tx) => wakeNext(tx, first, 30));
    expect(await dueAt(database, second.id)).toBe(30);
    expect([await isHeadOfQueue(499), await isHeadOfQueue(500)]).toEqual([true, false]);
    const [again] = await claim(database, 'a', 500);
    if (again === undefined) throw new Error('not claimed again');
    await database.transaction((tx) => releaseWaiting(tx, again, 900, { turn_at: 500 }));
    expect(await isHeadOfQueue(600)).toBe(false);
  });

  it('are held by a pause, but not beyond their time', async () => {
    const database = await open();
    const { id } = await join(database);
    await database.transaction((tx) => writeKv(tx, { key: pauseKeys.all, value: '{}', at: 1 }));
    expect(await claim(database, 'a', 999)).toEqual([]);
    expect(idsOf(await claim(database, 'a', 1_000))).toEqual([id]);
  });
});
