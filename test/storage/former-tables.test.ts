import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { appendAudit } from '../../src/storage/audit.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { adoptFormer } from '../../src/storage/former-tables.ts';
import { enqueueMessage, ownWords } from '../../src/storage/messages.ts';
import { migrations } from '../../src/storage/migrations/migrate.ts';
import { queueOf } from '../../src/storage/queue.ts';
import { findHandedOn, findOpen, insertWaiting, listOpen } from '../../src/storage/waiting.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { sampleQueued, sampleWatch } from './samples.ts';

/** An upgrade from the version with a table for each kind of what waits, while a replica of it may still run. */

const formerSteps = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'one table for what waits'),
);
const now = 10_000;
const later = now + 60_000;

const urls: readonly (readonly [string, boolean, () => Promise<string>])[] = [
  [
    'SQLite',
    true,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sitehand-former-'));
      undo.push(async () => rmSync(folder, { recursive: true }));
      return `sqlite:${folder}/sitehand.db`;
    },
  ],
  ...(postgresRuns ? [[`PostgreSQL${noPostgres}`, false, freshPostgres] as const] : []),
];
const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Runs statements of the older version. */
const runOn =
  ({ db }: Database) =>
  async (statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows;

/** Joins a queue, as the older version does. */
const place = (more: Readonly<Record<string, string | number | null>> = {}): string => {
  const row = {
    ...sampleQueued,
    expires_at: later,
    due_at: 20,
    ...more,
  };
  return insert('queued_requests', row);
};
const watch = (more: Readonly<Record<string, string | number | null>> = {}): string => {
  const row = {
    target_key: 'environment:e1',
    target: '{"id":"e1"}',
    requester: 'U1',
    requester_name: 'Ana',
    channel: 'C1',
    zone: 'UTC',
    created_at: 5,
    ends_at: later,
    read_to: 7,
    progress: '{"found":[]}',
    due_at: 30,
    ...more,
  };
  return insert('watches', row);
};
const handOn = (id: string, more: Readonly<Record<string, string | number | null>> = {}): string => {
  const row = { id, command: 'cache clear', args: '["cache","clear"]', says: '[]', posted: '[]', person: 'U1' };
  return insert('handed_on_requests', { ...row, created_at: 10, expires_at: later, ...more });
};
const insert = (table: string, row: Readonly<Record<string, string | number | null>>): string => {
  const values = Object.values(row).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`;
};

describe.each(urls)('what waits, at an upgrade on %s', (_, isAlone, url) => {
  const opened = async (address: string, steps = migrations): Promise<Database> => {
    const database = await openDatabase(address, { migrations: steps, now: () => now });
    // PostgreSQL has a clock of its own.
    return { ...database, now: async () => now };
  };
  /** A database that the older version uses. */
  const older = async () => {
    const address = await url();
    const database = await opened(address, formerSteps);
    const line = { at: 1, change: null, event: 'policy', actor: 'sitehand', details: '{}' };
    await database.transaction((tx) => appendAudit(tx, line, Buffer.alloc(32)));
    return { address, database, run: runOn(database) };
  };
  /** The same database with this version: beside the older one, or after it. */
  const upgraded = async ({ address, database: old }: Awaited<ReturnType<typeof older>>) => {
    if (isAlone) await old.close();
    const database = await opened(address);
    undo.push(() => database.close());
    if (!isAlone) undo.push(() => old.close());
    return { database, run: runOn(isAlone ? database : old) };
  };

  it('is moved whole and keeps its number, except for a place whose number is that of a watch', async () => {
    const before = await older();
    const { run, database: old } = before;
    await run(watch({ match: 'fatal', quiet: '22:00-07:00', tried_at: 8 }));
    const digest = {
      kind: 'digest',
      target_key: 'digest',
      target: '[{"id":"e1"}]',
      progress: '{"sites":[{"id":"s"}]}',
    };
    await run(watch(digest));
    await run(watch({ due_at: null, ended_at: 40, end_reason: 'over' }));
    for (const [at, requester] of ['U1', 'U2', 'U3', 'U4'].entries())
      await run(place({ requester, created_at: 10 + at }));
    await run('update queued_requests set turn_at = 15, attempts = 2 where id = 2');
    await run('delete from queued_requests where id = 3');
    await run(handOn('open'));
    await run(handOn('used', { ended_at: 50, used_by: 'U2', change: 7 }));
    await old.transaction(async (tx) => {
      for (const id of [2, 21]) {
        const key = `queue:${id}:queue_turn:15`;
        await enqueueMessage(tx, { key, kind: 'direct', recipient: 'U2', about: ownWords, body: '{}', at: 15 });
      }
    });

    const { database, run: runAfter } = await upgraded(before);
    await adoptFormer(database);
    for (const table of ['watches', 'queued_requests', 'handed_on_requests'])
      expect(await runAfter(`select * from ${table}`)).toEqual([]);
    const free = { uuid: null, owner: null, lease_until: null, ended_at: null, turn_at: null, tried_at: null };
    const told = { requester: 'U1', requester_name: 'Ana', channel: 'C1', zone: 'UTC' };
    const watches = { ...free, ...told, created_at: 5, expires_at: later, due_at: 30, targets: '[{"id":"e1"}]' };
    const log = { match: 'fatal', quiet: '22:00-07:00', tried_at: 8, read_to: 7, progress: '{"found":[]}' };
    expect(await listOpen(database.db, ['watch', 'digest'], { limit: 9 })).toEqual([
      { ...watches, ...log, id: 1, kind: 'watch', target: 'environment:e1' },
      { ...watches, id: 2, kind: 'digest', target: 'digest', sites: '[{"id":"s"}]' },
    ]);
    const queue = await queueOf(database.db, 'environment:e1');
    const asked = { ...sampleQueued, expires_at: later, due_at: 20, attempts: 0 };
    expect(queue[0]).toEqual({ ...free, ...asked, id: 1_005, kind: 'queue' });
    expect(queue.map(({ id, requester, turn_at, attempts }) => [id, requester, turn_at, attempts])).toEqual([
      [1_005, 'U1', null, 0],
      [1_006, 'U2', 15, 2],
      [4, 'U4', null, 0],
    ]);
    expect(await findOpen(database.db, ['queue'], 2)).toBeUndefined();
    const keys = await database.db.selectFrom('messages').select('key').orderBy('id').execute();
    expect(keys).toEqual([{ key: 'queue:1006:queue_turn:15' }, { key: 'queue:21:queue_turn:15' }]);
    const handed = { ...free, kind: 'hand_on', target: '["cache","clear"]', requester: 'U1', created_at: 10 };
    const offers = { expires_at: later, due_at: later, command: 'cache clear', says: '[]', posted: '[]' };
    const unused = { ...handed, ...offers, used_by: null, change: null };
    expect(await findHandedOn(database.db, 'open')).toMatchObject({ ...unused, uuid: 'open' });
    const used = { ended_at: 50, due_at: null, used_by: 'U2', change: 7 };
    expect(await findHandedOn(database.db, 'used')).toMatchObject({ ...unused, ...used, uuid: 'used' });
  });

  it('gives new numbers that an older replica does not give, and keeps those that it gives', async () => {
    const before = await older();
    await before.run(watch());
    const { database, run } = await upgraded(before);
    const own = await database.transaction((tx) => insertWaiting(tx, sampleWatch));
    await run(watch());
    for (let places = 0; places < 3; places += 1) {
      await run(place());
      await adoptFormer(database);
    }
    const all = await listOpen(database.db, ['watch', 'queue'], { limit: 9 });
    // Places 1 and 2 have the numbers of watches.
    const numbers = ['queue 1003', 'queue 1004', 'queue 3', 'watch 1', 'watch 1002', 'watch 2'];
    expect(all.map(({ id, kind }) => `${kind} ${id}`).toSorted()).toEqual(numbers);
    expect(own.id).toBe(1_002);
  });

  it('is left to an older replica while that has leased it, and a watch keeps its number', async () => {
    const before = await older();
    const leased = (until: number) => ({ owner: 'old', lease_until: until, due_at: until });
    for (const row of [watch(leased(now)), watch(leased(now + 1)), place(leased(now + 1)), place(leased(now))])
      await before.run(row);
    const { database, run } = await upgraded(before);
    await adoptFormer(database);
    const left = [...(await run('select due_at from watches')), ...(await run('select due_at from queued_requests'))];
    // The one process that has a file open finds what the one before it had leased.
    expect(left).toEqual(isAlone ? [] : [{ due_at: now + 1 }, { due_at: now + 1 }]);
    const moved = await listOpen(database.db, ['watch', 'queue'], { limit: 9 });
    expect(moved).toHaveLength(isAlone ? 4 : 2);
    expect(moved.every(({ owner }) => owner === null)).toBe(true);
    for (const table of ['watches', 'queued_requests'])
      await run(`update ${table} set owner = null, lease_until = null`);
    await adoptFormer(database);
    expect((await listOpen(database.db, ['watch'], { limit: 9 })).map(({ id }) => id)).toEqual([1, 2]);
  });

  it('is used once: by an older replica that goes on joining, claiming and using places, or from the new table', async () => {
    const { database, run } = await upgraded(await older());
    const many = 40;
    const used: unknown[] = [];
    const locking = isAlone ? '' : 'for no key update skip locked';
    const joins = async (): Promise<void> => {
      for (let one = 0; one < many; one += 1) await run(place({ requester: `U${one}` }));
    };
    const uses = async (): Promise<void> => {
      for (let one = 0; one < many; one += 1) {
        const [row] = await run(
          `update queued_requests set owner = 'old', lease_until = ${later} where id in (
            select id from queued_requests where owner is null order by id limit 1 ${locking}) returning id`,
        );
        if (row === undefined) continue;
        const gone = `delete from queued_requests where id = ${String(row['id'])} and owner = 'old' returning requester`;
        for (const { requester } of await run(gone)) used.push(requester);
      }
    };
    const over = new AbortController();
    const adopts = async (): Promise<void> => {
      while (!over.signal.aborted) await adoptFormer(database);
    };
    const adopting = adopts();
    await Promise.all([joins(), uses()]);
    over.abort();
    await adopting;
    await adoptFormer(database);
    const moved = (await queueOf(database.db, 'environment:e1')).map(({ requester }) => requester);
    const everybody = Array.from({ length: many }, (_, one) => `U${one}`);
    expect([...moved, ...used].map(String).toSorted()).toEqual(everybody.toSorted());
    expect(await run('select 1 from queued_requests')).toEqual([]);
  });
});
