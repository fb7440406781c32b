import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { plain } from '../../src/words/text.ts';
import { findingPage, shortHash } from '../../src/audit/finding.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import { sealAudit } from '../../src/audit/audit-keys.ts';
import { confirmTrail, publishAuditHead, findingOf, isKnownAltered } from '../../src/audit/audit-anchor.ts';
import { appendAudit, auditHead, keyId } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { writeKv } from '../../src/storage/kv.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { describeBoth } from '../storage/describe-both.ts';
import { save } from '../storage/samples.ts';

const key = Buffer.from('a key of the audit chain');
const day = 86_400_000;

const append = (database: Database, at: number, seal: Buffer | 'plain' = key) =>
  database.transaction((tx) =>
    appendAudit(
      tx,
      { at, change: null, event: 'pause', actor: 'U1', details: '{}' },
      seal === 'plain' ? undefined : seal,
    ),
  );
const contextOf = (database: Database, auditKey: Buffer | undefined = key) => ({
  database,
  changeStore: createChangeStore({ auditKey, installation: '', onEvent: () => undefined }),
  auditKeys: auditKey === undefined ? [] : [auditKey],
});
const publish = (database: Database) => publishAuditHead(contextOf(database));
const opsSaid = async (database: Database): Promise<readonly string[]> => {
  const rows = await database.db.selectFrom('messages').selectAll().where('kind', '=', 'ops').orderBy('id').execute();
  return rows.map(({ body }) => body ?? '');
};
const verified = async (database: Database, seal: Buffer | 'plain' = key): Promise<string> => {
  const { title, parts } = findingPage(
    await findingOf(database.db, seal === 'plain' ? [] : [seal], await database.now()),
  );
  return [title, ...parts.map((part) => (part.kind === 'text' ? part.text : []))].map(plain).join('\n');
};
/** Alters rows as somebody with the database's password could. */
async function tamper(database: Database, statement: string): Promise<void> {
  const triggers =
    database.kind === 'sqlite'
      ? ['drop trigger if exists audit_no_update', 'drop trigger if exists audit_no_delete']
      : ['drop trigger if exists audit_no_change on audit'];
  for (const each of [...triggers, statement]) await sql.raw(each).execute(database.db);
}

