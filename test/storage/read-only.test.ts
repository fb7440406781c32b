import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { appendAudit, findAudit, linesAfter, linesOfChanges, listAudit } from '../../src/storage/audit.ts';
import { changesInBrief } from '../../src/storage/changes.ts';
import { openToRead, type Database } from '../../src/storage/database.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

const line = (database: Database, change: number | null, event: string, details = '{}') =>
  database.transaction((tx) => appendAudit(tx, { at: 1, change, event, actor: 'U1', details }, undefined));

describeBoth('a database opened for reading alone', (open) => {
  it('shows what a running bot writes, and refuses writes', async () => {
    const database = await open();
    const reader = await openToRead(database.url);
    try {
      expect(await findAudit(reader, 1)).toBeUndefined();
      const written = await line(database, null, 'pause');
      expect(await findAudit(reader, 1)).toEqual(written);
      const write = reader.insertInto('kv').values({ key: 'pause', value: '1', at: 1 }).execute();
      await expect(write).rejects.toThrow(/read-?only/i);
      await expect(sql`delete from kv`.execute(reader)).rejects.toThrow(/read-?only/i);
    } finally {
      await reader.destroy();
    }
  });

  it('is not created if it is missing', async () => {
    const database = await open();
    const url = database.url.replace('sitehand.db', 'another.db').replace(/\/(test_\w+)\?/, '/another_$1?');
    const read = async (): Promise<unknown> => {
      const reader = await openToRead(url);
      try {
        return await findAudit(reader, 1);
      } finally {
        await reader.destroy();
      }
    };
    await expect(read()).rejects.toThrow(/unable to open|does not exist/);
  });
});

describeBoth('lines of the trail', (open) => {
  it('are found by target, by change and by position', async () => {
    const database = await open();
    const { db } = database;
    const [one, other] = [await save(database), await save(database, { target: 'environment:e2' })];
    const about = (id: string): string =>
      JSON.stringify({ reason: '"target_key":"x"', target_key: `environment:${id}` });
    await line(database, one.number, 'asked', about('e1'));
    await line(database, other.number, 'asked', about('e2'));
    await line(database, null, 'lock', about('E1'));
    await line(database, null, 'lock', about('e11'));
    await line(database, one.number, 'accept', about('e1'));
    const seqs = (lines: readonly { seq: number }[]): readonly number[] => lines.map(({ seq }) => seq);
    const of = async (id: string, limit = 9) => seqs(await listAudit(db, { target: `environment:${id}`, limit }));
    expect(await of('e1')).toEqual([5, 3, 1]);
    expect(await of('e1', 2)).toEqual([5, 3]);
    expect(await of('e11')).toEqual([4]);
    expect(await of('e3')).toEqual([]);
    expect(seqs(await linesOfChanges(db, [one.number, other.number], { events: ['asked'] }))).toEqual([1, 2]);
    expect(await linesOfChanges(db, [], { events: ['asked'] })).toEqual([]);
    expect(seqs(await linesOfChanges(db, [one.number, other.number], { after: 1, limit: 1 }))).toEqual([2]);
    expect(seqs(await linesAfter(db, 2, 2))).toEqual([3, 4]);
    expect(await changesInBrief(db, [])).toEqual([]);
    const brief = { number: other.number, target: 'environment:e2', targets: '[]', authorization: '{}' };
    const unsent = { sent_at: null, lost_at: null, settled_at: null, post_review: null };
    expect(await changesInBrief(db, [other.number])).toEqual([{ ...brief, ...unsent }]);
  });
});
