import { expect, it } from 'vitest';
import {
  ANSWERS_PER_PERSON,
  expireAnswers,
  findAnswer,
  putAnswers,
  takeAnswer,
  type Answer,
} from '../../src/storage/answers.ts';
import type { Database } from '../../src/storage/database.ts';
import { becameChange, claimTimers, postponeTimer, setTimer, timersOf } from '../../src/storage/timers.ts';
import { describeBoth } from './both.ts';
import { save } from './samples.ts';

const words = '["allowlist","remove","e1","198.51.100.4"]';

describeBoth('timers', (open) => {
  const claim = (database: Database, now: number) =>
    database.transaction((tx) => claimTimers(tx, { owner: 'a', now, leaseMs: 10, limit: 9 }));

  it('are claimed when they have run out, and look after the change they became', async () => {
    const database = await open();
    await save(database);
    await save(database);
    const timer = await database.transaction((tx) => setTimer(tx, { change: 1, words, due_at: 50 }));
    expect(await claim(database, 49)).toEqual([]);
    expect(await claim(database, 50)).toMatchObject([{ id: timer.id, words, owner: 'a', lease_until: 60 }]);
    await database.transaction((tx) => becameChange(tx, timer.id, 2, 70));
    expect(await claim(database, 69)).toEqual([]);
    expect(await timersOf(database.db, 1)).toMatchObject([{ became: 2, due_at: 70, owner: null }]);
    expect(await claim(database, 70)).toMatchObject([{ id: timer.id, became: 2 }]);
  });

  it('are tried again later, or no more', async () => {
    const database = await open();
    await save(database);
    const { id } = await database.transaction((tx) => setTimer(tx, { change: 1, words, due_at: 50 }));
    const postpone = (dueAt: number | null) => database.transaction((tx) => postponeTimer(tx, id, dueAt));
    await claim(database, 50);
    await postpone(70);
    expect(await claim(database, 69)).toEqual([]);
    expect(await claim(database, 70)).toMatchObject([{ tries: 1 }]);
    await postpone(null);
    expect(await claim(database, 999)).toEqual([]);
    expect(await timersOf(database.db, 1)).toMatchObject([{ tries: 2, became: null }]);
  });
});

describeBoth('answers', (open) => {
  const answer: Answer = { id: 'a1', person: 'U1', kind: 'page', content: '{}', created_at: 1, expires_at: 100 };
  const put = (database: Database, ...answers: readonly Answer[]) =>
    database.transaction((tx) => putAnswers(tx, answers));

  it('are found until they expire, and then removed', async () => {
    const database = await open();
    await put(database, answer, { ...answer, id: 'a2', expires_at: 101 });
    expect(await findAnswer(database.db, 'a1', 99)).toEqual(answer);
    expect(await findAnswer(database.db, 'a1', 100)).toBeUndefined();
    await database.transaction((tx) => expireAnswers(tx, 100));
    expect(await findAnswer(database.db, 'a1', 0)).toBeUndefined();
    expect(await findAnswer(database.db, 'a2', 0)).toBeDefined();
  });

  it('are taken by one of two clicks', async () => {
    const database = await open();
    const replica = await database.again();
    await put(database, answer);
    const taken = await Promise.all(
      [database, replica, database].map((one) => one.transaction((tx) => takeAnswer(tx, 'a1', 5))),
    );
    expect(taken.filter((one) => one !== undefined)).toEqual([answer]);
    await put(database, answer);
    expect(await database.transaction((tx) => takeAnswer(tx, 'a1', 100))).toBeUndefined();
  });

  it('are so many a person and so long, and no more', async () => {
    const database = await open();
    const many = Array.from({ length: ANSWERS_PER_PERSON + 2 }, (_, at) => ({
      ...answer,
      id: `a${at}`,
      created_at: at,
    }));
    await put(database, { ...answer, id: 'other', person: 'U2', created_at: 0 }, ...many);
    const left = await database.db.selectFrom('answers').select('id').orderBy('created_at').execute();
    expect(left.map(({ id }) => id)).toEqual(['other', ...many.slice(2).map(({ id }) => id)]);
  });
});
