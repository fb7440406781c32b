import { parseStored } from '../../src/storage/parse-json.ts';
import { describe, expect, it } from 'vitest';
import { liveInWords, liveReplicas, createReplicas, type Replicas } from '../../src/post/replicas.ts';
import type { Note } from '../../src/change/card.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { abandoned, receive } from '../../src/storage/inbox.ts';
import { claimDue } from '../../src/storage/changes.ts';
import { claimMessages, enqueueMessage } from '../../src/storage/messages.ts';
import { save } from '../storage/samples.ts';
import { writeKv } from '../../src/storage/kv.ts';
import { plain } from '../../src/words/text.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';

type Fleet = {
  readonly database: Database;
  /** The owners that were reported as unreadable. */
  readonly unreadable: readonly string[];
  readonly join: (name: string, policy?: string) => Replicas;
  /** Puts another policy in force at one of them. */
  readonly rule: (name: string, policy: string) => void;
  readonly pass: (ms: number) => void;
  readonly names: () => Promise<string>;
  /** The messages to the ops channel. */
  readonly told: () => Promise<readonly string[]>;
};

/** Replicas on one database, with a clock that the test moves. */
async function withFleet(story: (fleet: Fleet) => Promise<void>): Promise<void> {
  let now = 1_000_000;
  const database = await openDatabase(await freshPostgres(), { now: () => now });
  const policies = new Map<string, string>();
  const unreadable: string[] = [];
  try {
    await story({
      database,
      unreadable,
      join: (name, policy = 'aaaaaaaaaaaa') => {
        policies.set(name, policy);
        const sign = () => ({ owner: `owner-${name}`, name, version: '1.0.0', policy: policies.get(name) ?? '' });
        return createReplicas(database, sign, (owners) => unreadable.push(...owners));
      },
      rule: (name, policy) => void policies.set(name, policy),
      pass: (ms) => void (now += ms),
      names: async () => (await liveReplicas(database)).map(({ name }) => name).join(),
      told: async () => {
        const messages = database.db.selectFrom('messages').select('body').where('kind', '=', 'ops').orderBy('id');
        return (await messages.execute()).map(({ body }) => plain(parseStored<Note>(body ?? '').text));
      },
    });
  } finally {
    await database.close();
  }
}

