import { expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  maxMessageBody,
  findCard,
  claimMessages,
  markDelivered,
  findMessage,
  forgetMessages,
  giveUpMessage,
  enqueueMessage,
  retryLater,
  type Message,
  type NewMessage,
} from '../../src/storage/messages.ts';
import { redraw } from '../../src/storage/redraw.ts';
import { oldestWork } from '../../src/storage/open-work.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

const card: NewMessage = { key: '1:card', kind: 'card', change: 1, at: 1 };
const reply = (key: string, body = key): NewMessage => ({ key, kind: 'reply', change: 1, body, at: 1 });

const enqueue = (database: Database, ...messages: readonly NewMessage[]): Promise<void> =>
  database.transaction(async (tx) => {
    for (const message of messages) await enqueueMessage(tx, message);
  });

const claim = (database: Database, now = 10, owner = 'a'): Promise<Message[]> =>
  database.transaction((tx) => claimMessages(tx, { owner, now, leaseMs: 100, limit: 50 }));

const draw = (database: Database, message: Message, ts = `1.${message.id}`): Promise<boolean> =>
  database.transaction((tx) => markDelivered(tx, message, { channel: 'C1', ts }));

const keys = (messages: readonly Message[]): string[] => messages.map(({ key }) => key);

/** Claims and draws all due messages; resolves with their keys. */
async function turn(database: Database, now?: number): Promise<string[]> {
  const claimed = await claim(database, now);
  for (const message of claimed) await draw(database, message);
  return keys(claimed);
}

