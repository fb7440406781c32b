import { sql } from 'kysely';
import { expect, it, test } from 'vitest';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { sameId, type IdsOf } from '../../src/storage/lease.ts';
import {
  claimWaiting,
  countWaiting,
  endWaiting,
  findHandedOn,
  findOpen,
  forgetWaiting,
  insertWaiting,
  listOpen,
  readWaiting,
  releaseWaiting,
  type NewWaiting,
} from '../../src/storage/waiting.ts';
import type { WaitingKind } from '../../src/storage/waiting-table.ts';
import { describeBoth } from './describe-both.ts';
import { sampleDigest, sampleHandedOn, sampleWatch } from './samples.ts';

describeBoth('what waits', (open) => {
  const add = <K extends WaitingKind>(database: Database, row: NewWaiting<K>) =>
    database.transaction((tx) => insertWaiting(tx, row));
  type Wanted = { owner?: string; perMinute?: number; limit?: number; leaseMs?: number; idsOf?: IdsOf };
  const claim = <K extends WaitingKind>(database: Database, kind: K, now: number, wanted: Wanted = {}) =>
    database.transaction(async (tx) => {
      const { owner = 'a', perMinute, limit = 9, leaseMs = 10, idsOf = sameId } = wanted;
      const rows = await claimWaiting(tx, kind, { owner, now, leaseMs, limit }, { idsOf }, perMinute);
      return rows.map((row) => readWaiting(row));
    });

  it('is claimed when due, and given back until it is due again', async () => {
    const database = await open();
    await add(database, sampleWatch);
    expect(await claim(database, 'watch', 99_999)).toEqual([]);
    const [mine] = await claim(database, 'watch', 100_000);
    expect(mine).toMatchObject({ owner: 'a', lease_until: 100_010, tried_at: null });
    expect(await claim(database, 'watch', 100_001, { owner: 'b' })).toEqual([]);
    if (mine === undefined) throw new Error('nothing was claimed');
    const noted = await database.transaction((tx) => releaseWaiting(tx, mine, 200_000, { read_to: 5 }));
    expect(noted).toEqual({ ...mine, read_to: 5, due_at: 200_000, owner: null, lease_until: null });
    expect(await findOpen(database.db, ['watch'], mine.id)).toEqual(noted);
  });

  it('begins so many in a minute, whoever claims them, and people take turns', async () => {
    const [database, leaseMs] = [await open(), 240_000];
    for (const requester of ['U1', 'U1', 'U1', 'U2']) await add(database, { ...sampleWatch, requester });
    const claimed = await claim(database, 'watch', 100_000, { perMinute: 3, limit: 2, leaseMs });
    expect(claimed.map(({ requester }) => requester).toSorted()).toEqual(['U1', 'U2']);
    const later = (now: number) => claim(database, 'watch', now, { owner: 'b', perMinute: 3, leaseMs });
    expect(await later(130_000)).toHaveLength(1);
    expect(await later(159_999)).toEqual([]);
    expect(await later(160_000)).toHaveLength(1);
  });

  it('is not updated by a claimer that lost it to another one, to an end, or to its own later claim', async () => {
    const database = await open();
    await add(database, sampleWatch);
    const [first] = await claim(database, 'watch', 100_000);
    const [second] = await claim(database, 'watch', 200_000);
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    const release = (one: typeof first) => database.transaction((tx) => releaseWaiting(tx, one, 300_000));
    const end = (one: typeof first, at: number, isMine = false) =>
      database.transaction((tx) => endWaiting(tx, one, at, { isMine }));
    expect(await release(first)).toBeUndefined();
    expect(await end(first, 200_001, true)).toBeUndefined();
    // Whoever stops it need not have claimed it.
    expect(await end(first, 200_001)).toMatchObject({ ended_at: 200_001, due_at: null, owner: null });
    expect(await release(second)).toBeUndefined();
    expect(await end(second, 200_002)).toBeUndefined();
    expect(await findOpen(database.db, ['watch'], first.id)).toBeUndefined();
  });

  it('of one kind neither hides another nor counts as it, and keeps what belongs to its kind alone', async () => {
    const database = await open();
    const { id } = await add(database, { ...sampleDigest, due_at: 1 });
    const log = await add(database, { ...sampleWatch, due_at: 2 });
    const handed = await add(database, sampleHandedOn);
    expect(await claim(database, 'watch', 100_000)).toMatchObject([{ id: log.id, match: null }]);
    expect(await countWaiting(database.db, 'watch')).toBe(1);
    expect(await claim(database, 'digest', 100_000)).toMatchObject([{ id, sites: '[]' }]);
    expect(await claim(database, 'digest', 100_000)).toEqual([]);
    expect(await listOpen(database.db, ['watch', 'digest'], { limit: 9 })).toMatchObject([{ id }, { id: log.id }]);
    expect(await findOpen(database.db, ['queue', 'hand_on'], log.id)).toBeUndefined();
    expect(await findHandedOn(database.db, 'h')).toEqual(handed);
  });

  it('is counted by who asked for it since when, and stays a while after its end', async () => {
    const database = await open();
    const [row, day] = [await add(database, sampleHandedOn), 86_400_000];
    const count = (requesters: string[], since: number) => countWaiting(database.db, 'hand_on', { requesters, since });
    const used = { used_by: 'U2', change: 7 };
    const ended = await database.transaction((tx) => endWaiting(tx, row, 20, { patch: used }));
    expect(ended).toEqual({ ...row, ...used, ended_at: 20, due_at: null });
    expect([await count(['U1'], 9), await count(['U1'], 10), await count(['U2'], 0)]).toEqual([1, 0, 0]);
    await database.transaction((tx) => forgetWaiting(tx, 30 * day + 20));
    expect(await findHandedOn(database.db, 'h')).toEqual(ended);
    await database.transaction((tx) => forgetWaiting(tx, 30 * day + 21));
    expect(await findHandedOn(database.db, 'h')).toBeUndefined();
  });
});

// PostgreSQL plans by statistics, SQLite by the columns of its indexes alone.
test.each([
  [`kind = 'queue' and due_at <= 1 order by due_at, id`, 'waiting_due'],
  [`kind = 'watch' and tried_at > 1`, 'waiting_tried'],
  [`kind in ('watch', 'digest') and ended_at is null order by created_at, id`, 'waiting_open'],
  [`kind = 'hand_on' and requester in ('U1', 'U2') and created_at > 1`, 'waiting_of_requester'],
])('what waits and is %s is found without reading all that has ended', async (condition, index) => {
  await using database = await openDatabase('sqlite::memory:').then(({ db }) => db);
  const plan = sql.raw<{ detail: string }>(`explain query plan select id from waiting where ${condition}`);
  expect((await plan.execute(database)).rows[0]?.detail).toContain(` ${index} (`);
});
