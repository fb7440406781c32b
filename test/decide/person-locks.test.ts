import { expect, it } from 'vitest';
import { createChangeStore } from '../../src/change/change-store.ts';
import { lockAll, unlockAll } from '../../src/decide/person-locks.ts';
import type { Environment } from '../../src/hosting/contract/target.ts';
import { listAudit } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { heldLock, shareLocks, takeLocks } from '../../src/storage/locks.ts';
import { plain } from '../../src/words/text.ts';
import { ana, blog, contextWith, environment, live, policyOf, staging } from '../fixtures.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';

/** Ana has a second account. */
const rules = {
  ...policyOf('{ allow: [read], to: everyone }'),
  people: new Map([
    ['U01ANA', ['U01ANA', 'U01ANA2']],
    ['U01ANA2', ['U01ANA', 'U01ANA2']],
  ]),
};
const ben = { ...ana, id: 'U02BEN', name: 'Ben' };
const hour = 3_600_000;
const authorization = { approval: 'none', rules: [14], policy: 'p' } as const;

/** Of one environment or of many, in a channel. */
function actions(database: Database, person = ana) {
  const { installation } = database;
  const changeStore = createChangeStore({ auditKey: undefined, installation, onEvent: () => undefined });
  const context = contextWith({ database, changeStore, policy: () => rules, personOf: async () => undefined });
  const actor = { person, authorization: undefined, inbox: undefined, saidIn: async () => 'C1' };
  const allowed = (env: Environment | readonly Environment[]) =>
    [env].flat().map((one) => ({ env: one, authorization }));
  return {
    lock: (env: Parameters<typeof allowed>[0], why: string, forMs: number | undefined) =>
      lockAll(context, actor, allowed(env), { reason: why, forMs }),
    unlock: (env: Parameters<typeof allowed>[0]) => unlockAll(context, actor, allowed(env)),
  };
}

const trail = async (database: Database) => (await listAudit(database.db, { limit: 99 })).toReversed();
const told = async (database: Database, kind: 'ops' | 'notice' | 'direct') =>
  database.db.selectFrom('messages').select(['recipient', 'body']).where('kind', '=', kind).orderBy('id').execute();
const announced = async (database: Database): Promise<readonly string[]> =>
  (await told(database, 'ops')).map(({ body }) => body ?? '');
const keyOf = ({ id }: Environment): string => `environment:${id}`;
const key = keyOf(live);

