import { array, assert, boolean, constantFrom, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimDue } from '../../src/storage/changes.ts';
import { inTurn } from '../../src/storage/lease.ts';
import { claimMessages, enqueueMessage } from '../../src/storage/messages.ts';
import { claimTimers, setTimer } from '../../src/storage/timers.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

/** Fair turns between a person with many rows and one with few. */

describe('turns among rows that are due', () => {
  type Row = { readonly whose: string; readonly at: number; readonly first?: true };
  const rowsOf = (line: string): readonly Row[] =>
    line.split(' ').map((word, at) => ({ whose: word.slice(0, 1), at, ...(word.endsWith('!') && { first: true }) }));
  const whose = (row: Row): string => row.whose;
  const isFirst = (row: Row): boolean => row.first === true;

  it.each([
    ['one person has all rows', 'a a a', {}, '0 1 2'],
    ['two people take turns, the one with fewer rows first', 'a a a b b', {}, '3 0 4 1 2'],
    ['urgent rows come first, also in turns', 'a a b c! a! a!', {}, '3 4 5 2 0 1'],
    ['rows in progress count as turns already taken', 'a a b b', { a: 1 }, '2 0 3 1'],
    ['nobody gets more than their share', 'a a a a b', { a: 1 }, '4 0 1', 3],
    ['a person whose share is in progress gets nothing', 'a a b', { a: 3 }, '2', 3],
  ] satisfies [string, string, Record<string, number>, string, number?][])(
    '%s',
    (_, line, underWay, expected, maxEach = Infinity) => {
      const shares = { underWay: new Map(Object.entries(underWay)), maxEach };
      const turns = inTurn(rowsOf(line), { whose, isFirst, ...shares });
      expect(turns.map(({ at }) => at).join(' ')).toBe(expected);
    },
  );

  it('never loses, doubles or invents a row', () => {
    const rows = array(record({ whose: constantFrom('a', 'b', 'c'), first: boolean() }), { maxLength: 40 });
    assert(
      property(rows, (all) => {
        const turns = inTurn(all, { whose: (row) => row.whose, isFirst: (row) => row.first });
        expect(turns.length).toBe(all.length);
        expect(new Set(turns)).toEqual(new Set(all));
      }),
    );
  });
});

const aTimer = {
  target_key: 'environment:e1',
  target: '{}',
  addresses: '[]',
  may_empty: 0,
  requester_name: 'Ana',
  requester_team: 'T1',
  channel: 'C1',
};

