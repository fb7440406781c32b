import { expect, it } from 'vitest';
import { createChangeStore } from '../../src/change/change-store.ts';
import { pausing } from '../../src/decide/admin-actions.ts';
import { listAudit } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { receive } from '../../src/storage/inbox.ts';
import { pauseOf, readKv } from '../../src/storage/kv.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import { ana, changeOf, contextWith, policyOf } from '../fixtures.ts';
import { pinnedCardOf } from '../../src/change/pin.ts';
import { exclusiveTransaction } from '../../src/storage/transactions.ts';
import { pauseAfterLoss } from '../../src/send/lost-commit.ts';
import { plain, say } from '../../src/words/text.ts';

const rules = policyOf('{ allow: [read], to: everyone }');
const ben = { ...ana, id: 'U02BEN', name: 'Ben' };
const authorization = { approval: 'none', rules: [14], policy: 'p' } as const;

function actions(
  database: Database,
  person = ana,
  inbox?: string,
  mayRead = (): boolean => true,
): ReturnType<typeof pausing> {
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
  return pausing(
    contextWith({ database, changeStore, policy: () => rules, personOf: async () => undefined }),
    { person, authorization, inbox },
    { reader: () => mayRead, mayAny: () => true },
  );
}

const trail = async (database: Database) => (await listAudit(database.db, { limit: 99 })).toReversed();
const announced = async (database: Database): Promise<readonly string[]> => {
  const rows = await database.db.selectFrom('messages').selectAll().where('kind', '=', 'ops').orderBy('id').execute();
  return rows.map(({ body }) => body ?? '');
};
const { card } = changeOf();

describeBoth('a pause', (open) => {
  it('lasts from pause to resume, each announced once', async () => {
    const database = await open({ now: () => 1_000 });
    for (const state of ['approved', 'approved', 'sending', 'accepted', 'waiting', 'unknown'] as const)
      await save(database, { state, card });
    const pause = { by: ana.id, name: 'Ana', why: 'the host is odd', at: 1_000 };
    const named = [1, 2].map((number) => ({ number, title: plain(pinnedCardOf({ card }).title) }));
    const around = { held: 2, named, atHost: 2 };
    expect(await actions(database).pause('the host is odd')).toEqual({ done: true, pause, ...around });
    expect(JSON.parse((await readKv(database.db, 'pause'))?.value ?? '')).toEqual(pause);
    expect(await actions(database, ben).pause('me too')).toEqual({ done: false, pause, ...around });
    expect(await actions(database, ben).resume(undefined)).toEqual({
      ended: pause,
      left: undefined,
      other: false,
      held: 2,
      named,
    });
    expect(await readKv(database.db, 'pause')).toBeUndefined();
    expect(await actions(database, ben).resume(undefined)).toMatchObject({ ended: undefined, left: undefined });
    expect((await trail(database)).map(({ event, actor }) => [event, actor])).toEqual([
      ['pause', ana.id],
      ['resume', ben.id],
    ]);
    expect(await announced(database)).toHaveLength(2);
  });

  it.each([1, 2])(
    'of a person does not hide Sitehand’s own after %i lost commits: each ends by a resume of somebody who saw it',
    async (losses) => {
      let now = 1_000;
      const database = await open({ now: () => now });
      await actions(database).pause('night');
      const { installation } = database;
      const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
      for (now = 2_000; now < 2_000 + losses; now += 1)
        await exclusiveTransaction(database, (tx, at) =>
          pauseAfterLoss({ changeStore }, tx, at, { key: `lost${at}`, says: say`It was promoted.` }),
        );
      const left = { by: 'sitehand', name: 'Sitehand', why: 'It was promoted.', at: 2_000 };
      const both = [await actions(database, ben).resume(undefined), await actions(database).resume(undefined)];
      expect(both).toMatchObject([
        { ended: { by: ana.id, why: 'night' }, left },
        { ended: undefined, left },
      ]);
      expect(await actions(database, ben).resume(1_000)).toMatchObject({ ended: undefined, left });
      expect(JSON.parse((await readKv(database.db, 'pause'))?.value ?? '')).toEqual({ ...left, stayed: true });
      expect((await announced(database)).at(-1)).toContain('Sending stays paused, because I paused it too');
      expect(await actions(database, ben).resume(left.at)).toMatchObject({ ended: left, left: undefined });
      expect(await readKv(database.db, 'pause')).toBeUndefined();
    },
  );

  it('names the first few changes that it holds, and none that the person may not read', async () => {
    const database = await open();
    for (let count = 0; count < 8; count += 1) await save(database, { state: 'approved', card });
    const all = await actions(database).pause(undefined);
    expect([all.held, all.named.map(({ number }) => number)]).toEqual([8, [1, 2, 3, 4, 5]]);
    const none = await actions(database, ben, undefined, () => false).resume(undefined);
    expect(none).toMatchObject({ held: 8, named: [] });
  });

  it('of callers and one of everything are apart: each counts what it holds, and ends alone', async () => {
    const database = await open({ now: () => 1_000 });
    for (const caller of [null, null, 'bot']) await save(database, { state: 'approved', card, caller });
    const holds = async () => Promise.all([null, 'bot'].map((caller) => pauseOf(database.db, caller)));
    expect(await actions(database).pause('an agent', 'callers')).toMatchObject({ done: true, held: 1, atHost: 0 });
    expect(await actions(database, ben).pause('me too', 'callers')).toMatchObject({
      done: false,
      pause: { by: ana.id },
    });
    expect(await holds()).toEqual([undefined, 'callers']);
    expect(await actions(database).pause(undefined)).toMatchObject({ done: true, held: 3 });
    expect(await holds()).toEqual(['all', 'all']);
    expect(await actions(database).resume(undefined)).toMatchObject({ other: true, held: 2, named: [{}, {}] });
    expect(await holds()).toEqual([undefined, 'callers']);
    expect(await actions(database).resume(1, 'callers')).toMatchObject({ ended: undefined, left: { at: 1_000 } });
    expect(await actions(database).resume(undefined, 'callers')).toMatchObject({ other: false, held: 1 });
    expect(await holds()).toEqual([undefined, undefined]);
    expect((await trail(database)).map(({ event }) => event)).toEqual([
      'pause_callers',
      'pause',
      'resume',
      'resume_callers',
    ]);
    const told = await announced(database);
    expect([told[0], told.at(-1)]).toEqual([
      expect.stringContaining('paused all programs'),
      expect.stringContaining('resumed programs'),
    ]);
  });

  it('needs no reason', async () => {
    const database = await open();
    expect((await actions(database).pause(undefined)).pause.why).toBeUndefined();
    expect((await actions(database).resume(undefined)).ended?.why).toBeUndefined();
  });
});

describeBoth('a delivery', (open) => {
  it('runs its action once, and not after its sender was told that nothing was done', async () => {
    const database = await open();
    const row = { kind: 'command', person: ana.id, channel: 'C1', content: 'pause', owner: 'o' } as const;
    await database.transaction((tx) => receive(tx, { ...row, key: 'k', lease_until: 9, received_at: 1 }));
    expect(await actions(database, ana, 'k').pause('once')).toMatchObject({ done: true });
    await expect(actions(database, ana, 'k').resume(undefined)).rejects.toThrow('Nothing was done.');
    expect(await readKv(database.db, 'pause')).toBeDefined();
    expect(await trail(database)).toHaveLength(1);
  });
});