describeBoth('a lock', (open) => {
  it('is taken, audited and announced in one transaction, without the key that was pasted into its reason', async () => {
    const database = await open({ now: () => 1_000 });
    const taken = await actions(database).lock(live, 'release with password=hunter22', 2 * hour);
    expect(taken).toEqual({
      terms: { by: { person: ana.id }, why: 'release with password=***', until: 1_000 + 2 * hour },
      taken: [live],
      left: [],
    });
    expect(await heldLock(database.db, key, 1_000)).toMatchObject({ person: ana.id, until: 1_000 + 2 * hour });
    const [line, ...more] = await trail(database);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ event: 'lock', actor: ana.id, change: null, at: 1_000 });
    expect(JSON.parse(line?.details ?? '')).toEqual({
      target: live.name,
      target_key: key,
      targets: [{ kind: 'environment', id: live.id, name: live.name, site: live.site?.name }],
      name: 'Ana',
      reason: 'release with password=***',
      until: 1_000 + 2 * hour,
      authorization: JSON.stringify(authorization),
    });
    const [announcement, ...again] = await announced(database);
    expect(again).toEqual([]);
    expect(announcement).toContain('release with password=***');
    expect(announcement).not.toContain('hunter22');
  });

  it('taken again by the same person gets the new reason and the new end', async () => {
    let now = 1_000;
    const database = await open({ now: () => now });
    await actions(database).lock(live, 'release', hour);
    now = 2_000;
    expect(await actions(database).lock(live, 'a longer release', undefined)).toMatchObject({
      terms: { why: 'a longer release', until: undefined },
      taken: [live],
    });
    expect(await heldLock(database.db, key, 9 * hour)).toMatchObject({ reason: 'a longer release', until: null });
    expect(await trail(database)).toHaveLength(2);
    expect(await announced(database)).toHaveLength(2);
  });

  it.each(['somebody else', 'a change'])('that %s holds is not touched, and nothing is announced', async (holder) => {
    const database = await open();
    if (holder === 'a change') {
      const { number } = await save(database);
      await database.transaction((tx) => takeLocks(tx, [key], { change: number, reason: '#1' }, 1));
    } else {
      await database.transaction((tx) => takeLocks(tx, [key], { person: ben.id, reason: 'release' }, 1));
    }
    const refused = await actions(database).lock(live, 'mine', hour);
    expect([refused.taken, plain(refused.left[0]?.says ?? [])]).toEqual([
      [],
      expect.stringMatching(
        holder === 'a change'
          ? /^acme-shop\/live is busy: .* \(#1\) /
          : /^acme-shop\/live is locked by .* \(“release”\), and/,
      ),
    ]);
    expect(await trail(database)).toEqual([]);
    expect(await announced(database)).toEqual([]);
  });

  it('is removed by somebody who may, unless a change holds it', async () => {
    const database = await open();
    await actions(database).lock(live, 'release', undefined);
    expect(await actions(database, ben).unlock(live)).toMatchObject({
      freed: [{ env: live, lock: { by: { person: ana.id }, why: 'release' } }],
    });
    expect(await heldLock(database.db, key, Date.now())).toBeUndefined();
    expect(await actions(database, ben).unlock(live)).toEqual({ freed: [], left: [{ env: live }] });
    const { number } = await save(database);
    await database.transaction((tx) => takeLocks(tx, [key], { change: number, reason: '#1' }, 1));
    expect(await actions(database, ben).unlock(live)).toMatchObject({ left: [{ lock: { by: { change: number } } }] });
    expect((await trail(database)).map(({ event, actor }) => [event, actor])).toEqual([
      ['lock', ana.id],
      ['unlock', ben.id],
    ]);
  });

  it('that somebody else removes is reported to its owner directly; the second account of its owner is nobody else', async () => {
    const database = await open();
    await actions(database).lock(live, 'release', undefined);
    await actions(database, { ...ana, id: 'U01ANA2' }).unlock(live);
    expect(await told(database, 'direct')).toEqual([]);
    await actions(database).lock(live, 'release', undefined);
    await actions(database, ben).unlock(live);
    const [owner, ...more] = await told(database, 'direct');
    expect([owner?.recipient, more]).toEqual([ana.id, []]);
    expect(owner?.body).toContain('removed your lock of acme-shop/live');
  });

  it('that has expired is no lock', async () => {
    let now = 1_000;
    const database = await open({ now: () => now });
    await actions(database, ben).lock(live, 'release', hour);
    now += hour;
    expect(await actions(database).unlock(live)).toEqual({ freed: [], left: [{ env: live }] });
    expect(await actions(database).lock(live, 'mine', undefined)).toMatchObject({ taken: [live] });
  });

  it('requested by two people at once is taken by one', async () => {
    const database = await open();
    const replica = await database.again();
    const both = await Promise.all([
      actions(database).lock(live, 'mine', hour),
      actions(replica, ben).lock(live, 'no, mine', hour),
    ]);
    expect(both.filter(({ taken }) => taken.length > 0)).toHaveLength(1);
    expect(await trail(database)).toHaveLength(1);
  });

  it('of many is taken and freed in one go: a line for each, one announcement, and what others hold is left', async () => {
    const database = await open({ now: () => 1_000 });
    const docs = environment('acme-docs/live', 90);
    const { number } = await save(database);
    await database.transaction((tx) => shareLocks(tx, [keyOf(blog)], number, 1));
    await actions(database, ben).lock(staging, 'release', undefined);
    const taken = await actions(database).lock([live, blog, staging, docs], 'the checkout is broken', hour);
    expect([taken.taken, taken.left.map(({ env, says }) => [env.name, plain(says)])]).toEqual([
      [live, docs],
      [
        [blog.name, expect.stringContaining(`(#${number})`)],
        [staging.name, expect.stringContaining(`${staging.name} is locked by @${ben.id}`)],
      ],
    ]);
    expect((await trail(database)).slice(1)).toMatchObject(
      [live, docs].map((env) => ({ event: 'lock', actor: ana.id, target: keyOf(env) })),
    );
    expect(JSON.parse((await trail(database)).at(-1)?.details ?? '')).toMatchObject({
      target: docs.name,
      reason: 'the checkout is broken',
      until: 1_000 + hour,
      authorization: JSON.stringify(authorization),
    });
    for (const kind of ['ops', 'notice'] as const) {
      const [, one, ...more] = await told(database, kind);
      expect([one?.body, more]).toEqual([expect.stringMatching(/locked 2 environments.*live.*docs/s), []]);
    }

    const freed = await actions(database).unlock([live, blog, staging, docs]);
    expect(freed).toMatchObject({
      freed: [{ env: live }, { env: staging, lock: { by: { person: ben.id } } }, { env: docs }],
      left: [{ env: blog, lock: { by: { change: number } } }],
    });
    expect((await trail(database)).slice(3).map(({ event, target }) => [event, target])).toEqual(
      [live, staging, docs].map((env) => ['unlock', keyOf(env)]),
    );
    expect(await heldLock(database.db, keyOf(blog), 1_000)).toMatchObject({ change: number });
    expect((await announced(database)).slice(2)).toEqual([expect.stringContaining('3 environments were unlocked')]);
    expect((await told(database, 'direct')).map(({ recipient }) => recipient)).toEqual([ben.id]);
    expect(await actions(database).unlock([live, docs])).toEqual({ freed: [], left: [{ env: live }, { env: docs }] });
    expect(await trail(database)).toHaveLength(6);
  });
});
