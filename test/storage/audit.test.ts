import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  appendAudit,
  auditHead,
  hashLine,
  keyId,
  listAudit,
  emptyHead,
  type AuditEntry,
} from '../../src/storage/audit.ts';
import { openDatabase, type Database } from '../../src/storage/database.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { describeBoth } from './describe-both.ts';

const key = Buffer.from('a key of the audit chain');
const other = Buffer.from('another key of the audit chain');
const entry: AuditEntry = { at: 7, change: 1, event: 'sending', actor: 'U1', details: '{"odd":"é\\u0000 \'"}' };

const append = (database: Database, more: Partial<AuditEntry> = {}) =>
  database.transaction((tx) => appendAudit(tx, { ...entry, ...more }, key));

const appendUnkeyed = (database: Database) => database.transaction((tx) => appendAudit(tx, entry, undefined));

/** Alters rows as somebody with the database's password could. */
async function tamper(database: Database, ...statements: readonly string[]): Promise<void> {
  const triggers =
    database.kind === 'sqlite'
      ? ['drop trigger audit_no_update', 'drop trigger audit_no_delete']
      : ['drop trigger audit_no_change on audit'];
  for (const statement of [...triggers, ...statements]) await sql.raw(statement).execute(database.db);
}

async function ten(database: Database): Promise<void> {
  for (let at = 1; at <= 10; at += 1) await append(database, { at });
}

