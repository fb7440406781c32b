import { expect, test, afterEach, describe, it, vi } from 'vitest';
import { CommitUnanswered, isBack, isLostConnection } from '../../src/base/lost-connection.ts';
import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import { createChangeStore } from '../../src/change/change-store.ts';
import { claimDue, insertChange, touchChange } from '../../src/storage/changes.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import { enqueueMessage } from '../../src/storage/messages.ts';
import { migrations } from '../../src/storage/migrations/migrate.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { insertQueued, queueOf, removeQueued, wakeNext } from '../../src/storage/queue.ts';
import type { ReadHandle } from '../../src/storage/schema.ts';
import { freshPostgres, makeDatabase, noPostgres, postgresRuns } from '../postgres.ts';
import { changeOf } from '../fixtures.ts';
import { sample, sampleQueued, save } from './samples.ts';

/** Which errors say that the connection to PostgreSQL was lost before a commit. */

const error = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

test.each<[string, Error]>([
  ['the server shuts down', error('terminating connection', { severity: 'FATAL', code: '57P01' })],
  ['it crashed', error('terminating connection', { severity: 'WARNING', code: '57P02' })],
  ['it starts', error('the database system is starting up', { severity: 'FATAL', code: '57P03' })],
  ['the pooler lost it', error('server conn crashed?', { severity: 'FATAL', code: '08P01' })],
  ['it is refused', error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' })],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNABORTED'].map(
    (code): [string, Error] => [`its host is away: ${code}`, error(`read ${code}`, { code })],
  ),
  ['it ended', error('Connection terminated unexpectedly')],
  ['the pool gave up', error('timeout exceeded when trying to connect')],
])('lost: %s', (_, lost) => {
  expect(isLostConnection(lost)).toBe(true);
});

test.each([
  ['a lock', error('canceling statement due to lock timeout', { severity: 'ERROR', code: '55P03' })],
  ['a conflict', error('could not serialize', { severity: 'ERROR', code: '40001' })],
  ['a commit without an answer', new CommitUnanswered(error('Connection terminated unexpectedly'))],
  ['no error', 'Connection terminated'],
  ['another system says 57P01', error('busy', { code: '57P01' })],
])('not lost: %s', (_, other) => {
  expect(isLostConnection(other)).toBe(false);
});

test('a database that stays away is not waited for any longer', async () => {
  expect(await isBack({ now: () => Promise.reject(new Error('away')) }, 0)).toBe(false);
});

const processOf = async (db: ReadHandle): Promise<number> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
};
const end = (db: ReadHandle, pid: number) => sql`select pg_terminate_backend(${pid})`.execute(db);

