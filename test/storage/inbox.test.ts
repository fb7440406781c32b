import { expect, it } from 'vitest';
import {
  abandoned,
  closeInbox,
  maxContent,
  forgetInbox,
  receive,
  renewInbox,
  wipeInbox,
  type InboxRow,
} from '../../src/storage/inbox.ts';
import { describeBoth } from './describe-both.ts';

const row: Omit<InboxRow, 'closed_at'> = {
  key: 'k1',
  kind: 'command',
  person: 'U1',
  channel: 'C1',
  content: '{"words":"push"}',
  owner: 'a',
  lease_until: 100,
  received_at: 10,
};

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describeBoth('the inbox', (open) => {
  it('accepts one of many equal deliveries', async () => {
    const database = await open();
    const replica = await database.again();
    const deliver = (by: number) => (by % 2 === 0 ? database : replica).transaction((tx) => receive(tx, row));
    const results = await Promise.all(times(10, deliver));
    expect(results.filter((one) => one === 'new')).toHaveLength(1);
    expect(results.filter((one) => one === 'seen')).toHaveLength(9);
  });

  it('is closed by one of many, which alone may act; it then keeps the key but not the content', async () => {
    const database = await open();
    const replica = await database.again();
    await database.transaction((tx) => receive(tx, row));
    const close = (by: number) => (by % 2 === 0 ? database : replica).transaction((tx) => closeInbox(tx, 'k1', 20));
    expect((await Promise.all(times(10, close))).filter(Boolean)).toHaveLength(1);
    expect(await database.db.selectFrom('inbox').selectAll().execute()).toEqual([
      { ...row, content: null, closed_at: 20 },
    ]);
    expect(await database.transaction((tx) => receive(tx, row))).toBe('seen');
    expect(await database.transaction((tx) => closeInbox(tx, 'unknown', 20))).toBe(false);
  });

  it('reopens a delivery if the transaction that closed it fails', async () => {
    const database = await open();
    await database.transaction((tx) => receive(tx, row));
    const work = database.transaction(async (tx) => {
      await closeInbox(tx, 'k1', 20);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await database.transaction((tx) => closeInbox(tx, 'k1', 20))).toBe(true);
  });

  it('lists interrupted deliveries until they are renewed or closed', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      await receive(tx, row);
      await receive(tx, { ...row, key: 'k2', lease_until: 90 });
      await receive(tx, { ...row, key: 'k3', lease_until: 101 });
    });
    const left = async (now: number) => (await abandoned(database.db, now)).map(({ key }) => key);
    const renew = (key: string, owner: string) => database.transaction((tx) => renewInbox(tx, key, owner, 200));
    expect(await left(100)).toEqual(['k2', 'k1']);
    expect(await renew('k1', 'b')).toBe(false);
    expect(await renew('k1', 'a')).toBe(true);
    expect(await database.transaction((tx) => closeInbox(tx, 'k2', 100))).toBe(true);
    expect(await renew('k2', 'a')).toBe(false);
    expect(await left(101)).toEqual(['k3']);
  });

  it('removes the content after a while, and closed deliveries later', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (const [at, key] of ['k1', 'k2', 'k3'].entries()) await receive(tx, { ...row, key, received_at: at });
      await closeInbox(tx, 'k1', 5);
      await wipeInbox(tx, 2);
    });
    const rows = () => database.db.selectFrom('inbox').select(['key', 'content']).orderBy('key').execute();
    expect(await rows()).toEqual([
      { key: 'k1', content: null },
      { key: 'k2', content: null },
      { key: 'k3', content: row.content },
    ]);
    expect(await database.transaction((tx) => forgetInbox(tx, 9))).toBe(1);
    expect((await rows()).map(({ key }) => key)).toEqual(['k2', 'k3']);
  });

  it('refuses a delivery that is too long to be kept', async () => {
    const database = await open();
    const deliver = (length: number) =>
      database.transaction((tx) => receive(tx, { ...row, content: 'x'.repeat(length) }));
    await expect(deliver(maxContent + 1)).rejects.toThrow(RangeError);
    expect(await deliver(maxContent)).toBe('new');
  });
});
