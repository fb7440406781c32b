import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { appendAudit, auditHead, listAudit } from '../../src/storage/audit.ts';
import { dialects } from '../../src/storage/sql-dialect.ts';
import { auditTargets } from '../../src/storage/migrations/audit-targets.ts';
import { deedsIndex } from '../../src/storage/migrations/deeds-index.ts';
import { verifyAudit } from '../../src/storage/verify.ts';
import { describeBoth } from './both.ts';
import { save } from './samples.ts';

describeBoth('the trail of an older Sitehand', (open) => {
  it('is found by its targets from then on, is proven as before, and cannot be changed', async () => {
    const database = await open();
    const { number } = await save(database, { target: 'environment:e1' });
    const action = (key: string) => JSON.stringify({ target_key: `environment:${key}` });
    await database.transaction(async (tx) => {
      for (const statement of ['audit_of_target', 'audit_of_target_by_actor', 'audit_of_keys'])
        await sql.raw(`drop index ${statement}`).execute(tx);
      const entry = { at: 1, event: 'lock', actor: 'U1' };
      await appendAudit(tx, { ...entry, change: number, details: '{}' }, undefined);
      for (const key of ['E1', 'e2'])
        await appendAudit(tx, { ...entry, change: null, details: action(key) }, undefined);
      await appendAudit(tx, { ...entry, change: null, details: '{}' }, undefined);
      await sql`alter table audit drop column target`.execute(tx);
      await deedsIndex(tx);
    });
    const head = await auditHead(database.db);
    await database.transaction((tx) => auditTargets(tx, dialects[database.kind]));
    const of = async (target: string) => (await listAudit(database.db, { target, limit: 9 })).map(({ seq }) => seq);
    expect(await of('environment:e1')).toEqual([2, 1]);
    expect(await of('environment:e2')).toEqual([3]);
    expect(await verifyAudit(database.db, [])).toEqual({ kind: 'proven', lines: 4, head, seal: undefined });
    for (const action of ["update audit set target = 'x'", 'delete from audit'])
      await expect(sql.raw(action).execute(database.db)).rejects.toThrow(/append-only/);
  });
});
