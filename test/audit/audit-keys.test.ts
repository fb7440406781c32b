import { expect, it } from 'vitest';
import { createChangeStore } from '../../src/change/change-store.ts';
import { sealAudit } from '../../src/audit/audit-keys.ts';
import { appendAudit, auditHead, hashLine, keyId, linesAfter } from '../../src/storage/audit.ts';
import type { Database } from '../../src/storage/database.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { describeBoth } from '../storage/describe-both.ts';

const [first = Buffer.of(), second = Buffer.of(), third = Buffer.of()] = [1, 2, 3].map((one) =>
  Buffer.from(`key ${one} of the audit chain`),
);
const entry = { at: 1, change: null, event: 'pause', actor: 'U1', details: '{}' };
const append = (database: Database, key: Buffer | undefined) =>
  database.transaction((tx) => appendAudit(tx, entry, key));

/** Starts with these keys, then writes a line. */
async function run(database: Database, ...keys: readonly Buffer[]): Promise<void> {
  const changeStore = createChangeStore({ auditKey: keys[0], installation: '', onEvent: () => undefined });
  await sealAudit({ database, changeStore, auditKeys: keys });
  await append(database, keys[0]);
}

/** A line with this hash. */
async function appendAs(database: Database, hash: string): Promise<void> {
  const head = await auditHead(database.db);
  const line = { ...entry, seq: head.seq + 1, previous: head.hash, hash };
  await database.db.insertInto('audit').values(line).execute();
}

describeBoth('a start', (open) => {
  it('with a replaced key fails, until another one is set', async () => {
    const database = await open();
    await run(database, first);
    await run(database, second, first);
    const head = await auditHead(database.db);
    const again = run(database, first, second);
    await expect(again).rejects.toThrow(
      `AUDIT_KEY is an old key (${keyId(first)}) of the audit trail that was replaced (by ${keyId(second)})`,
    );
    expect(await auditHead(database.db)).toEqual(head);
    await run(database, second, first);
    await run(database, third, second, first);
    for (const replaced of [first, second])
      await expect(run(database, replaced, third)).rejects.toThrow('no line from here on could be proven');
    expect(await verifyAudit(database.db, [third, second, first])).toMatchObject({ kind: 'proven', lines: 6 });
  });

  it('with a replaced key fails also if somebody had set it again meanwhile', async () => {
    const database = await open();
    await run(database, first);
    await run(database, second, first);
    const back = { ...entry, event: 'rekeyed', details: JSON.stringify({ from: keyId(second), to: keyId(first) }) };
    await database.transaction((tx) => appendAudit(tx, back, first));
    await expect(run(database, first, second)).rejects.toThrow('was replaced');
    await run(database, second, first);
    expect(await verifyAudit(database.db, [second, first])).toMatchObject({
      kind: 'unproven',
      gaps: [{ from: 4, to: 4, why: 'replaced key' }],
    });
  });

  it('works with its key if a replica still wrote with the previous one', async () => {
    const database = await open();
    await run(database, first);
    await run(database, second, first);
    await append(database, first);
    await run(database, second, first);
    expect(await verifyAudit(database.db, [second, first])).toMatchObject({ gaps: [{ from: 4, to: 4 }] });
  });

  it('without a key fails if the trail has one, also if its newest line was altered', async () => {
    const database = await open();
    await run(database, first);
    await expect(run(database)).rejects.toThrow(`was made with a key (${keyId(first)}), and AUDIT_KEY is not set`);
    await appendAs(database, 'f00d');
    await expect(run(database)).rejects.toThrow('and AUDIT_KEY is not set. Nothing was written.');
    expect(await linesAfter(database.db, 0, 9)).toHaveLength(2);
  });

  it('without a key works if the newest of the unkeyed lines was altered', async () => {
    const odd = await open();
    await appendAs(odd, 'f00d');
    await run(odd);
    const database = await open();
    await append(database, undefined);
    await appendAs(database, hashLine({ ...entry, seq: 2, previous: '', actor: 'U9' }, undefined));
    await run(database);
    expect(await linesAfter(database.db, 0, 9)).toHaveLength(3);
  });
});
