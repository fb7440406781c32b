import { expect, it } from 'vitest';
import { smallIds } from '../../src/storage/migrations/small-ids.ts';
import { findChange } from '../../src/storage/changes.ts';
import { heldLock, listLocks, takeLocks } from '../../src/storage/locks.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { openTimers, setTimer } from '../../src/storage/timers.ts';
import { describeBoth } from './both.ts';
import { save } from './samples.ts';

const id = (first: string): string => `${first}-0000-4000-8000-00000000000F`;
const small = (first: string): string => id(first).toLowerCase();
const target = (id: string): object => ({
  kind: 'environment',
  id,
  name: 'Acme "Shop"/LIVE',
  site: { id, name: '"id":"0000000A-0000-4000-8000-00000000000F"' },
});

describeBoth('ids of an older Sitehand', (open) => {
  it('are in small letters from then on, and nothing else is', async () => {
    const database = await open();
    const asked = id('0000000A');
    const frozen = JSON.stringify({ path: `/sites/environments/${asked}` });
    const row = {
      target: `environment:${asked}`,
      targets: JSON.stringify([target(asked)]),
      call: frozen,
      card: frozen,
    };
    const { number } = await save(database, row);
    const other = await save(database, {
      target: 'company',
      targets: '[{"kind":"company","id":"x","name":"The Company"}]',
    });
    await database.transaction(async (tx) => {
      await setTimer(tx, {
        change: number,
        target_key: row.target,
        target: JSON.stringify(target(asked)),
        addresses: '[]',
        may_empty: 0,
        requester: 'U1',
        requester_name: 'Ana',
        requester_team: 'T1',
        channel: 'C1',
        ends_at: 5,
      });
      const binding = { site: asked, name: 'Acme', by: 'U1' };
      await writeKv(tx, { key: 'channel_site:C1', value: JSON.stringify(binding), at: 1 });
      await writeKv(tx, { key: 'pause', value: JSON.stringify({ id: asked }), at: 1 });
      await smallIds(tx);
    });
    const targets = JSON.stringify([target(small('0000000A'))]);
    const after = { ...row, target: `environment:${small('0000000A')}`, targets };
    expect(await findChange(database.db, number)).toMatchObject(after);
    expect(await findChange(database.db, other.number)).toEqual(other);
    const [timer] = await openTimers(database.db, after.target);
    expect(timer).toMatchObject({ change: number, target: JSON.stringify(target(small('0000000A'))) });
    const settings = await Promise.all(['channel_site:C1', 'pause'].map((key) => readKv(database.db, key)));
    expect(settings.map((one) => one?.value)).toEqual([
      JSON.stringify({ site: small('0000000A'), name: 'Acme', by: 'U1' }),
      JSON.stringify({ id: asked }),
    ]);
  });

  it.each([
    ['the one without an end', 50, undefined],
    ['the one that ends later', 50, 60],
  ])('promise 1: where two hold one target, %s stays', async (_, early, late) => {
    const database = await open();
    const key = `environment:${id('0000000B')}`;
    const until = late === undefined ? {} : { until: late };
    await database.transaction(async (tx) => {
      await takeLocks(tx, [key], { person: 'U1', reason: 'stays', ...until }, 1);
      await takeLocks(tx, [key.toLowerCase()], { person: 'U2', reason: 'goes', until: early }, 1);
      await takeLocks(tx, [`environment:${id('0000000C')}`], { person: 'U3', reason: 'alone' }, 1);
      await smallIds(tx);
    });
    expect(await heldLock(database.db, key.toLowerCase(), 2)).toMatchObject({ person: 'U1', reason: 'stays' });
    const held = (await listLocks(database.db, 2, 9)).map(({ target }) => target);
    expect(held).toEqual([key.toLowerCase(), `environment:${small('0000000C')}`]);
  });
});
