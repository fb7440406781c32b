import { expect, it } from 'vitest';
import { keepReadings, keptReadings } from '../../src/change/site-readings.ts';
import { sweep } from '../../src/post/housekeeping.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { describeBoth } from '../storage/describe-both.ts';

const day = 86_400_000;

describeBoth('housekeeping', (open) => {
  it('deletes all old answered deliveries, however many there are, and keeps the others', async () => {
    const now = 40 * day;
    const database = await open({ now: () => now });
    const delivery = {
      kind: 'command',
      person: 'U1',
      channel: 'C1',
      content: null,
      owner: 'a',
      lease_until: 0,
    } as const;
    const old = Array.from({ length: 1_200 }, (_, at) => ({
      ...delivery,
      key: `old${at}`,
      received_at: 1,
      closed_at: 1,
    }));
    const kept = [
      { ...delivery, key: 'recent', received_at: now - day + 1, closed_at: now },
      { ...delivery, key: 'unanswered', received_at: 1, closed_at: null },
    ];
    await database.transaction((tx) =>
      tx
        .insertInto('inbox')
        .values([...old, ...kept])
        .execute(),
    );
    await sweep(database);
    const left = await database.db.selectFrom('inbox').select('key').orderBy('key').execute();
    expect(left.map(({ key }) => key)).toEqual(['recent', 'unanswered']);
  });

  it('deletes what was read of sites after 30 days, and nothing else of that table', async () => {
    let now = 10 * day;
    const database = await open({ now: () => now });
    const keep = (change: number) =>
      database.transaction((tx) => keepReadings(tx, change, { after: 'begun' }, { stored: undefined, at: now }));
    await keep(1);
    await database.transaction((tx) => writeKv(tx, { key: 'site checks', value: 'x', at: 1 }));
    now += day;
    await keep(2);
    now += 29 * day + 1;
    await sweep(database);
    const kept = await Promise.all([1, 2].map((change) => keptReadings(database.db, change)));
    expect(kept.map(({ readings }) => readings)).toEqual([{}, { after: 'begun' }]);
    expect(await readKv(database.db, 'site checks')).toMatchObject({ value: 'x' });
  });
});