describe.runIf(postgresRuns)(`replicas on PostgreSQL${noPostgres}`, () => {
  const opened: Database[] = [];
  const open = async (url: string, options?: DatabaseOptions): Promise<Database> => {
    const database = await openDatabase(url, options);
    opened.push(database);
    return database;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });

  it('that start at once make the tables once, and know each other', async () => {
    const url = await freshPostgres();
    const replicas = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    expect(new Set(replicas.map(({ installation }) => installation)).size).toBe(1);
    const [first] = replicas;
    if (first === undefined) throw new Error('no replica');
    const { rows } = await sql`select step from migrations`.execute(first.db);
    expect(rows).toHaveLength(migrations.length);
  });

  it('go on when an idle connection is lost', async () => {
    const url = await freshPostgres();
    const lost = Promise.withResolvers<Error>();
    const [database, other] = [await open(url, { onLost: lost.resolve }), await open(url)];
    await end(other.db, await processOf(database.db));
    expect((await lost.promise).message).toMatch(/terminat/);
    expect(await readKv(database.db, 'pause')).toBeUndefined();
  });

  it('commit nothing when a connection is lost between two statements, and go on', async () => {
    const url = await freshPostgres();
    const lost = Promise.withResolvers<Error>();
    const [database, other] = [await open(url, { onLost: lost.resolve }), await open(url)];
    const work = database.transaction(async (tx) => {
      await writeKv(tx, { key: 'half', value: '', at: 1 });
      await end(other.db, await processOf(tx));
      await lost.promise;
    });
    await expect(work).rejects.toThrow(/commit got no answer/);
    expect(await readKv(database.db, 'half')).toBeUndefined();
    await database.transaction((tx) => writeKv(tx, { key: 'whole', value: '', at: 1 }));
    expect(await readKv(other.db, 'whole')).toBeDefined();
  });

  it('go on when a place in a queue ends while the one ahead of it wakes it', async () => {
    const url = await freshPostgres();
    const [one, other] = [await open(url), await open(url)];
    const join = () => one.transaction((tx) => insertQueued(tx, sampleQueued));
    const [first, second] = [await join(), await join()];
    let waking: Promise<void> | undefined;
    await one.transaction(async (tx) => {
      await removeQueued(tx, second, 20);
      waking = other.transaction((its) => wakeNext(its, first, 30));
      const waits = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await vi.waitFor(async () => expect((await waits.execute(tx)).rows).toHaveLength(1));
    });
    await waking;
    expect(await queueOf(one.db, first.target)).toMatchObject([{ id: first.id, due_at: 20 }]);
  });

  it('both finish when they wait for each other', async () => {
    const url = await freshPostgres();
    const [one, other] = [await open(url), await open(url)];
    await one.transaction(async (tx) => {
      for (const key of ['a', 'b']) await writeKv(tx, { key, value: '', at: 0 });
    });
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let attempts = 0;
    const add = (database: Database, mine: 0 | 1, keys: readonly [string, string]) =>
      database.transaction(async (tx) => {
        attempts += 1;
        const up = (key: string) =>
          tx
            .updateTable('kv')
            .set({ at: sql`at + 1` })
            .where('key', '=', key)
            .execute();
        await up(keys[0]);
        both[mine].resolve();
        await both[mine === 0 ? 1 : 0].promise;
        await up(keys[1]);
      });
    await Promise.all([add(one, 0, ['a', 'b']), add(other, 1, ['b', 'a'])]);
    expect(attempts).toBeGreaterThan(2);
    expect([await readKv(one.db, 'a'), await readKv(one.db, 'b')]).toMatchObject([{ at: 2 }, { at: 2 }]);
  });

  it('go by the server’s clock', async () => {
    const database = await open(await freshPostgres());
    const times = await database.transaction(async (tx) => {
      const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx);
      return [rows[0]?.at.getTime() ?? 0, await database.now(tx)] as const;
    });
    expect(times[1]).toBeGreaterThanOrEqual(times[0]);
    expect(times[1]).toBeLessThan(times[0] + 5_000);
    expect(Number.isInteger(times[1])).toBe(true);
  });

  it.each([
    { as: 'off', moving: 'on' },
    { as: 'local', moving: 'on' },
    { as: 'remote_write', moving: 'on' },
    { as: 'on', moving: 'on' },
    { as: 'remote_apply', moving: 'remote_apply' },
  ])(
    'promise 1: wait for the disk with whatever moves a change, where the server is set to $as, and leave the rest to it',
    async ({ as, moving }) => {
      const url = new URL(await freshPostgres());
      url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c synchronous_commit=${as}`);
      const database = await open(url.href);
      const changeStore = createChangeStore({ auditKey: undefined, installation: '', onEvent: () => undefined });
      const waits = async (db: ReadHandle): Promise<unknown> =>
        (await sql<{ mode: string }>`select current_setting('synchronous_commit') as mode`.execute(db)).rows[0]?.mode;
      const row = { ...sample, state: 'approved', card: changeOf().card } as const;
      const [change, atBirth] = await database.transaction(async (tx) => {
        const begun = await changeStore.begin(tx, row, { by: 'U1', at: 1 });
        return [begun, await waits(tx)] as const;
      });
      const atSending = await database.transaction(async (tx) => {
        await changeStore.advance(tx, change, { kind: 'send', owner: 'me', leaseMs: 1 }, { by: 'sitehand', at: 2 });
        return waits(tx);
      });
      const ofLease = await database.transactionWithoutFsync((tx) => waits(tx));
      expect([atBirth, atSending, ofLease, await waits(database.db)]).toEqual([moving, moving, as, as]);
    },
  );

  /** Opens two replicas of which the second one listens; `heard` resolves when it is told of due work again. */
  const listening = async (url?: string) => {
    const { href } = await makeDatabase();
    const [one, other] = [await open(href), await open(href)];
    const told = new EventEmitter();
    const trouble: unknown[] = [];
    let times = 0;
    const heard = (): Promise<unknown> => once(told, 'due');
    const next = heard();
    other.listen({
      url,
      onDue: () => void told.emit('due', (times += 1)),
      onTrouble: (error) => void told.emit('trouble', trouble.push(error)),
    });
    return { one, other, told, next, heard, times: () => times, trouble };
  };

  it('hear of what is due now when it is committed, but not of edits, and of nothing else', async () => {
    const { one, next, heard, times } = await listening();
    await next;
    const changes = await Promise.all([1, 2].map(() => save(one, { due_at: 9_000_000_000_000 })));
    const undone = one.transaction(async (tx) => {
      await insertChange(tx, { ...sample, due_at: 1 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const begun = heard();
    await one.transaction(async (tx) => {
      for (const change of changes) await touchChange(tx, change, { due_at: 1 });
    });
    await begun;
    const again = heard();
    await one.transaction(async (tx) => {
      const claimed = await claimDue(tx, { owner: 'me', now: 2, leaseMs: 1_000, limit: 1 });
      for (const change of claimed) await touchChange(tx, change, { due_at: null, owner: null, lease_until: null });
    });
    await one.transaction((tx) => enqueueMessage(tx, { key: 'a', kind: 'ops', body: '{}', at: 1 }));
    await again;
    const last = heard();
    await one.transaction(async (tx) => {
      await tx.updateTable('messages').set({ due_at: null, channel: 'C1', ts: '1.1' }).execute();
      await enqueueMessage(tx, { key: 'a', kind: 'ops', body: '{}', at: 1 });
    });
    await save(one, { due_at: 1 });
    await last;
    expect(times()).toBe(4);
  });

  it('listen again when the connection for it was lost', async () => {
    const { one, told, next, heard, trouble } = await listening();
    await next;
    const [lost, back] = [once(told, 'trouble'), heard()];
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'sitehand listener'`.execute(one.db);
    await lost;
    expect(String(trouble[0])).toMatch(/terminat/);
    await back;
    const due = heard();
    await save(one, { due_at: 1 });
    await due;
    expect(trouble).toHaveLength(1);
  });

  it('do not listen to another database', async () => {
    const other = await makeDatabase();
    await (await openDatabase(other.href)).close();
    const { told, trouble } = await listening(other.href);
    await once(told, 'trouble');
    expect(String(trouble[0])).toContain('DATABASE_LISTEN_URL leads to another database than DATABASE_URL');
  });

  it('have ten connections each, and one to listen, however much there is to do', async () => {
    const { one, other, next } = await listening();
    await next;
    const counted = (): Promise<Record<string, number>> =>
      other.transaction(async (tx) => {
        const { rows } = await sql<{ name: string; count: number }>`
          select application_name as name, count(*) as count from pg_stat_activity
          where datname = current_database() group by 1`.execute(tx);
        await sql`select pg_sleep(0.01)`.execute(tx);
        return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
      });
    await one.close();
    opened.splice(opened.indexOf(one), 1);
    const counts = await Promise.all(Array.from({ length: 40 }, counted));
    const most = (name: string): number => Math.max(...counts.map((found) => found[name] ?? 0));
    expect([most('sitehand'), most('sitehand listener')]).toEqual([10, 1]);
  });

  it('give out numbers themselves', async () => {
    const database = await open(await freshPostgres());
    const forced = { ...sample, number: 7 };
    await expect(database.transaction((tx) => insertChange(tx, forced))).rejects.toThrow(/number/);
  });

  it('say so when nobody answers', async () => {
    const opening = openDatabase('postgres://sitehand@localhost/sitehand?host=/nowhere');
    await expect(opening).rejects.toThrow(
      /^The database cannot be opened: .*ENOENT.*\. Nothing was changed\. Check DATABASE_URL/,
    );
  });
});
