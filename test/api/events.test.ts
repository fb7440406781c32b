import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEventHub, type EventHub } from '../../src/api/events.ts';
import { appendAudit } from '../../src/storage/audit.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { patienceMs } from '../patience.ts';

let database: Database;
let hub: EventHub;
const onTrouble = (error: unknown): never => {
  throw error;
};
beforeEach(async () => {
  database = await openDatabase('sqlite::memory:');
  hub = createEventHub(database, onTrouble);
});
afterEach(async () => {
  await hub.stop();
  await database.close();
});

const happens = (change: number): Promise<unknown> =>
  database.transaction((tx) =>
    appendAudit(tx, { at: 1, change, event: 'waiting', actor: 'sitehand', details: '{}' }, undefined),
  );

test('what comes before the first look is told', async () => {
  const reader = hub.follow(1);
  await happens(1);
  hub.start();
  expect(await reader.next(patienceMs)).toBe(true);
});

test('each reader of a change is told, also if one that has ended ends again', async () => {
  const gone = hub.follow(1);
  gone.end();
  const [one, other, elsewhere] = [hub.follow(1), hub.follow(1), hub.follow(2)];
  gone.end();
  hub.start();
  // Of the first look, everybody hears.
  await Promise.all([one, other, elsewhere].map(({ next }) => next(patienceMs)));
  await happens(1);
  expect(await Promise.all([one, other].map(({ next }) => next(patienceMs)))).toEqual([true, true]);
  expect(await elsewhere.next(0)).toBe(false);
  await hub.stop();
  expect(await other.next(patienceMs)).toBeUndefined();
});
