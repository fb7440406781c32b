import { expect, it } from 'vitest';
import {
  claimDue,
  countOpen,
  findByCard,
  findChange,
  findChangeForUpdate,
  findSentAsWell,
  listChanges,
  nthNewestRequest,
  touchChange,
  unreviewed,
  updateChange,
  type Change,
  type NewChange,
} from '../../src/storage/changes.ts';
import { castVote, listVotes } from '../../src/storage/votes.ts';
import { describeBoth } from './describe-both.ts';
import { post, save, sample } from './samples.ts';

const numbers = (rows: readonly { number: number }[]): number[] => rows.map((row) => row.number);

describeBoth('changes', (open) => {
  it('come back as they were saved, numbered, with their version and counters', async () => {
    const database = await open();
    const saved = await save(database);
    expect(saved).toMatchObject({ ...sample, number: 1, version: 1, attempts: 0, throttle_count: 0, owner: null });
    expect(await findChange(database.db, 1)).toEqual(saved);
    expect(await findChange(database.db, 2)).toBeUndefined();
  });

  it('say when a caller asked for its nth newest, without what its batches and timers began, and without others', async () => {
    const database = await open();
    const asked = (created_at: number, caller: string, caller_request: string | null) =>
      save(database, { created_at, caller, caller_request });
    await asked(1, 'bot', 'first');
    await asked(2, 'bot', 'second');
    await asked(3, 'bot', null);
    await asked(4, 'other', 'first');
    const at = [1, 2, 3].map((nth) => nthNewestRequest(database.db, 'bot', nth));
    expect(await Promise.all(at)).toEqual([2, 1, undefined]);
  });

  it('are the same as what was sent since, in an emergency', async () => {
    const database = await open();
    const emergency = { post_review: unreviewed, state: 'done', sent_at: 50 } as const;
    const found = async (own: Partial<NewChange>, other: Partial<Change>): Promise<boolean> => {
      const saved = await save(database);
      const update = (row: Change, to: Partial<Change>) => database.transaction((tx) => updateChange(tx, row, to));
      const sent = await update(saved, other);
      const same = await findSentAsWell(database.db, await save(database, own), 50);
      // The next one does not find it.
      if (sent) await update(sent, { state: 'rejected' });
      return same?.number === saved.number;
    };
    const batch = async (scheduled_at: number | null) =>
      (await save(database, { progress: '{}', call: 'null', scheduled_at })).number;
    const cases: readonly (readonly [what: string, boolean, Partial<NewChange>, Partial<Change>])[] = [
      ['done', true, {}, emergency],
      ['unknown', true, {}, { ...emergency, state: 'unknown', lost_at: 60 }],
      ['being sent', true, {}, { ...emergency, state: 'sending' }],
      ['reviewed', true, {}, { ...emergency, post_review: '{}' }],
      [
        'an emergency itself, and the other was approved',
        true,
        { post_review: unreviewed },
        { ...emergency, post_review: null },
      ],
      ['both approved', false, {}, { ...emergency, post_review: null }],
      ['sent before', false, {}, { ...emergency, sent_at: 49 }],
      ['not sent', false, {}, { ...emergency, sent_at: null, state: 'approved' }],
      ['rejected', false, {}, { ...emergency, state: 'rejected' }],
      ['failed', false, {}, { ...emergency, state: 'failed' }],
      ['did not happen', false, {}, { ...emergency, state: 'did_not_happen' }],
      ['another target', false, { target: 'environment:e2' }, emergency],
      ['another call', false, { call: '{"a":1}' }, emergency],
      ['for a time', false, { scheduled_at: 70 }, emergency],
      ['in a batch', true, { batch: await batch(null) }, emergency],
      ['in a batch for a time', false, { batch: await batch(70) }, emergency],
    ];
    for (const [what, is, own, other] of cases) expect({ what, is: await found(own, other) }).toEqual({ what, is });
  });

  it('are moved by only one of many who saw the same version', async () => {
    const database = await open();
    const replica = await database.again();
    const seen = await save(database);
    const move = (by: number) =>
      (by % 2 === 0 ? database : replica).transaction((tx) =>
        updateChange(tx, seen, { state: 'approved', sent_at: by }),
      );
    const moved = (await Promise.all(Array.from({ length: 20 }, (_, by) => move(by)))).filter(
      (row) => row !== undefined,
    );
    expect(moved).toHaveLength(1);
    expect(moved[0]).toMatchObject({ state: 'approved', version: 2 });
    expect(await findChange(database.db, seen.number)).toEqual(moved[0]);
  });

  it('are held by one transaction at a time', async () => {
    const database = await open();
    const replica = await database.again();
    const { number } = await save(database);
    const countUp = (one: typeof replica) =>
      one.transaction(async (tx) => {
        const change = await findChangeForUpdate(tx, number);
        if (change === undefined) throw new Error('no change');
        return touchChange(tx, change, { attempts: change.attempts + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, (_, by) => countUp(by % 2 === 0 ? database : replica)));
    expect(await findChange(database.db, number)).toMatchObject({ attempts: 20, version: 1 });
  });

  it('are not touched by a worker that lost its claim', async () => {
    const database = await open();
    const unclaimed = await save(database, { due_at: 10 });
    const claim = { owner: 'a', now: 10, leaseMs: 100, limit: 1 };
    const [claimed] = await database.transaction((tx) => claimDue(tx, claim));
    if (claimed === undefined) throw new Error('nothing was due');
    const touch = (seen: typeof claimed) => database.transaction((tx) => touchChange(tx, seen, { due_at: 20 }));
    expect(await touch(unclaimed)).toBeUndefined();
    expect(await touch(claimed)).toMatchObject({ due_at: 20, owner: 'a', version: claimed.version });
    await database.transaction((tx) => updateChange(tx, claimed, { state: 'invalidated' }));
    expect(await touch(claimed)).toBeUndefined();
  });

  it('are claimed when they are due, longest overdue first, and again when the lease is over', async () => {
    const database = await open();
    for (const due_at of [30, 10, null, 20, 99]) await save(database, { due_at });
    const claim = (owner: string, now: number, limit = 10) =>
      database.transaction((tx) => claimDue(tx, { owner, now, leaseMs: 15, limit }));
    const first = await claim('a', 30, 2);
    expect(first.map(({ number, owner, lease_until }) => [number, owner, lease_until])).toEqual([
      [2, 'a', 45],
      [4, 'a', 45],
    ]);
    expect(numbers(await claim('b', 30))).toEqual([1]);
    expect(numbers(await claim('c', 44))).toEqual([]);
    expect(numbers(await claim('c', 45))).toEqual([2, 4, 1]);
  });

  it('of a program take turns of their own, apart from those of the person for whom it asks', async () => {
    const database = await open();
    const due = { state: 'approved', due_at: 1, requester: 'U1' } as const;
    for (const caller of ['bot', 'bot', 'bot']) await save(database, { ...due, caller });
    const { number } = await save(database, { ...due, due_at: 2 });
    const claim = { owner: 'w', now: 10, leaseMs: 15, limit: 2 };
    const numbersOf = async () => (await database.transaction((tx) => claimDue(tx, claim))).map((one) => one.number);
    expect(await numbersOf()).toEqual(expect.arrayContaining([number]));
  });

  it('go to one claimer each, however many race', async () => {
    const database = await open();
    const replica = await database.again();
    for (let due = 1; due <= 40; due += 1) await save(database, { due_at: due });
    const claim = (by: number) =>
      (by % 2 === 0 ? database : replica).transaction((tx) =>
        claimDue(tx, { owner: `w${by}`, now: 100, leaseMs: 1_000, limit: 5 }),
      );
    const claimed = (await Promise.all(Array.from({ length: 12 }, (_, by) => claim(by)))).flat();
    // Claims that raced for the same rows may have got fewer; the next claims get the rest.
    for (let more = await claim(99); more.length > 0; more = await claim(99)) claimed.push(...more);
    expect(numbers(claimed).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, at) => at + 1),
    );
  });

  it('are counted and listed', async () => {
    const database = await open();
    await save(database);
    await save(database, { requester: 'U2', target: 'domain:d1' });
    await save(database, { state: 'done' });
    const { db } = database;
    expect(await countOpen(db, { requesters: ['U1'] }, ['waiting'])).toBe(1);
    expect(await countOpen(db, { requesters: ['U3'] }, ['waiting'])).toBe(0);
    expect(await countOpen(db, { requesters: ['U1', 'U2', 'U3'] }, ['waiting'])).toBe(2);
    expect(numbers(await listChanges(db, { limit: 9 }))).toEqual([3, 2, 1]);
    expect(numbers(await listChanges(db, { limit: 1, beforeNumber: 3 }))).toEqual([2]);
    expect(numbers(await listChanges(db, { limit: 9, requesters: ['U1'], state: 'done' }))).toEqual([3]);
    expect(numbers(await listChanges(db, { limit: 9, target: 'domain:d1' }))).toEqual([2]);
  });

  it('are found by their card and by no other message', async () => {
    const database = await open();
    const { number } = await save(database);
    await database.transaction(async (tx) => {
      await post(tx, { key: '1:card', kind: 'card', change: number, at: 1 }, { channel: 'C1', ts: '1.1' });
      await post(tx, { key: '1:1', kind: 'reply', change: number, at: 1 }, { channel: 'C1', ts: '1.2' });
    });
    expect(await findByCard(database.db, 'C1', '1.1')).toMatchObject({ number });
    expect(await findByCard(database.db, 'C1', '1.2')).toBeUndefined();
    expect(await findByCard(database.db, 'C2', '1.1')).toBeUndefined();
  });

  it('count one vote per person, the first one', async () => {
    const database = await open();
    const { number } = await save(database);
    const vote = { change: number, person: 'U2', at: 5 } as const;
    const cast = (more: object = {}) => database.transaction((tx) => castVote(tx, { ...vote, ...more }));
    const twenty = await Promise.all(Array.from({ length: 20 }, () => cast()));
    expect(twenty.filter(Boolean)).toHaveLength(1);
    expect(await cast({ person: 'U3', at: 4 })).toBe(true);
    expect(await cast({ at: 6 })).toBe(false);
    expect(await listVotes(database.db, number)).toEqual([{ ...vote, person: 'U3', at: 4 }, vote]);
    await expect(cast({ change: 77 })).rejects.toThrow(/foreign key/i);
  });
});