describeBoth('the head of the trail', (open) => {
  it('is published at once, then once a day if there is something new', async () => {
    let now = 1_000;
    const database = await open({ now: () => now });
    expect(await publish(database)).toBeUndefined();
    await append(database, now);
    const head = await auditHead(database.db);
    expect(await publish(database)).toEqual({ kind: 'published', head });
    expect(await publish(database)).toBeUndefined();
    now += day;
    expect(await publish(database)).toBeUndefined();
    await append(database, now - 1);
    now -= 1;
    expect(await publish(database)).toBeUndefined();
    now += 1;
    expect(await publish(database)).toMatchObject({ kind: 'published', head: { seq: 2 } });
    const messages = await opsSaid(database);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(shortHash(head.hash));
  });

  it('is published although somebody recorded a publication in the future', async () => {
    const database = await open({ now: () => 40 * day });
    await append(database, 1);
    const { seq, hash } = await auditHead(database.db);
    const value = JSON.stringify({ seq, hash });
    await database.transaction((tx) => writeKv(tx, { key: 'published_head', value, at: 8e15 }));
    await append(database, 1);
    expect(await publish(database)).toMatchObject({ kind: 'published', head: { seq: 2 } });
    expect(await publish(database)).toBeUndefined();
    expect(await verified(database)).toMatch(/^All 2 lines of the audit trail are unaltered/);
  });

  it.each(['before', 'after'])('is published at a first start that ended early: %s an hour', async (when) => {
    let now = 1_000;
    const database = await open({ now: () => now });
    await append(database, now);
    now += when === 'after' ? 3 * day : 0;
    expect(await verified(database)).toMatch(/^The one line of the audit trail is unaltered/);
    expect(await publish(database)).toMatchObject({ kind: 'published', head: { seq: 1 } });
  });

  it('is published by one of two replicas', async () => {
    const database = await open({ now: () => 2 * day });
    const replica = await database.again({ now: () => 2 * day });
    await append(database, 1);
    const both = await Promise.all([publish(database), publish(replica)]);
    expect(both.filter((telling) => telling !== undefined)).toHaveLength(1);
    expect(await opsSaid(database)).toHaveLength(1);
  });

  it.each([
    ['cut off', ['delete from audit where seq >= 2'], 'the trail had a line 2, and now it ends before this one'],
    [
      'cut off with the record of it',
      ['delete from audit where seq >= 2', "delete from kv where key = 'published_head'"],
      'the head announced last is no longer on record, where Sitehand always keeps it; lines at the end may be gone with it',
    ],
    [
      'altered, and hashed again',
      ["update audit set hash = 'f00d' where seq = 2"],
      'it is not the line that was published',
    ],
  ])(
    'that was published, and is %s, raises the alarm until somebody confirms the trail',
    async (_, statements, why) => {
      let now = 1_000;
      const database = await open({ now: () => now });
      await append(database, now);
      await append(database, now);
      await publish(database);
      for (const statement of statements) await tamper(database, statement);
      expect(await isKnownAltered(database.db)).toBe(true);
      const alarm = { kind: 'altered', seq: 2, why };
      expect(await publish(database)).toEqual(alarm);
      expect(await publish(database)).toBeUndefined();
      // Nothing that is written into the database alone ends it, and a time in the future does not silence it.
      await append(database, now);
      await database.db.updateTable('kv').set({ at: 8e12 }).where('key', '=', 'published_head').execute();
      expect(await publish(database)).toMatchObject({ kind: 'altered' });
      expect(await publish(database)).toBeUndefined();
      const { seq, hash } = await auditHead(database.db);
      await database.transaction((tx) =>
        writeKv(tx, { key: 'published_head', value: JSON.stringify({ seq, hash }), at: now }),
      );
      now += day;
      await append(database, now);
      expect(await publish(database)).toMatchObject({ kind: 'altered' });
      expect(await verified(database)).toMatch(/^⚠️ The audit trail was altered: line 2 is wrong\./);
      expect((await opsSaid(database)).filter((one) => one.includes('The audit trail was altered'))).toHaveLength(2);

      await confirmTrail(contextOf(database), 'deploy@web1');
      expect(await isKnownAltered(database.db)).toBe(false);
      expect(await publish(database)).toBeUndefined();
      const after = await verified(database);
      expect(after).toMatch(
        /^The audit trail is unaltered from line \d on\. deploy@web1 confirmed the lines before on 1970/,
      );
      expect(after).toMatch(/says what was found in them: “⚠️ The audit trail was altered: line 2 is wrong\./);
      expect((await opsSaid(database)).at(-1)).toContain('deploy@web1 confirmed the audit trail as it stands');
      await append(database, now);
      expect(await verified(database)).toMatch(/^The audit trail is unaltered from line \d on/);
      // What was confirmed stays as it was then.
      await tamper(database, "update audit set actor = 'U9' where seq = 1");
      expect(await verified(database)).toMatch(/^⚠️ The audit trail was altered: line 1 is wrong\. It was altered/);
    },
  );

  it.each<[string, (database: Database) => Promise<unknown>, RegExp]>([
    ['added', (database) => append(database, 5), /^The audit trail is unaltered from line 4 on\./],
    [
      'altered',
      (database) => tamper(database, "update audit set actor = 'U8' where seq = 1"),
      /^⚠️ The audit trail was altered: line 1 is wrong\. It was altered/,
    ],
  ])('is confirmed as it was read, before others are held up: a line is %s meanwhile', async (_, meanwhile, said) => {
    const database = await open({ now: () => 5 });
    for (const at of [1, 2]) await append(database, at);
    await tamper(database, "update audit set actor = 'U9' where seq = 1");
    const transaction: Database['transaction'] = async (work) => {
      await meanwhile(database);
      return database.transaction(work);
    };
    await confirmTrail({ ...contextOf(database), database: { ...database, transaction } }, 'deploy@web1');
    expect(await verified(database)).toMatch(said);
  });

  it('is not published while the trail counts as altered, also if it was put right again', async () => {
    let now = 1_000;
    const database = await open({ now: () => now });
    for (const at of [1, 2, 3]) await append(database, at);
    await publish(database);
    await append(database, now);
    await tamper(database, "update audit set actor = 'U9' where seq = 2");
    expect(await publish(database)).toBeUndefined();
    now += day;
    expect(await publish(database)).toEqual({ kind: 'altered', seq: 2, why: 'it was altered' });
    await tamper(database, "update audit set actor = 'U1' where seq = 2");
    const said = 'line 2 is wrong. It was altered, as line 5 says, and nobody has confirmed it since.';
    expect(await verified(database)).toContain(said);
    await tamper(database, 'delete from audit where seq = 5');
    expect(await isKnownAltered(database.db)).toBe(true);
    expect(await verified(database)).toContain('line 5 is wrong. The trail had a line 5, and now it ends before');
    const why = 'the trail had a line 5, and now it ends before this one';
    expect(await publish(database)).toEqual({ kind: 'altered', seq: 5, why });
    expect(await verified(database)).toContain('line 5 is wrong.');
  });

  it.each<[string, Buffer | 'plain', object, RegExp]>([
    [
      'without the key',
      'plain',
      {},
      /^⚠️ The audit trail was altered: line 2 is wrong\. It was written without the key/,
    ],
    ['over other lines', key, { content: 'f00d' }, /^⚠️ The audit trail was altered: line 1 is wrong\./],
  ])('is not proven by a confirmation that was forged: %s', async (_, seal, details, said) => {
    const database = await open({ now: () => 5 });
    await append(database, 1);
    if (seal === key) await tamper(database, "update audit set actor = 'U9' where seq = 1");
    const { content } = await verifyAudit(database.db, [key]);
    const entry = { at: 5, change: null, event: 'trail_confirmed', actor: 'sitehand' };
    await database.transaction((tx) =>
      appendAudit(
        tx,
        { ...entry, details: JSON.stringify({ by: 'eve', found: 'x', content, ...details }) },
        seal === 'plain' ? undefined : seal,
      ),
    );
    expect(await verified(database)).toMatch(said);
  });
});

