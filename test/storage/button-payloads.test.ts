import { expect, it } from 'vitest';
import { expirePayloads, findPayload, putPayloads, type ButtonPayload } from '../../src/storage/button-payloads.ts';
import type { Database } from '../../src/storage/database.ts';
import { describeBoth } from './describe-both.ts';

describeBoth('button payloads', (open) => {
  const payload: ButtonPayload = {
    id: 'a1',
    person: 'U1',
    kind: 'page',
    content: '{}',
    created_at: 1,
    expires_at: 100,
  };
  const put = (database: Database, ...payloads: readonly ButtonPayload[]) =>
    database.transaction((tx) => putPayloads(tx, payloads, 3));

  it('are found until they expire, and then removed', async () => {
    const database = await open();
    await put(database, payload, { ...payload, id: 'a2', expires_at: 101 });
    expect(await findPayload(database.db, 'a1', 99)).toEqual(payload);
    expect(await findPayload(database.db, 'a1', 100)).toBeUndefined();
    await database.transaction((tx) => expirePayloads(tx, 100));
    expect(await findPayload(database.db, 'a1', 0)).toBeUndefined();
    expect(await findPayload(database.db, 'a2', 0)).toBeDefined();
  });

  it('are kept up to a number per person, the newest ones', async () => {
    const database = await open();
    const many = Array.from({ length: 5 }, (_, at) => ({
      ...payload,
      id: `a${at}`,
      created_at: at,
    }));
    await put(database, { ...payload, id: 'other', person: 'U2', created_at: 0 }, ...many);
    const left = await database.db.selectFrom('button_payloads').select('id').orderBy('created_at').execute();
    expect(left.map(({ id }) => id)).toEqual(['other', ...many.slice(2).map(({ id }) => id)]);
  });
});
