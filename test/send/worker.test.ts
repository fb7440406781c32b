import { afterEach, expect, test } from 'vitest';
import { createWorker } from '../../src/send/worker.ts';
import { save } from '../../src/decide/submit.ts';
import type { Receipt } from '../../src/hosting/receipt.ts';
import { findChange, type Change } from '../../src/storage/changes.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { contextOver, pinnedFrom, whoIs } from '../matrix/waiting-changes.ts';
import { idOf, policy, roles } from '../matrix/people-and-rules.ts';
import type { SendContext } from '../../src/send/context.ts';

/** The worker with a real database and a clock that the test moves. */

const tidy: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of tidy.splice(0).toReversed()) await step();
});

/** A routine change that is due, and a worker that starts no step before a nudge. */
async function due(database: Database, more: Partial<SendContext>) {
  let stepped = Promise.withResolvers<void>();
  const written: unknown[] = [];
  const context: SendContext = {
    ...contextOver(database),
    send: {
      open: async () => ({
        abandon: () => undefined,
        write: async (call) => {
          written.push(call);
          return { kind: 'accepted', status: 202, operation: 'op', immediate: false };
        },
      }),
    },
    ticks: () => performance.now(),
    wall: Date.now,
    ...more,
  };
  const frozen = await pinnedFrom(context, 'ana', ['cache', 'clear', idOf('live')]);
  const saved = await save(
    context,
    frozen,
    { person: roles.ana, channel: { id: 'C1', shared: false } },
    'not needed',
    undefined,
  );
  const worker = createWorker(context, () => stepped.resolve());
  tidy.push(() => worker.stop(1_000));
  const change = async (): Promise<Change | undefined> => findChange(database.db, saved?.number ?? 0);
  /** Resolves after the next step. */
  const step = async (): Promise<void> => {
    stepped = Promise.withResolvers();
    worker.start();
    worker.nudge();
    await stepped.promise;
  };
  return { change, step, written, nudge: worker.nudge };
}

test('promise 1: a change whose step threw is released after a moment, and is then written once', async () => {
  let now = 1_000_000;
  const database = await openDatabase('sqlite::memory:', { now: () => now });
  tidy.push(() => database.close());
  const troubles: string[] = [];
  let isBroken = true;
  const { change, step, written } = await due(database, {
    whoIs: (id) => (isBroken ? Promise.reject(new Error('a lock was not to be had in time')) : whoIs()(id)),
    onTrouble: (what) => troubles.push(what),
  });
  await step();
  expect(troubles).toEqual([`a step of #${(await change())?.number}`]);
  expect(await change()).toMatchObject({ state: 'approved', owner: null, lease_until: null, due_at: now + 5_000 });
  isBroken = false;
  now += 5_000;
  await step();
  expect(await change()).toMatchObject({ state: 'accepted', sent_at: now });
  expect(written).toHaveLength(1);
});

test('promise 8: a change whose step lost the database is released when the database is back, not when its lease ends', async () => {
  const now = 1_000_000;
  const database = await openDatabase('sqlite::memory:', { now: () => now });
  tidy.push(() => database.close());
  let failing = 0;
  const away = new Error('Connection terminated unexpectedly');
  const { change, step } = await due(database, {
    database: {
      ...database,
      now: () => ((failing -= 1) >= 0 ? Promise.reject(away) : database.now()),
      transactionWithoutFsync: (work) => (failing > 0 ? Promise.reject(away) : database.transactionWithoutFsync(work)),
    },
    whoIs: () => {
      failing = 1;
      return Promise.reject(away);
    },
    onTrouble: () => undefined,
  });
  await step();
  expect(await change()).toMatchObject({ state: 'approved', owner: null, lease_until: null, due_at: now + 5_000 });
});

test('promise 2: a write that this process is still sending is not called unknown, however long it takes', async () => {
  let now = 1_000_000;
  const database = await openDatabase('sqlite::memory:', { now: () => now });
  tidy.push(() => database.close());
  const answer = Promise.withResolvers<Receipt>();
  let polls = 0;
  const { change, step, nudge } = await due(database, {
    policy: () => {
      polls += 1;
      return policy;
    },
    send: { open: async () => ({ abandon: () => undefined, write: () => answer.promise }) },
  });
  const settled = step();
  await expect.poll(async () => (await change())?.state).toBe('sending');
  now += 46_000;
  // The row is due again. This process polls repeatedly, and leaves it to the running step.
  const before = polls;
  await expect.poll(() => (nudge(), polls)).toBeGreaterThan(before + 2);
  answer.resolve({ kind: 'accepted', status: 202, operation: 'op', immediate: false });
  await settled;
  await expect.poll(async () => (await change())?.state).toBe('accepted');
  const events = await database.db.selectFrom('audit').select('event').orderBy('seq').execute();
  expect(events.map(({ event }) => event)).not.toContain('outcome_lost');
});