describeBoth('messages', (open) => {
  it('keep a thread in order: the card, then its replies one by one', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, reply('1:1'), card, reply('1:2'), reply('1:3'));
    expect([await turn(database), await turn(database), await turn(database), await turn(database)]).toEqual([
      ['1:card'],
      ['1:1'],
      ['1:2'],
      ['1:3'],
    ]);
    expect(await turn(database)).toEqual([]);
    expect(await findCard(database.db, 1)).toMatchObject({
      key: '1:card',
      channel: 'C1',
      delivered_version: 1,
      due_at: null,
    });
  });

  it('that follow their change are drawn again with it, also while they are being posted; the others stay as they are', async () => {
    const database = await open();
    const { number } = await save(database);
    const direct = (key: string, follows: boolean): NewMessage => ({
      key,
      kind: 'direct',
      change: 1,
      recipient: 'U7',
      body: key,
      at: 1,
      follows,
    });
    await enqueue(database, card, direct('posted', true), direct('static', false));
    await turn(database);
    await enqueue(database, direct('under way', true));
    const [underWay] = await claim(database);
    await database.transaction((tx) => redraw(tx, number, 20));
    if (underWay) await draw(database, underWay);
    expect((await turn(database, 30)).toSorted()).toEqual(['1:card', 'posted', 'under way']);
  });

  it('to people and the ops channel, and in threads of other changes, do not wait', async () => {
    const database = await open();
    await save(database);
    await save(database);
    await enqueue(database, reply('1:1'), { ...card, key: '2:card', change: 2 });
    await enqueue(
      database,
      { key: 'd', kind: 'direct', recipient: 'U1', about: null, at: 1 },
      { key: 'o', kind: 'ops', at: 1 },
    );
    expect(await turn(database)).toEqual(['2:card', 'o', 'd']);
  });

  it('wait for an earlier reply that is claimed or postponed, but not for one that was given up', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card, reply('1:1'), reply('1:2'));
    await turn(database);
    const [first] = await claim(database);
    if (first === undefined) throw new Error('nothing was due');
    expect(await claim(database, 11, 'b')).toEqual([]);
    await database.transaction((tx) => retryLater(tx, first, { due: 500, untold: null }));
    expect(await claim(database, 499)).toEqual([]);
    expect(await claim(database, 500)).toMatchObject([{ key: '1:1', attempts: 1 }]);
    await database.transaction((tx) => giveUpMessage(tx, first));
    expect(await turn(database, 500)).toEqual(['1:2']);
  });

  it('that get a newer version while they are tried are not put back', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card);
    const [tried] = await claim(database);
    await enqueue(database, { ...card, at: 5 });
    if (tried === undefined) throw new Error('nothing was due');
    expect(await database.transaction((tx) => retryLater(tx, tried, { due: 500, untold: 10 }))).toBe(false);
    expect(await claim(database)).toMatchObject([{ key: '1:card', attempts: 0, untold_at: null }]);
  });

  it('do not wait for a card or a reply that is reported as untold, and nobody is alarmed by those', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card, reply('1:1'), reply('1:2'));
    for (const key of ['1:card', '1:1']) {
      const [first] = await claim(database);
      expect(first?.key).toBe(key);
      if (first) await database.transaction((tx) => retryLater(tx, first, { due: 500, untold: 10 }));
    }
    expect(await turn(database)).toEqual(['1:2']);
    expect((await oldestWork(database.db, 1_000)).messages).toBeUndefined();
    await enqueue(database, card);
    expect((await oldestWork(database.db, 1_000)).messages).toBeDefined();
  });

  it('are where their last claimer posted them: a worker that lost its claim saves nothing', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card);
    const [asleep] = await claim(database, 10, 'asleep');
    const [other] = await claim(database, 500, 'other');
    if (asleep === undefined || other === undefined) throw new Error('nothing was due');
    expect(await draw(database, other, '1.2')).toBe(true);
    expect(await draw(database, asleep, '1.1')).toBe(false);
    await database.transaction((tx) => retryLater(tx, asleep, { due: 1, untold: null }));
    await database.transaction((tx) => giveUpMessage(tx, asleep));
    expect(await findCard(database.db, 1)).toMatchObject({ ts: '1.2', due_at: null, attempts: 0 });
  });

  it('that are posted are edited at once, even if earlier ones wait', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card, reply('1:running'));
    await turn(database);
    await turn(database);
    await enqueue(database, reply('1:2'), reply('1:3'), reply('1:running', 'for 2 min'));
    const claimed = await claim(database);
    expect(claimed).toMatchObject([
      { key: '1:2', ts: null },
      { key: '1:running', version: 2, delivered_version: 1, body: 'for 2 min' },
    ]);
  });

  it('that change while they are drawn stay due, with the newest body', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, { ...card, body: 'old' });
    const [seen] = await claim(database);
    if (seen === undefined) throw new Error('nothing was due');
    await enqueue(database, { ...card, body: 'new', at: 11 });
    expect(await claim(database, 12, 'b')).toEqual([]);
    await draw(database, seen);
    const [newest] = await claim(database, 12, 'b');
    if (newest === undefined) throw new Error('nothing was due');
    expect(newest).toMatchObject({ version: 2, delivered_version: 1, body: 'new', owner: 'b' });
    await draw(database, newest);
    expect(await draw(database, seen)).toBe(false);
    expect(await findMessage(database.db, '1:card')).toMatchObject({ delivered_version: 2, due_at: null, owner: null });
  });

  it('are claimed again when the worker that drew them died', async () => {
    const database = await open();
    await enqueue(database, { key: 'o', kind: 'ops', at: 1 });
    expect(keys(await claim(database, 10))).toEqual(['o']);
    expect(keys(await claim(database, 109, 'b'))).toEqual([]);
    expect(keys(await claim(database, 110, 'b'))).toEqual(['o']);
  });

  it('go to one of two replicas', async () => {
    const database = await open();
    const replica = await database.again();
    await enqueue(
      database,
      ...Array.from({ length: 30 }, (_, at): NewMessage => ({ key: `${at}`, kind: 'ops', at: 1 })),
    );
    const claimed = await Promise.all(
      [database, replica, database, replica].map((one, by) => claim(one, 10, `w${by}`)),
    );
    const again = await claim(database, 10, 'last');
    expect(keys([...claimed.flat(), ...again]).toSorted()).toEqual(
      Array.from({ length: 30 }, (_, at) => `${at}`).toSorted(),
    );
  });

  it('refuse a body too long to be kept', async () => {
    const database = await open();
    await expect(
      enqueue(database, { key: 'o', kind: 'ops', body: 'x'.repeat(maxMessageBody + 1), at: 1 }),
    ).rejects.toThrow(RangeError);
  });

  it('are removed when they are old and drawn; cards and pending ones are not', async () => {
    const database = await open();
    await save(database);
    await enqueue(database, card, reply('1:1'), reply('1:2'), { key: 'new', kind: 'ops', at: 50 });
    await turn(database);
    await turn(database);
    await turn(database, 50);
    await enqueue(database, reply('1:2', 'edited'));
    expect(await database.transaction((tx) => forgetMessages(tx, 50))).toBe(1);
    const left = await database.db.selectFrom('messages').select('key').orderBy('key').execute();
    expect(left.map(({ key }) => key)).toEqual(['1:2', '1:card', 'new']);
  });
});