describeBoth('fair turns', (open) => {
  const busy = async () => {
    const database = await open({ now: () => 1_000 });
    const numbers: Record<string, number[]> = { U1: [], U2: [] };
    for (const requester of ['U1', 'U1', 'U1', 'U1', 'U1', 'U2', 'U2']) {
      const { number } = await save(database, { requester, state: 'approved', due_at: 10 });
      numbers[requester]?.push(number);
    }
    return { database, of: (requester: string, at: number) => numbers[requester]?.[at] ?? 0 };
  };
  const wanted = { owner: 'a', now: 1_000, leaseMs: 10, limit: 4 };

  it('two requesters take turns, the one with less work first', async () => {
    const { database, of } = await busy();
    const claim = () => database.transaction(async (tx) => (await claimDue(tx, wanted)).map(({ number }) => number));
    expect(await claim()).toEqual([of('U2', 0), of('U1', 0), of('U2', 1), of('U1', 1)]);
    expect(await claim()).toEqual([of('U1', 2), of('U1', 3), of('U1', 4)]);
    expect(await claim()).toEqual([]);
  });

  it('a person with nothing in progress comes before those who have, however much of theirs is due', async () => {
    const database = await open({ now: () => 1_000 });
    for (const requester of ['U1', 'U2', 'U3'])
      for (let count = 0; count < 26; count += 1) await save(database, { requester, state: 'approved', due_at: 10 });
    const { number } = await save(database, { requester: 'U4', state: 'approved', due_at: 20 });
    const underWay = new Map([
      ['U1', 5],
      ['U2', 5],
      ['U3', 6],
    ]);
    const claimed = await database.transaction((tx) => claimDue(tx, { ...wanted, limit: 1 }, { underWay, maxEach: 6 }));
    expect(claimed.map((one) => one.number)).toEqual([number]);
  });

  it('a person whose share is in progress does not block others, however much of theirs is due', async () => {
    const database = await open({ now: () => 1_000 });
    for (let count = 0; count < 70; count += 1)
      await save(database, { requester: 'U1', state: 'approved', due_at: 10 });
    const { number } = await save(database, { requester: 'U2', state: 'approved', due_at: 20 });
    const shares = { underWay: new Map([['U1', 3]]), maxEach: 3 };
    const claimed = await database.transaction((tx) => claimDue(tx, wanted, shares));
    expect(claimed.map((one) => one.number)).toEqual([number]);
  });

  it('several ids of one person have one share, the longest overdue first', async () => {
    const database = await open({ now: () => 1_000 });
    const saved = async (requester: string, due_at: number): Promise<number> =>
      (await save(database, { requester, state: 'approved', due_at })).number;
    const [second, first] = [await saved('U1', 30), await saved('U9', 20)];
    for (let count = 0; count < 30; count += 1) await saved('U1', 40);
    const other = await saved('U2', 50);
    const idsOf = (id: string): readonly string[] => (id === 'U2' ? [id] : ['U1', 'U9']);
    const claim = (underWay: Readonly<Record<string, number>>, maxEach: number) =>
      database.transaction(async (tx) => {
        const shares = { underWay: new Map(Object.entries(underWay)), maxEach, idsOf };
        return (await claimDue(tx, wanted, shares)).map(({ number }) => number);
      });
    expect(await claim({ U1: 2, U9: 1 }, 3)).toEqual([other]);
    expect(await claim({ U9: 1 }, 3)).toEqual([first, second]);
  });

  it('for ending access, nobody gets more than their share or blocks others, however much of theirs is due', async () => {
    const database = await open({ now: () => 1_000 });
    const set = async (requester: string, ends_at: number): Promise<void> => {
      const { number } = await save(database, { requester: requester });
      await database.transaction((tx) => setTimer(tx, { ...aTimer, change: number, requester, ends_at }));
    };
    for (let count = 0; count < 30; count += 1) await set(count % 2 === 0 ? 'U1' : 'U9', 10);
    await set('U2', 20);
    const idsOf = (id: string): readonly string[] => (id === 'U2' ? [id] : ['U1', 'U9']);
    const claim = (underWay: Readonly<Record<string, number>>) =>
      database.transaction(async (tx) => {
        const shares = { underWay: new Map(Object.entries(underWay)), maxEach: 2, idsOf };
        return (await claimTimers(tx, wanted, shares)).map(({ requester }) => requester === 'U2');
      });
    expect(await claim({})).toEqual([false, false]);
    expect(await claim({ U9: 1 })).toEqual([true, false]);
    expect(await claim({ U1: 1, U9: 1, U2: 1 })).toEqual([]);
  });

  it('a person whose message was posted recently waits for the others, with any of their ids', async () => {
    const database = await open({ now: () => 1_000 });
    const pending = ['U1', 'U9', 'U2'];
    await database.transaction(async (tx) => {
      for (const recipient of pending)
        await enqueueMessage(tx, {
          key: `to ${recipient}`,
          kind: 'direct',
          recipient,
          about: null,
          body: '{}',
          at: 10,
        });
    });
    const idsOf = (id: string): readonly string[] => (id === 'U2' ? [id] : ['U1', 'U9']);
    const served = new Map([['U9', 900]]);
    const claimed = await database.transaction((tx) => claimMessages(tx, { ...wanted, limit: 9 }, served, idsOf));
    expect(claimed.map(({ recipient }) => recipient)).toEqual(['U2', 'U1', 'U9']);
  });

  it('new requests for a decision come before any number of edits of decided ones', async () => {
    const database = await open({ now: () => 1_000 });
    const claimed = await database.transaction(async (tx) => {
      for (let edit = 1; edit <= 30; edit += 1)
        await enqueueMessage(tx, {
          key: `edit ${edit}`,
          kind: 'direct',
          recipient: 'U1',
          about: null,
          body: '{}',
          decides: true,
          at: 10,
        });
      await tx.updateTable('messages').set({ channel: 'C1', ts: '1.0' }).execute();
      await enqueueMessage(tx, {
        key: 'new',
        kind: 'direct',
        recipient: 'U2',
        about: null,
        body: '{}',
        decides: true,
        at: 20,
      });
      return claimMessages(tx, { ...wanted, limit: 9 });
    });
    expect(claimed.map(({ key }) => key).indexOf('new')).toBe(0);
  });

  it('requests for a decision come first, then cards before replies, in turns', async () => {
    const { database, of } = await busy();
    const waiting = await save(database, { requester: 'U1', state: 'waiting' });
    await database.transaction(async (tx) => {
      for (const change of [of('U1', 0), of('U1', 1), of('U2', 0), waiting.number])
        await enqueueMessage(tx, { key: `${change}:card`, kind: 'card', change, at: 10 });
      await enqueueMessage(tx, { key: 'a notice', kind: 'ops', body: '{}', at: 20 });
    });
    const claimed = await database.transaction((tx) => claimMessages(tx, { ...wanted, limit: 9 }));
    expect(claimed.map(({ key }) => key)).toEqual([
      `${waiting.number}:card`,
      `${of('U2', 0)}:card`,
      'a notice',
      `${of('U1', 0)}:card`,
      `${of('U1', 1)}:card`,
    ]);
  });
});
