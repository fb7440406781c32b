import { expect, it } from 'vitest';
import { createChangeStore, LockHeld } from '../../src/pipeline/changes/change-store.ts';
import { listLocks } from '../../src/storage/locks.ts';
import { domainLocks } from '../../src/storage/migrations/domain-locks.ts';
import { describeBoth } from '../storage/both.ts';
import { sample, save } from '../storage/samples.ts';
import { changeOf } from './given.ts';

const named = (id: string) => ({ kind: 'domain', id, name: 'Acme.example' });
const of = (id: string) => ({ target: `domain:${id}`, targets: JSON.stringify([named(id)]) });

describeBoth('the lock of a domain', (open) => {
  it('promise 1: is the same by whichever id the host lists it now', async () => {
    const database = await open();
    const changeStore = createChangeStore({ auditKey: undefined, installation: 'f00d', onEvent: () => undefined });
    const begin = (id: string) => {
      const row = { ...sample, ...of(id), card: changeOf().card, state: 'approved', risk: 'sensitive' } as const;
      return database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: 1 }));
    };
    await begin('d1');
    const second = begin('d2');
    await expect(second).rejects.toThrow(LockHeld);
    await expect(second).rejects.toMatchObject({ target: 'Acme.example' });
  });

  it('that an older Sitehand took by its id is found by its name, and the locks of others stay as they are', async () => {
    const database = await open();
    const changes = [await save(database, of('d1')), await save(database, of('d2'))];
    const locks = [
      { target: 'domain:d1', change: changes[0]?.number, since: 1 },
      { target: 'domain:d2', change: changes[1]?.number, since: 2 },
      { target: 'environment:e1', change: changes[0]?.number, since: 3 },
    ];
    for (const { target, change = null, since } of locks)
      await database.db
        .insertInto('locks')
        .values({ target, change, person: null, reason: '', taken_at: since, until: null })
        .execute();
    await database.transaction(domainLocks);
    const found = (await listLocks(database.db, 9, 9)).map(({ target }) => target);
    expect(found.toSorted()).toEqual(['domain:acme.example', 'environment:e1']);
  });
});