describe.skipIf(!postgresRuns)(`replicas on one PostgreSQL${noPostgres}`, () => {
  it('do not count one that was killed while the clock was days ahead', () =>
    withFleet(async ({ join, names, pass }) => {
      const [one, two] = [join('one'), join('two')];
      await two.look();
      pass(-2 * 86_400_000);
      await one.look();
      expect([one.count(), await names()]).toEqual([1, 'one']);
    }));

  it('count each other; one that stops counts no more, one that was killed half a minute later', () =>
    withFleet(async ({ join, names, pass }) => {
      const [one, two, three] = [join('one'), join('two'), join('three')];
      expect(one.count()).toBe(1);
      for (const replica of [one, two, three, one]) await replica.look();
      expect([one.count(), two.count(), three.count()]).toEqual([3, 2, 3]);
      await three.leave();
      await one.look();
      expect([one.count(), await names()]).toEqual([2, 'one,two']);
      pass(30_000);
      await one.look();
      expect(one.count()).toBe(2);
      pass(1);
      await one.look();
      expect([one.count(), await names()]).toEqual([1, 'one']);
    }));

  it('free their leases when they stop, except for a change on its way to the host', () =>
    withFleet(async ({ database, join }) => {
      const claim = { owner: 'owner-one', now: 1_000_000, leaseMs: 60_000, limit: 10 };
      const open = {
        kind: 'command',
        person: 'U1',
        channel: 'C1',
        content: '',
        received_at: 1,
        closed_at: null,
      } as const;
      const [approved, sending] = [await save(database), await save(database)];
      await database.transaction(async (tx) => {
        await enqueueMessage(tx, { key: 'm', kind: 'direct', recipient: 'U1', about: null, body: '{}', at: 1 });
        await receive(tx, { key: 'd', owner: 'owner-one', lease_until: 1_060_000, ...open });
        await receive(tx, { key: 'e', owner: 'owner-two', lease_until: 1_060_000, ...open });
        await tx.updateTable('changes').set({ due_at: 1, state: 'approved' }).execute();
        expect((await claimDue(tx, claim)).map(({ number }) => number)).toEqual([approved.number, sending.number]);
        expect(await claimMessages(tx, claim)).toHaveLength(1);
        await tx.updateTable('changes').set({ state: 'sending' }).where('number', '=', sending.number).execute();
      });
      await join('one').leave();
      const owner = 'owner-two';
      await database.transaction(async (tx) => {
        expect((await claimDue(tx, { ...claim, owner })).map(({ state }) => state)).toEqual(['approved']);
        expect(await claimMessages(tx, { ...claim, owner })).toHaveLength(1);
      });
      expect((await abandoned(database.db, 1_000_000)).map(({ key }) => key)).toEqual(['d']);
    }));

  it.each(['', 'null', '{}', '{"name":1}', 'not JSON'])(
    'start beside one whose sign of life is %j: it counts, and nothing else is known about it',
    (value) =>
      withFleet(async ({ database, join, unreadable, told, pass }) => {
        await database.transaction((tx) => writeKv(tx, { key: 'replica:odd', value, at: 1_000_000 }));
        const one = join('one');
        await one.look();
        pass(20_000);
        await one.look();
        expect(one.count()).toBe(2);
        expect(unreadable).toEqual(['odd', 'odd']);
        expect(await told()).toEqual([]);
        const { says, isSame } = liveInWords(await liveReplicas(database));
        expect(isSame).toBe(false);
        expect(plain(says)).toBe("2 live, 1 of them unknown: I can't read what they say about themselves");
      }),
  );

  it('leave no trace of those that were killed', () =>
    withFleet(async ({ database, join, pass }) => {
      await join('killed').look();
      pass(40_000);
      await join('one').look();
      const rows = await database.db.selectFrom('kv').select('key').execute();
      expect(rows.map(({ key }) => key)).toEqual(['replica:owner-one']);
    }));

  it('tell the ops channel once when their rules differ for a minute, and once when they do not any more', () =>
    withFleet(async ({ join, rule, pass, told }) => {
      const all = [join('one'), join('two'), join('three', 'bbbbbbbbbbbb')];
      const look = async (): Promise<void> => {
        for (const replica of all) await replica.look();
      };
      for (let seconds = 0; seconds < 60; seconds += 5) {
        await look();
        pass(5_000);
      }
      expect(await told()).toEqual([]);
      await look();
      await look();
      expect(await told()).toEqual([
        '⚠️ My replicas use different rules. one, two: rules aaaaaaaa; three: rules bbbbbbbb. Until that is over, I count no approvals and send nothing that needs one; which rules apply to the rest depends on the replica that happens to answer. Please put the same policy file on every machine.',
      ]);
      pass(5_000);
      rule('three', 'aaaaaaaaaaaa');
      await look();
      await look();
      expect((await told()).slice(1)).toEqual([
        'All replicas use the same rules again (3 live), so approvals count again.',
      ]);
    }));

  it('hold what needs an approval once their rules differ for half a minute; one that starts or is killed is noticed', () =>
    withFleet(async ({ join, rule, pass, told }) => {
      const [one, two] = [join('one'), join('two', 'bbbbbbbbbbbb')];
      const look = async (...more: readonly Replicas[]): Promise<readonly boolean[]> => {
        for (const replica of [one, two, ...more]) await replica.look();
        return [one, two, ...more].map(({ rulesDiffer }) => rulesDiffer());
      };
      for (let seconds = 0; seconds < 30; seconds += 5) {
        expect(await look()).toEqual([false, false]);
        pass(5_000);
      }
      // The first has known the second for 30 seconds now.
      pass(5_000);
      expect(await look()).toEqual([true, true]);
      pass(30_000);
      await look();
      expect(await told()).toHaveLength(1);
      // It believes those that have told the ops channel.
      expect(await look(join('three'))).toEqual([true, true, true]);
      rule('two', 'aaaaaaaaaaaa');
      await look();
      expect(await look()).toEqual([false, false]);
      rule('two', 'bbbbbbbbbbbb');
      await look();
      await look();
      pass(29_000);
      await look();
      pass(2_000);
      expect(await look()).toEqual([true, true]);
      // It was killed, so it renews its sign of life no more.
      pass(31_000);
      await one.look();
      expect(one.rulesDiffer()).toBe(false);
    }));

  it('do not say that their rules are the same again while one of them cannot be read', () =>
    withFleet(async ({ database, join, pass, told }) => {
      const [one, two] = [join('one'), join('two', 'bbbbbbbbbbbb')];
      await two.look();
      await one.look();
      pass(29_000);
      await two.look();
      pass(29_000);
      await two.look();
      pass(29_000);
      await one.look();
      expect(await told()).toHaveLength(1);
      // A newer version in its place.
      await database.transaction((tx) => writeKv(tx, { key: 'replica:owner-two', value: '{}', at: 1_087_000 }));
      pass(1_000);
      await one.look();
      expect(await told()).toHaveLength(1);
      await two.leave();
      await one.look();
      expect((await told()).slice(1)).toEqual([
        'All replicas use the same rules again (1 live), so approvals count again.',
      ]);
    }));

  it('do not report rules that differ only while a new file reaches the machines', () =>
    withFleet(async ({ join, rule, pass, told }) => {
      const all = [join('one'), join('two')];
      for (let turn = 0; turn < 20; turn += 1) {
        rule(turn % 2 === 0 ? 'one' : 'two', `policy-of-${Math.floor(turn / 2)}`);
        for (const replica of [...all, ...all]) await replica.look();
        pass(20_000);
      }
      expect(await told()).toEqual([]);
    }));
});

it('says who has which version and which rules, a few by name', () => {
  const sign = (at: number, version: string) => ({ owner: `${at}`, name: `m${at}`, version, policy: 'cccccccccc' });
  const many = Array.from({ length: 8 }, (_, at) => sign(at, at === 7 ? '2.0.0' : '1.0.0'));
  expect(plain(liveInWords(many).says)).toBe(
    '8 live, but they differ: m0, m1, m2, m3, m4 and 2 more: version 1.0.0; m7: version 2.0.0',
  );
  expect(plain(liveInWords(many.slice(0, 2)).says)).toBe('2 live, with the same rules and version');
});
