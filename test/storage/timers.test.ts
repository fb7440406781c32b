import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { removeKv, writeKv } from '../../src/storage/kv.ts';
import {
  changeTimer,
  claimTimers,
  listTimers,
  noteTimer,
  openTimers,
  setTimer,
  timerOf,
  type NewTimer,
  type Timer,
} from '../../src/storage/timers.ts';
import { oldestDue } from '../../src/storage/open-work.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

const timer: NewTimer = {
  change: 1,
  target_key: 'environment:e1',
  target: '{"kind":"environment","id":"e1"}',
  addresses: '["198.51.100.4","198.51.100.5"]',
  may_empty: 0,
  requester: 'U1',
  requester_name: 'Ana',
  requester_team: 'T1',
  channel: 'C1',
  ends_at: 50,
};

describeBoth('timers', (open) => {
  const set = (database: Database, more: Partial<NewTimer> = {}): Promise<Timer> =>
    database.transaction((tx) => setTimer(tx, { ...timer, ...more }));
  const claim = (database: Database, now: number, owner = 'a') =>
    database.transaction((tx) => claimTimers(tx, { owner, now, leaseMs: 10, limit: 9 }));
  const note = (
    database: Database,
    ...of: Parameters<typeof noteTimer> extends [unknown, ...infer Rest] ? Rest : never
  ) => database.transaction((tx) => noteTimer(tx, ...of));

  it('are claimed when the access ends, and given back until they are due again', async () => {
    const database = await open();
    await save(database);
    const { id } = await set(database);
    expect(await claim(database, 49)).toEqual([]);
    const [mine] = await claim(database, 50);
    expect(mine).toMatchObject({ id, owner: 'a', lease_until: 60, attempts: 0, due_at: 50 });
    if (mine === undefined) throw new Error('nothing was claimed');
    expect(await note(database, mine, 70, { attempts: 1 })).toMatchObject({ attempts: 1, due_at: 70, owner: null });
    expect(await claim(database, 69)).toEqual([]);
    expect(await claim(database, 70)).toHaveLength(1);
  });

  it('are updated only by the worker that holds them, and not after they have ended or changed', async () => {
    const database = await open();
    await save(database);
    await set(database);
    const [first] = await claim(database, 50);
    const [second] = await claim(database, 61, 'b');
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    expect(await note(database, first, 70)).toBeUndefined();
    await database.transaction((tx) => changeTimer(tx, second.id, { addresses: '["198.51.100.5"]' }));
    expect(await note(database, second, 70)).toBeUndefined();
    expect(await timerOf(database.db, 1)).toMatchObject({ addresses: '["198.51.100.5"]', owner: null, due_at: 50 });
    const [third] = await claim(database, 62);
    if (third === undefined) throw new Error('nothing was claimed');
    await database.transaction((tx) => changeTimer(tx, third.id, { end_reason: 'kept', at: 63 }));
    expect(await note(database, third, 70)).toBeUndefined();
    expect(await timerOf(database.db, 1)).toMatchObject({ end_reason: 'kept', ended_at: 63, due_at: null });
    await database.transaction((tx) => changeTimer(tx, third.id, { end_reason: 'gone', at: 64 }));
    expect(await timerOf(database.db, 1)).toMatchObject({ end_reason: 'kept', ended_at: 63 });
    expect(await claim(database, 999)).toEqual([]);
  });

  it('wait while all sending is paused, except for reminders, and do not count as overdue', async () => {
    const database = await open();
    await save(database);
    await save(database);
    await set(database);
    const { id } = await set(database, { change: 2, ends_at: 40 });
    const [reminding] = await claim(database, 45);
    if (reminding === undefined) throw new Error('nothing was claimed');
    await note(database, reminding, 46, { gave_up_at: 45 });
    await database.transaction((tx) => writeKv(tx, { key: 'pause', value: '{}', at: 1 }));
    expect(await oldestDue(database.db, 100)).toBe(46);
    expect((await claim(database, 100)).map((one) => one.id)).toEqual([id]);
    await database.transaction((tx) => removeKv(tx, 'pause'));
    expect(await oldestDue(database.db, 100)).toBe(46);
    expect((await claim(database, 100)).map(({ change }) => change)).toEqual([1]);
  });

  it('are listed by their end, optionally for one target, until they have ended', async () => {
    const database = await open();
    for (let change = 1; change <= 3; change += 1) await save(database);
    const { id } = await set(database, { change: 1, ends_at: 300 });
    await set(database, { change: 2, ends_at: 100, target_key: 'environment:e2' });
    await set(database, { change: 3, ends_at: 200 });
    const changes = async (...of: readonly [number, string?]) =>
      (await listTimers(database.db, ...of)).map((one) => one.change);
    expect(await changes(9)).toEqual([2, 3, 1]);
    expect(await changes(2)).toEqual([2, 3]);
    expect(await changes(9, 'environment:e1')).toEqual([3, 1]);
    expect((await openTimers(database.db, 'environment:e1')).map((one) => one.change)).toEqual([1, 3]);
    await database.transaction((tx) => changeTimer(tx, id, { end_reason: 'removed', at: 5 }));
    expect(await changes(9, 'environment:e1')).toEqual([3]);
    expect(await openTimers(database.db, 'environment:e1')).toHaveLength(1);
  });
});