describeBoth('verifying the trail', (open) => {
  it('says in one sentence that it is intact, up to which line, and the head to compare', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    const database = await open({ now: () => now });
    expect(await verified(database)).toContain('The audit trail is still empty.');
    await append(database, now);
    const first = await verified(database);
    expect(first).toMatch(/^The one line of the audit trail is unaltered since 2026-03-01 12:00 UTC\./);
    expect(first).toContain('No announced head is on record');
    now += day;
    await append(database, now);
    await publish(database);
    const { hash } = await auditHead(database.db);
    const said = await verified(database);
    expect(said).toMatch(/^All 2 lines of the audit trail are unaltered since 2026-03-01 12:00 UTC\./);
    expect(said).toContain(`The newest is line 2, ${shortHash(hash)}.`);
    expect(said).toContain(`It contains the head announced last: line 2, ${shortHash(hash)}, on 2026-03-02 12:00 UTC.`);
    expect(said).toContain('The chain is keyed');
  });

  it('says that a plain hash protects only from accidents, and how many lines are older than the key', async () => {
    const database = await open({ now: () => 5 });
    await append(database, 1, 'plain');
    await append(database, 2, 'plain');
    const plainly = await verified(database, 'plain');
    expect(plainly).toContain('All 2 lines of the audit trail are unaltered');
    expect(plainly).toContain('The chain is a plain hash: it shows accidents');
    expect(plainly).not.toContain('keyed');
    const changeStore = createChangeStore({ auditKey: key, installation: '', onEvent: () => undefined });
    expect(await sealAudit({ database, changeStore, auditKeys: [key] })).toEqual({
      seq: 3,
      from: undefined,
      to: keyId(key),
    });
    expect(await sealAudit({ database, changeStore, auditKeys: [key] })).toBeUndefined();
    await append(database, 4);
    const sealed = await verified(database);
    const older = `lines 1–2 are older than the key ${keyId(key)}, and nobody has confirmed them`;
    expect(sealed).toContain(`The audit trail is not provable: ${older}. I know of no wrong line.`);
    expect(sealed).toContain('If there was a key before, somebody rewrote them without it.');
    // Heads go on, and prove nothing about those lines.
    expect(await publish(database)).toMatchObject({ kind: 'published' });
    expect(await verified(database)).toContain(older);
    await confirmTrail(contextOf(database), 'deploy@web1');
    expect(await verified(database)).toContain(
      `Line 5 says what was found in them: “⚠️ The audit trail is not provable: ${older}`,
    );
    expect((await confirmTrail(contextOf(database), 'deploy@web1')).verdict).toMatchObject({
      kind: 'proven',
      lines: 5,
    });
    expect((await opsSaid(database)).join('')).toContain('was set for the first time');
    await expect(sealAudit({ database, changeStore, auditKeys: [] })).rejects.toThrow(
      /made with a key \([\da-f]{8}\), and AUDIT_KEY is not/,
    );
  });

  it('reports a change without audit lines', async () => {
    const database = await open({ now: () => 5 });
    const { number } = await save(database);
    const missing = `line 1 is wrong. Change #${number} exists, but it has no audit line.`;
    expect(await verified(database)).toContain(missing);
    const entry = { at: 5, event: 'asked', actor: 'U1', details: '{}' };
    await database.transaction((tx) => appendAudit(tx, { ...entry, change: number }, key));
    expect(await verified(database)).toMatch(/^The one line of the audit trail is unaltered/);
  });

  it('names the first line that is wrong, and why', async () => {
    const database = await open();
    for (let at = 1; at <= 5; at += 1) await append(database, at);
    await tamper(database, "update audit set actor = 'U9' where seq = 3");
    expect(await verified(database)).toMatch(/^⚠️ The audit trail was altered: line 3 is wrong\. It was altered\./);
    await sql`delete from audit where seq = 2`.execute(database.db);
    expect(await verified(database)).toContain('line 3 is wrong. Line 2 is missing.');
  });
});
