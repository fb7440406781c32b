import { expect, it } from 'vitest';
import { receive, closeInbox } from '../../src/storage/inbox.ts';
import { claimMessages, enqueueMessage, releaseUntil } from '../../src/storage/messages.ts';
import { writeKv } from '../../src/storage/kv.ts';
import { insertQueued } from '../../src/storage/queue.ts';
import { countStates, oldestDue, oldestWork } from '../../src/storage/open-work.ts';
import { openStates } from '../../src/words/states.ts';
import { insertWaiting } from '../../src/storage/waiting.ts';
import { describeBoth } from './describe-both.ts';
import { sampleQueued, sampleWatch, save } from './samples.ts';

describeBoth('queues', (open) => {
  it('say since when the oldest work waits: a postponed message counts, answered or future work does not', async () => {
    const database = await open();
    const none = { timers: undefined, 'queued requests': undefined, watches: undefined };
    const nothing = { changes: undefined, messages: undefined, deliveries: undefined, ...none };
    expect(await oldestWork(database.db, 100)).toEqual(nothing);
    await save(database, { due_at: 101 });
    await save(database, { due_at: 40, state: 'approved' });
    const delivery = { kind: 'command', person: 'U1', channel: 'C1', content: '', owner: 'a', lease_until: 1 } as const;
    await database.transaction(async (tx) => {
      await receive(tx, { ...delivery, key: 'open', received_at: 60 });
      await receive(tx, { ...delivery, key: 'answered', received_at: 10 });
      await closeInbox(tx, 'answered', 61);
      await enqueueMessage(tx, { key: 'ops:x', kind: 'ops', body: '{}', at: 50 });
      const claimed = await claimMessages(tx, { owner: 'a', now: 90, leaseMs: 10, limit: 1 });
      await releaseUntil(tx, claimed, 5_000);
    });
    expect(await oldestWork(database.db, 100)).toEqual({
      changes: 40,
      messages: 50,
      deliveries: 60,
      ...none,
    });
    await database.transaction((tx) => insertWaiting(tx, { ...sampleWatch, due_at: 70 }));
    await database.transaction((tx) => insertQueued(tx, { ...sampleQueued, created_at: 80, expires_at: 95 }));
    const late = { 'queued requests': 80, watches: 70 };
    expect(await oldestWork(database.db, 90)).toMatchObject(late);
    expect(await oldestDue(database.db, 90)).toBe(40);
    await database.transaction((tx) => writeKv(tx, { key: 'pause', value: '{}', at: 1 }));
    expect(await oldestWork(database.db, 90)).toMatchObject({ ...late, 'queued requests': undefined });
    expect(await oldestWork(database.db, 95)).toMatchObject(late);
  });

  it('count changes by state until they are settled, batches too', async () => {
    const database = await open();
    await save(database, { state: 'done', settled_at: 1 });
    await save(database, { state: 'accepted', settled_at: 1 });
    expect(await countStates(database.db)).toEqual({});
    for (const state of openStates) await save(database, { state });
    await save(database, { state: 'accepted' });
    expect(await countStates(database.db)).toEqual({
      ...Object.fromEntries(openStates.map((state) => [state, 1])),
      accepted: 2,
    });
  });
});
