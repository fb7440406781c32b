import { expect, it } from 'vitest';
import { createChangeStore, LockHeld } from '../../src/change/change-store.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { sample } from '../storage/samples.ts';
import { changeOf } from '../fixtures.ts';

const named = (id: string) => ({ kind: 'domain', id, name: 'Acme.example' });
const of = (id: string) => ({ target: `domain:${id}`, targets: JSON.stringify([named(id)]) });

describeBoth('the lock of a domain', (open) => {
  it('promise 1: is the same under each id by which the host lists it', async () => {
    const database = await open();
    const changeStore = createChangeStore({ auditKey: undefined, installation: 'f00d', onEvent: () => undefined });
    const begin = (id: string) => {
      const row = { ...sample, ...of(id), card: changeOf().card, state: 'approved', risk: 'sensitive' } as const;
      return database.transaction((tx) => changeStore.begin(tx, row, { by: 'U1', at: 1 }));
    };
    await begin('d1');
    const second = begin('d2');
    await expect(second).rejects.toThrow(LockHeld);
    await expect(second).rejects.toMatchObject({ held: { target: 'Acme.example' } });
  });
});
