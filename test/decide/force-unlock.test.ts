import { expect, it } from 'vitest';
import { createChangeStore } from '../../src/change/change-store.ts';
import { forceUnlock, type ForceUnlockResult } from '../../src/decide/force-unlock.ts';
import { listAudit } from '../../src/storage/audit.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import type { Database } from '../../src/storage/database.ts';
import { receive } from '../../src/storage/inbox.ts';
import { heldLock, locksOn, shareLocks, takeLocks } from '../../src/storage/locks.ts';
import type { State } from '../../src/words/states.ts';
import { plain } from '../../src/words/text.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';
import { changeOf, fay, live, staging, contextWith } from '../fixtures.ts';

const now = 10_000_000;
const authorization = { approval: 'none', rules: [14], policy: 'p' } as const;
const key = (env: { readonly id: string }): string => `environment:${env.id}`;

/** A push in this state that locks its target and its source. */
async function held(database: Database, more: Partial<Change>): Promise<Change> {
  const { card, args } = changeOf();
  const change = await save(database, {
    risk: 'destructive',
    target: key(live),
    target_name: live.name,
    targets: JSON.stringify([live, staging]),
    card,
    args,
    sent_at: 1,
    ...more,
  });
  const terms = { change: change.number, reason: '#1', until: now + 1_000 };
  await database.transaction((tx) => takeLocks(tx, [key(live), key(staging)], terms, 1));
  return change;
}

function force(database: Database, inbox?: string): Promise<ForceUnlockResult> {
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
  return forceUnlock(contextWith({ database, changeStore }), { person: fay, authorization, inbox }, live);
}

const isLocked = async (database: Database, env: { readonly id: string }): Promise<boolean> =>
  (await heldLock(database.db, key(env), now)) !== undefined;
const messages = (database: Database) => database.db.selectFrom('messages').selectAll().orderBy('id').execute();
const trail = async (database: Database) => (await listAudit(database.db, { limit: 99 })).toReversed();

describeBoth('a lock that is removed by force', (open) => {
  it.each<[State, settled: boolean]>([
    ['unknown', false],
    ['accepted', true],
    ['done', true],
  ])(
    'of a change that is %s (settled: %s) is removed from that environment alone, and announced',
    async (state, settled) => {
      const database = await open({ now: () => now });
      const change = await held(database, { state, settled_at: settled ? now - 1 : null });
      expect(await force(database)).toMatchObject({
        kind: 'freed',
        change: change.number,
        arrives: undefined,
        others: [staging.id],
      });
      expect([await isLocked(database, live), await isLocked(database, staging)]).toEqual([false, true]);
      expect(await findChange(database.db, change.number)).toEqual(change);
      const [line, ...more] = await trail(database);
      expect(more).toEqual([]);
      expect(line).toMatchObject({ event: 'force_unlock', actor: fay.id, change: change.number, at: now });
      expect(JSON.parse(line?.details ?? '')).toMatchObject({
        target: live.name,
        target_key: key(live),
        name: 'Fay',
        authorization: JSON.stringify(authorization),
      });
      const enqueued = await messages(database);
      expect(enqueued.map(({ kind }) => kind)).toEqual(['reply', 'ops']);
      for (const { body } of enqueued) {
        expect(body).toContain(' removed its lock on ');
        expect(body?.includes('still unknown')).toBe(state === 'unknown');
      }
    },
  );

  it.each<State>(['approved', 'sending', 'accepted'])('of a change that is %s is not removed', async (state) => {
    const database = await open({ now: () => now });
    const change = await held(database, { state });
    const result = await force(database);
    expect(result).toMatchObject({ kind: 'under way', change: change.number });
    expect('stands' in result && plain(result.stands)).toMatch(/\.$/);
    expect([await isLocked(database, live), await isLocked(database, staging)]).toEqual([true, true]);
    expect([await trail(database), await messages(database)]).toEqual([[], []]);
  });

  it('is the only one removed from a target that several changes read', async () => {
    const database = await open({ now: () => now });
    const { card, args } = changeOf();
    const row = { risk: 'destructive', targets: JSON.stringify([staging, live]), card, args, sent_at: 1 } as const;
    const running = await save(database, { ...row, state: 'accepted' });
    const lost = await save(database, { ...row, state: 'unknown' });
    for (const { number } of [running, lost])
      await database.transaction((tx) => shareLocks(tx, [key(live)], number, now));
    expect(await force(database)).toMatchObject({ kind: 'freed', change: lost.number, still: [running.number] });
    expect((await messages(database))[0]?.body).toContain(`It is still locked by `);
    expect(await locksOn(database.db, [key(live)], now)).toMatchObject([{ change: running.number }]);
    expect(await force(database)).toMatchObject({ kind: 'under way', change: running.number });
  });

  it('of a change that was sent just now: the answer says until when it can still arrive', async () => {
    const database = await open({ now: () => now });
    await held(database, { state: 'unknown', sent_at: now - 45_000 });
    expect(await force(database)).toMatchObject({ kind: 'freed', arrives: now + 300_000 });
  });

  it('that a person holds is not touched; a missing lock is reported', async () => {
    let time = now;
    const database = await open({ now: () => time });
    expect(await force(database)).toEqual({ kind: 'not locked' });
    const terms = { person: 'U02BEN', reason: 'release', until: now + 1 };
    await database.transaction((tx) => takeLocks(tx, [key(live)], terms, now));
    expect(await force(database)).toMatchObject({ kind: 'held by a person', lock: { by: { person: 'U02BEN' } } });
    time += 1;
    expect(await force(database)).toEqual({ kind: 'not locked' });
    expect([await trail(database), await messages(database)]).toEqual([[], []]);
  });

  it('removed by two people at once is removed once', async () => {
    const database = await open({ now: () => now });
    await held(database, { state: 'unknown' });
    const both = await Promise.all([force(database), force(await database.again({ now: () => now }))]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['freed', 'not locked']);
    expect(await trail(database)).toHaveLength(1);
  });

  it('is not removed after the sender was told that nothing was done', async () => {
    const database = await open({ now: () => now });
    await held(database, { state: 'unknown' });
    const row = { kind: 'command', person: fay.id, channel: 'C1', content: 'x', owner: 'o' } as const;
    await database.transaction((tx) => receive(tx, { ...row, key: 'k', lease_until: 9, received_at: 1 }));
    expect(await force(database, 'k')).toMatchObject({ kind: 'freed' });
    await database.transaction((tx) => takeLocks(tx, [key(live)], { change: 1, reason: '#1' }, now));
    await expect(force(database, 'k')).rejects.toThrow('Nothing was done.');
    expect(await isLocked(database, live)).toBe(true);
    expect(await trail(database)).toHaveLength(1);
  });
});
