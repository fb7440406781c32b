import { expect, it } from 'vitest';
import { createPolicyCheck, recordPolicy } from '../../src/audit/policy-history.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import type { Policy } from '../../src/policy/rules.ts';
import type { Database } from '../../src/storage/database.ts';
import { enqueueMessage } from '../../src/storage/messages.ts';
import { policyOf } from '../policy/fixtures.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';

const policyFor = (person: string): Policy =>
  policyOf(`version: 1\ngroups: { some: [${person}] }\nrules: [{ allow: [read], to: [some] }]\n`);

/** A replica: `take` records a policy, lets it apply, and checks it. */
function replicaOn(database: Database): { readonly take: (policy: Policy) => Promise<void> } {
  let current = policyFor('U01ANA');
  const changeStore = createChangeStore({ auditKey: undefined, installation: 'db', onEvent: () => undefined });
  const membersOf = async (): Promise<readonly string[]> => [];
  const check = createPolicyCheck({ database, policy: () => current, membersOf }, () => undefined);
  return {
    take: async (next) => {
      await recordPolicy({ database, changeStore }, next);
      current = next;
      await check();
    },
  };
}

/** Saves a waiting change with a copy of its card that is posted; resolves with a function that draws and counts edits. */
async function postedCopy(database: Database): Promise<() => Promise<number>> {
  const { number } = await save(database);
  await database.transaction((tx) =>
    enqueueMessage(tx, { key: `${number}:card:U2`, change: number, kind: 'copy', recipient: 'U2', at: 0 }),
  );
  const draw = async (): Promise<number> => {
    const owed = database.db.updateTable('messages').where('due_at', 'is not', null);
    const drawn = await owed.set({ ts: '1.1', channel: 'D2', due_at: null }).executeTakeFirstOrThrow();
    return Number(drawn.numUpdatedRows);
  };
  await draw();
  return draw;
}

describeBoth('a new policy', (open) => {
  it('has what people were told drawn again by each replica: one may have drawn it by the old policy meanwhile', async () => {
    const database = await open();
    const [first, second] = [replicaOn(database), replicaOn(await database.again())];
    const [before, after] = [policyFor('U01ANA'), policyFor('U02BEN')];
    await first.take(before);
    await second.take(before);
    const draw = await postedCopy(database);
    await first.take(after);
    expect(await draw()).toBe(1);
    await second.take(after);
    expect(await draw()).toBe(1);
    expect(await database.db.selectFrom('audit').select('event').execute()).toHaveLength(2);
  });

  it('that is taken back before anybody has recorded it has them drawn again, too', async () => {
    const database = await open();
    const replica = replicaOn(database);
    await replica.take(policyFor('U01ANA'));
    const draw = await postedCopy(database);
    await replica.take(policyFor('U01ANA'));
    expect(await draw()).toBe(1);
    expect(await database.db.selectFrom('audit').select('event').execute()).toHaveLength(1);
  });

  it('has one line however many replicas record it, and another one when it comes back', async () => {
    const database = await open();
    const replicas = [replicaOn(database), replicaOn(await database.again())];
    const [before, after] = [policyFor('U01ANA'), policyFor('U02BEN')];
    for (const policy of [before, after, before]) await Promise.all(replicas.map(({ take }) => take(policy)));
    const lines = await database.db.selectFrom('audit').select(['event', 'details']).orderBy('seq').execute();
    expect(lines.map(({ event, details }) => [event, /U0\d[A-Z]+/.exec(details)?.[0]])).toEqual([
      ['policy', 'U01ANA'],
      ['policy', 'U02BEN'],
      ['policy', 'U01ANA'],
    ]);
  });

  it('that was in force before a start has nothing drawn', async () => {
    const database = await open();
    await replicaOn(database).take(policyFor('U01ANA'));
    const draw = await postedCopy(database);
    await replicaOn(database).take(policyFor('U01ANA'));
    expect(await draw()).toBe(0);
  });
});