describeBoth('the trail', (open) => {
  it('chains each line to the one before', async () => {
    const database = await open();
    expect(await auditHead(database.db)).toEqual(emptyHead);
    const first = await append(database);
    const second = await append(database, { change: null, event: 'pause' });
    expect(first).toMatchObject({ ...entry, seq: 1, previous: emptyHead.hash });
    expect(second).toMatchObject({ seq: 2, previous: first.hash });
    const head = { seq: 2, hash: second.hash };
    expect(await auditHead(database.db)).toEqual(head);
    expect(await verifyAudit(database.db, [key], head)).toMatchObject({ kind: 'proven', lines: 2, head });
  });

  it('stays one chain when replicas write at once', async () => {
    const database = await open();
    const replica = await database.again();
    await Promise.all(Array.from({ length: 40 }, (_, by) => append(by % 2 === 0 ? database : replica, { at: by })));
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'proven', lines: 40 });
  });

  it('leaves no gap when a transaction is rolled back', async () => {
    const database = await open();
    const work = database.transaction(async (tx) => {
      await appendAudit(tx, entry, key);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await append(database)).toMatchObject({ seq: 1 });
  });

  it.each([
    "update audit set actor = 'U9'",
    'delete from audit',
    'delete from audit where seq = 1',
    "insert into audit select seq, at, change, event, 'U9', details, previous, hash, target from audit where seq = 1",
  ])('cannot be written over: %s', async (statement) => {
    const database = await open();
    const line = await append(database);
    await expect(sql.raw(statement).execute(database.db)).rejects.toThrow(/append-only|unique/i);
    expect(await listAudit(database.db, { limit: 9 })).toEqual([line]);
  });

  it.each(['at = 99', 'change = 2', 'change = null', "event = 'done'", "actor = 'U9'", "details = '{}'"])(
    'detects an altered line: %s',
    async (alteration) => {
      const database = await open();
      await ten(database);
      await tamper(database, `update audit set ${alteration} where seq = 4`);
      expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 4, why: 'it was altered' });
    },
  );

  it.each(['null', "'environment:e2'"])('detects a line that was hidden from its target: %s', async (target) => {
    const database = await open();
    await append(database, { details: '{"target_key":"environment:e1"}' });
    await tamper(database, `update audit set target = ${target}`);
    const why = 'it is listed under another target than the one it names';
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 1, why });
  });

  it('detects removed lines at the beginning, in between, and at the end of what was anchored', async () => {
    const database = await open();
    await ten(database);
    const anchored = await auditHead(database.db);
    await tamper(database, 'delete from audit where seq = 10');
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'proven', lines: 9 });
    expect(await verifyAudit(database.db, [key], anchored)).toMatchObject({ kind: 'altered', seq: 10 });
    await sql`delete from audit where seq = 5`.execute(database.db);
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 6, why: 'line 5 is missing' });
    await sql`delete from audit where seq = 1`.execute(database.db);
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 2, why: 'line 1 is missing' });
    await sql`delete from audit`.execute(database.db);
    expect(await verifyAudit(database.db, [key], anchored)).toMatchObject({ kind: 'altered', seq: 1 });
  });

  it('detects lines in another order, or moved up into a gap', async () => {
    const database = await open();
    await ten(database);
    await tamper(database, 'update audit set seq = -3 where seq = 3', 'update audit set seq = 3 where seq = 4');
    await sql`update audit set seq = 4 where seq = -3`.execute(database.db);
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 3 });
    await sql`delete from audit where seq < 5`.execute(database.db);
    for (let seq = 5; seq <= 10; seq += 1)
      await sql`update audit set seq = ${seq - 4} where seq = ${seq}`.execute(database.db);
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 1 });
  });

  it('detects a rewritten chain by the anchored head', async () => {
    const [database, forged] = [await open(), await open()];
    await ten(database);
    for (let at = 1; at <= 12; at += 1) await append(forged, { at, actor: 'U9' });
    const why = 'it is not the line that was published';
    expect(await verifyAudit(forged.db, [key], await auditHead(database.db))).toMatchObject({
      kind: 'altered',
      seq: 10,
      why,
    });
  });

  it('accepts lines without a key only before the first key', async () => {
    const database = await open();
    await appendUnkeyed(database);
    await appendUnkeyed(database);
    expect(await verifyAudit(database.db, [])).toMatchObject({ kind: 'proven', lines: 2 });
    const none = [{ from: 1, to: 2, why: 'no key' }];
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'unproven', lines: 2, gaps: none });
    await append(database, { event: 'sealed' });
    const nobody = [{ from: 1, to: 2, why: 'not confirmed', key: keyId(key) }];
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'unproven', lines: 3, gaps: nobody });
    const unknown = [{ from: 3, to: 3, why: 'unknown key', key: keyId(key) }];
    const sealed = [{ from: 1, to: 2, why: 'unknown seal', key: keyId(key) }];
    expect(await verifyAudit(database.db, [])).toMatchObject({ kind: 'unproven', gaps: [...sealed, ...unknown] });
    expect(await verifyAudit(database.db, [other])).toMatchObject({ kind: 'unproven', gaps: [...sealed, ...unknown] });
    await append(database);
    expect(await verifyAudit(database.db, [other])).toMatchObject({
      gaps: [...sealed, { ...unknown[0], to: 4 }],
    });
    await appendUnkeyed(database);
    expect(await verifyAudit(database.db, [key])).toMatchObject({
      kind: 'altered',
      seq: 5,
      why: 'it was written without the key',
    });
  });

  it('detects lines without a key, or with another one, before later lines of a running bot', async () => {
    for (const forged of [undefined, other]) {
      const database = await open();
      for (let at = 1; at <= 3; at += 1) await database.transaction((tx) => appendAudit(tx, { ...entry, at }, forged));
      await append(database);
      const why = `it was not written with key ${keyId(key)}, as line 4 was, and no line says that the key was changed`;
      expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 1, why });
    }
  });

  it('believes a confirmation by the newest key alone, also behind an altered line', async () => {
    const database = await open();
    const say = async (event: string, by: Buffer): Promise<void> => {
      const { content } = await verifyAudit(database.db, [other, key]);
      const details = JSON.stringify({ content });
      await database.transaction((tx) => appendAudit(tx, { ...entry, event, details }, by));
    };
    await say('pause', key);
    await tamper(database, "update audit set actor = 'U9'");
    await say('rekeyed', other);
    await say('trail_confirmed', key);
    expect(await verifyAudit(database.db, [other, key])).toMatchObject({ kind: 'altered', seq: 1 });
    await say('trail_confirmed', other);
    expect(await verifyAudit(database.db, [other, key])).toMatchObject({ kind: 'proven', confirmed: { seq: 4 } });
  });

  it('changes keys only at a line that says so, and never back', async () => {
    const database = await open();
    const say = (event: string, by: Buffer) => database.transaction((tx) => appendAudit(tx, { ...entry, event }, by));
    await say('pause', key);
    expect(await verifyAudit(database.db, [other, key])).toMatchObject({
      kind: 'unproven',
      gaps: [{ from: 1, to: 1, why: 'former key', key: keyId(key) }],
    });
    await say('rekeyed', other);
    await say('pause', other);
    expect(await verifyAudit(database.db, [other, key])).toMatchObject({ kind: 'proven', lines: 3 });
    await say('rekeyed', key);
    await say('pause', key);
    await say('pause', other);
    expect(await verifyAudit(database.db, [other, key])).toMatchObject({
      kind: 'unproven',
      gaps: [{ from: 4, to: 5, why: 'replaced key', key: keyId(key) }],
    });
    // Each line falls into one gap only.
    expect(await verifyAudit(database.db, [key, other])).toMatchObject({
      kind: 'unproven',
      gaps: [
        { from: 2, to: 3, why: 'former key', key: keyId(other) },
        { from: 4, to: 5, why: 'replaced key', key: keyId(key) },
        { from: 6, to: 6, why: 'former key', key: keyId(other) },
      ],
    });
  });

  it('is verified in several batches', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (let at = 1; at <= 1_001; at += 1) await appendAudit(tx, { ...entry, at }, key);
    });
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'proven', lines: 1_001 });
    await tamper(database, "update audit set actor = 'U9' where seq = 1001");
    expect(await verifyAudit(database.db, [key])).toMatchObject({ kind: 'altered', seq: 1_001 });
  });

  it('is listed by filter, newest first', async () => {
    const database = await open();
    await append(database, { at: 1 });
    await append(database, { at: 2, change: 2, actor: 'U2' });
    await append(database, { at: 3, event: 'done' });
    const seqs = async (filter: object) =>
      (await listAudit(database.db, { limit: 9, ...filter })).map(({ seq }) => seq);
    expect(await seqs({})).toEqual([3, 2, 1]);
    expect(await seqs({ limit: 1, beforeSeq: 3 })).toEqual([2]);
    expect(await seqs({ change: 1 })).toEqual([3, 1]);
    expect(await seqs({ actor: 'U2' })).toEqual([2]);
    expect(await seqs({ event: 'sending', since: 2 })).toEqual([2]);
    expect(await seqs({ until: 2 })).toEqual([1]);
  });
});

describe('the trail in an SQLite file', () => {
  it('cannot be written over by replacing a line', async () => {
    const database = await openDatabase('sqlite::memory:');
    await append(database);
    // As on connections of other programs.
    await sql`pragma recursive_triggers = off`.execute(database.db);
    const replace = sql`insert or replace into audit select seq, at, change, event, 'U9', details, previous, hash, target from audit`;
    await expect(replace.execute(database.db)).rejects.toThrow(/append-only/);
    await database.close();
  });
});

describe('the hash of a line', () => {
  it('differs for two lines whose texts are the same when joined', () => {
    const line = { seq: 1, at: 1, change: null, event: 'a', actor: 'bc', details: '', previous: '' };
    expect(hashLine(line, key)).not.toBe(hashLine({ ...line, event: 'ab', actor: 'c' }, key));
    expect(hashLine(line, key)).not.toBe(hashLine(line, undefined));
  });
});
