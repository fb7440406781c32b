import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { appendAudit } from '../../src/storage/audit.ts';
import { flawOf, isUsed, restoreRows, stepOf, upgradedCopy, writeBackup } from '../../src/storage/backup.ts';
import { openDatabase, openToRead, type Database } from '../../src/storage/database.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { enqueueMessage } from '../../src/storage/messages.ts';
import { migrations } from '../../src/storage/migrations/migrate.ts';
import type { ReadHandle } from '../../src/storage/schema.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { castVote } from '../../src/storage/votes.ts';
import { freshPostgres, noPostgres, postgresRuns } from '../postgres.ts';
import { describeBoth } from './describe-both.ts';
import { insertWaiting } from '../../src/storage/waiting.ts';
import { sampleHandedOn, sampleWatch, save } from './samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitehand-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** The path of a new empty file. */
function emptyFile(): string {
  const path = join(folder, `${(files += 1)}.backup`);
  closeSync(openSync(path, 'wx', 0o600));
  return path;
}

const key = Buffer.from('5f'.repeat(32));
const tables = [
  'changes',
  'votes',
  'audit',
  'locks',
  'shared_locks',
  'waiting',
  'timers',
  'inbox',
  'messages',
  'button_payloads',
  'kv',
] as const;
const odd = 'naïve “quotes” \u2028 😀 \' -- $1 ? \\ "\t\n';

/** Rows in every way that tables hold them: more than one batch, nulls, large numbers, keys of two columns, gaps. */
async function fill(database: Database): Promise<void> {
  await save(database, { reason: odd, created_at: Number.MAX_SAFE_INTEGER });
  for (let one = 0; one < 204; one += 1) await save(database, { target: `environment:${one}` });
  await database.transaction(async (tx) => {
    for (let one = 0; one < 120; one += 1) {
      const [change, person] = [(one % 3) + 1, `U${one}`];
      await castVote(tx, { change, person, at: -one });
      await appendAudit(tx, { at: one, change, event: 'vote', actor: person, details: JSON.stringify({ odd }) }, key);
      await enqueueMessage(tx, { key: `${one}`, kind: 'direct', recipient: person, about: null, body: odd, at: one });
    }
    await tx.deleteFrom('messages').where('key', '=', '119').execute();
    await writeKv(tx, { key: odd, value: odd, at: 1 });
    await tx
      .insertInto('locks')
      .values({ target: 'e', change: 1, person: null, reason: odd, taken_at: 1, until: null })
      .execute();
    await insertWaiting(tx, { ...sampleHandedOn, target: odd, says: odd });
    await insertWaiting(tx, { ...sampleWatch, match: odd });
    for (const change of [1, 2])
      await tx.insertInto('shared_locks').values({ target: 'e', change, taken_at: change, until: null }).execute();
    const delivery = { key: 'd', kind: 'command', person: 'U1', channel: 'C1', content: null, owner: 'o' } as const;
    await tx
      .insertInto('inbox')
      .values({ ...delivery, lease_until: 1, received_at: 1, closed_at: null })
      .execute();
    const payload = { id: 'p', person: 'U1', kind: 'page', content: odd, created_at: 1, expires_at: 2 } as const;
    await tx.insertInto('button_payloads').values(payload).execute();
  });
}

/** All rows, in an order that does not depend on a collation. */
async function rowsOf(db: ReadHandle): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = tables.map(async (table) => {
    const rows = await db.selectFrom(table).selectAll().execute();
    return [table, rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

const targets: readonly (readonly [string, () => Promise<string>])[] = [
  ['SQLite', async () => `sqlite:${join(folder, `${(files += 1)}`, 'sitehand.db')}`],
  ...(postgresRuns ? [[`PostgreSQL${noPostgres}`, freshPostgres] as const] : []),
];

describeBoth('a backup', (open) => {
  it.each(targets)('has every row as it is, is whole, and so is what is restored from it on %s', async (_, target) => {
    const source = await open();
    await fill(source);
    const wanted = await rowsOf(source.db);
    const path = emptyFile();
    const reader = await openToRead(source.url);
    await writeBackup(reader, path);
    await reader.destroy();

    const backup = await openToRead(`sqlite:${path}`);
    expect([await rowsOf(backup), await flawOf(backup, migrations.length), await stepOf(backup)]).toEqual([
      wanted,
      undefined,
      migrations.length,
    ]);
    expect(await backup.selectFrom('installation').select('id').execute()).toEqual([{ id: source.installation }]);

    const restored = await openDatabase(await target());
    expect(await isUsed(restored.db)).toBe(false);
    await restored.transaction((tx) => restoreRows(backup, tx));
    expect(await rowsOf(restored.db)).toEqual(wanted);
    expect(await verifyAudit(restored.db, [key])).toMatchObject({ kind: 'proven', lines: 120 });
    expect(await isUsed(restored.db)).toBe(true);
    expect(restored.installation).not.toBe(source.installation);
    // Numbers that were given are not given again, also where the last row is gone.
    expect((await save(restored)).number).toBe(206);
    const message = { key: 'next', kind: 'ops', body: '', at: 1 } as const;
    expect(await restored.transaction((tx) => enqueueMessage(tx, message))).toMatchObject({ id: 121 });
    await backup.destroy();
    await restored.close();
  });

  it('is of one moment, whatever is written meanwhile', async () => {
    const source = await open();
    await fill(source);
    const path = emptyFile();
    const reader = await openToRead(source.url);
    const writes = Array.from({ length: 50 }, (_, at) =>
      source.transaction(async (tx) => {
        const line = { at, change: 1, event: 'vote', actor: 'U1', details: '{}' };
        await writeKv(tx, { key: 'lines', value: String((await appendAudit(tx, line, key)).seq), at });
      }),
    );
    await writeBackup(reader, path);
    await Promise.all(writes);
    await reader.destroy();
    const backup = await openToRead(`sqlite:${path}`);
    expect(await flawOf(backup, migrations.length)).toBeUndefined();
    const lines = Number((await readKv(backup, 'lines'))?.value ?? 120);
    expect(await verifyAudit(backup, [key])).toMatchObject({ kind: 'proven', lines });
    await backup.destroy();
  });
});

describe('a backup of an earlier step', () => {
  it('is brought to this step in a copy, and stays as it is', async () => {
    const database = await openDatabase(`sqlite:${join(folder, 'earlier', 'sitehand.db')}`);
    await save(database);
    const path = emptyFile();
    await writeBackup(database.db, path);
    await database.close();
    const before = readFileSync(path);
    // Kept so that nothing can change it.
    chmodSync(path, 0o400);
    const statements = () => ['alter table votes add column note text'];
    const copy = await upgradedCopy(path, `${path}.upgraded`, [
      ...migrations,
      { name: 'made up', oldest: 1, statements },
    ]);
    expect(statSync(`${path}.upgraded`).mode & 0o777).toBe(0o600);
    expect(await sql`select note from votes`.execute(copy)).toMatchObject({ rows: [] });
    expect(await copy.selectFrom('changes').select('number').execute()).toEqual([{ number: 1 }]);
    await copy.destroy();
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
