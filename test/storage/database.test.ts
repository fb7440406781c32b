import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, openToRead } from '../../src/storage/database.ts';
import { migrate, migrations } from '../../src/storage/migrations/migrate.ts';
import { isAnyDue } from '../../src/storage/lease.ts';
import { removeKv, readKv, writeKv } from '../../src/storage/kv.ts';
import { allHandles, diskFailed } from '../prove/flushes.ts';
import { describeBoth } from './describe-both.ts';
import { save } from './samples.ts';

describeBoth('a database', (open) => {
  it('keeps its installation id over restarts, and no two have the same', async () => {
    const [one, other] = [await open(), await open()];
    const again = await one.again();
    expect(one.installation).toMatch(/^[0-9a-f]{16}$/);
    expect(again.installation).toBe(one.installation);
    expect(other.installation).not.toBe(one.installation);
  });

  it('rolls back all of a transaction that throws', async () => {
    const database = await open();
    const work = database.transaction(async (tx) => {
      await writeKv(tx, { key: 'pause', value: 'now', at: 1 });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await readKv(database.db, 'pause')).toBeUndefined();
  });

  it('keeps a query from outside out of an open transaction', async () => {
    const database = await open();
    const seen: string[] = [];
    let outside: Promise<unknown> = Promise.resolve();
    const work = database.transaction(async (tx) => {
      await writeKv(tx, { key: 'pause', value: 'now', at: 1 });
      outside = readKv(database.db, 'pause').then((row) => seen.push(row?.value ?? 'nothing'));
      await sql`select 1`.execute(tx);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    await outside;
    expect(seen).toEqual(['nothing']);
  });

  it('runs two hundred transactions at once without losing one', async () => {
    const database = await open();
    await database.transaction((tx) => writeKv(tx, { key: 'count', value: '0', at: 0 }));
    const add = () =>
      database.transaction((tx) =>
        tx
          .updateTable('kv')
          .set({ at: sql`at + 1` })
          .where('key', '=', 'count')
          .execute(),
      );
    const added = await Promise.allSettled(Array.from({ length: 200 }, add));
    // On a busy machine some are refused, because they waited too long for a connection.
    const refused = added.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused.filter((why) => !/timeout exceeded when trying to connect/.test(why))).toEqual([]);
    expect(await readKv(database.db, 'count')).toMatchObject({ at: added.length - refused.length });
    expect(refused.length).toBeLessThan(added.length);
  });

  it('reads whole numbers as numbers, up to the largest exact one', async () => {
    const database = await open();
    await database.transaction((tx) => writeKv(tx, { key: 'largest', value: '', at: Number.MAX_SAFE_INTEGER }));
    expect((await readKv(database.db, 'largest'))?.at).toBe(Number.MAX_SAFE_INTEGER);
    await database.transaction((tx) => sql`update kv set at = at + 2`.execute(tx));
    await expect(readKv(database.db, 'largest')).rejects.toThrow(/too large/);
  });

  it('refuses values that the columns do not allow', async () => {
    const database = await open();
    const write = (at: number) => database.transaction((tx) => writeKv(tx, { key: 'odd', value: '', at }));
    await expect(write(1.5)).rejects.toThrow(/1\.5/);
    expect(await readKv(database.db, 'odd')).toBeUndefined();
  });

  it('uses its own clock, or a given one', async () => {
    const database = await open();
    const before = Date.now() - 1_000;
    expect(await database.now()).toBeGreaterThan(before);
    expect(await database.transaction((tx) => database.now(tx))).toBeLessThan(before + 60_000);
    let time = 5_000;
    const replaced = await open({ now: () => time });
    expect(await replaced.now()).toBe(5_000);
    time = 4_000;
    expect(await replaced.transaction((tx) => replaced.now(tx))).toBe(4_000);
  });

  it('applies each migration once, and is opened by the versions that its migrations do not exclude', async () => {
    const database = await open();
    const [known, steps] = [migrations.length, [] as string[]];
    const step = (name: string, oldest: number) => ({ name, oldest, statements: () => (steps.push(name), []) });
    const compatible = [...migrations, step('adds', known)];
    await migrate(database.db, compatible);
    await migrate(database.db, compatible);
    await migrate(database.db);
    expect(steps).toEqual(['adds']);
    const excluding = [...compatible, step('removes', known + 2)];
    await migrate(database.db, excluding);
    await migrate(database.db, excluding);
    expect(steps).toEqual(['adds', 'removes']);
    const refused = `A newer Sitehand has changed this database (it needs a version that knows ${known + 2} migrations; this one knows`;
    await expect(migrate(database.db)).rejects.toThrow(`${refused} ${known})`);
    await expect(migrate(database.db, compatible)).rejects.toThrow(`${refused} ${known + 1})`);
  });

  it('is worked on by its own version until a newer one excludes it', async () => {
    const database = await open();
    await save(database, { due_at: 1 });
    const isDue = (): Promise<boolean> => isAnyDue(database, ['changes'], 2);
    const known = migrations.length;
    const step = (oldest: number) => ({ name: 'next', oldest, statements: () => [] });
    await migrate(database.db, [...migrations, step(known)]);
    expect([await isDue(), database.isOutdated()]).toEqual([true, false]);
    expect(() => database.stillOurs()).not.toThrow();
    await migrate(database.db, [...migrations, step(known), step(known + 2)]);
    expect([await isDue(), await isDue(), database.isOutdated()]).toEqual([false, false, true]);
    const says = `A newer Sitehand has changed the database (it needs a version that knows ${known + 2} migrations; this one knows ${known})`;
    expect(await database.outdated).toContain(says);
    expect(() => database.stillOurs()).toThrow(says);
  });

  it('rolls back a migration that fails', async () => {
    const database = await open();
    const broken = {
      name: 'broken',
      oldest: 1,
      statements: () => ['create table half (id text)', 'broken'],
    };
    await expect(migrate(database.db, [...migrations, broken])).rejects.toThrow('broken');
    await expect(sql`select * from half`.execute(database.db)).rejects.toThrow(/half/);
    await migrate(database.db);
  });

  it('shares key-value pairs: written, overwritten, removed once', async () => {
    const database = await open();
    await database.transaction((tx) => writeKv(tx, { key: 'pause', value: 'a', at: 1 }));
    await database.transaction((tx) => writeKv(tx, { key: 'pause', value: 'b', at: 2 }));
    expect(await database.transaction((tx) => readKv(tx, 'pause'))).toEqual({ key: 'pause', value: 'b', at: 2 });
    expect(await database.transaction((tx) => removeKv(tx, 'pause'))).toBe(true);
    expect(await database.transaction((tx) => removeKv(tx, 'pause'))).toBe(false);
  });
});

describe('the file of a bot', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sitehand-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is readable by its user alone, with its folder', async () => {
    const database = await openDatabase(`sqlite:${folder}/new/er/sitehand.db`);
    const modes = ['new', 'new/er', 'new/er/sitehand.db', 'new/er/sitehand.db-wal'].map(
      (name) => statSync(join(folder, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
    await database.close();
  });

  it('loses other users’ read permission, as do its companion files, and the log says so', async () => {
    const names = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.lock'].map((name) => join(folder, name));
    const modes = (): readonly number[] => names.map((name) => statSync(name).mode & 0o777);
    const first = await openDatabase(`sqlite:${folder}/a.db`);
    expect(modes()).toEqual([0o600, 0o600, 0o600, 0o600]);
    await first.transaction((tx) => writeKv(tx, { key: 'kept', value: 'yes', at: 1 }));
    for (const name of names) copyFileSync(name, `${name}.old`);
    await first.close();
    // The files that a killed bot leaves behind.
    for (const name of names) renameSync(`${name}.old`, name);
    for (const name of names) chmodSync(name, 0o644);
    chmodSync(folder, 0o770);
    const warnings: string[] = [];
    const again = await openDatabase(`sqlite:${folder}/a.db`, { onWarning: (warning) => warnings.push(warning) });
    expect(modes()).toEqual([0o600, 0o600, 0o600, 0o600]);
    const expected = [...names.map((name) => `Others could read ${name}; now`), `Others can write in ${folder} `];
    expect(warnings.map((warning, at) => warning.startsWith(expected[at] ?? ' '))).toEqual(expected.map(() => true));
    expect(await readKv(again.db, 'kept')).toBeDefined();
    await again.close();
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'it is a folder'],
    ['no database', (path: string) => writeFileSync(path, 'no database '.repeat(100)), 'file is not a database'],
  ])('is not used if it is %s: that stays as it was', async (_, make, why) => {
    const path = join(folder, 'other');
    make(path);
    chmodSync(path, 0o755);
    const failed = openDatabase(`sqlite:${path}`);
    await expect(failed).rejects.toThrow(`${path} cannot be opened as a database: ${why}. Nothing was changed.`);
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder)).toEqual(['other']);
  });

  it('is not made beside the log of a database that was moved away: that log would be emptied', async () => {
    const path = join(folder, 'moved.db');
    writeFileSync(`${path}-wal`, 'the newest changes');
    const failed = openDatabase(`sqlite:${path}`);
    await expect(failed).rejects.toThrow(`${path}-wal holds the newest changes of a database that is not there`);
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('the newest changes');
    expect(readdirSync(folder)).toEqual(['moved.db-wal']);
  });

  it('promise 1: that the disk could not write rejects all waiting and later writes, and is reported once', async () => {
    const lost: Error[] = [];
    const database = await openDatabase(`sqlite:${folder}/a.db`, { onFatal: (error) => lost.push(error) });
    const write = (key: string) => database.transaction((tx) => writeKv(tx, { key, value: '', at: 1 }));
    vi.spyOn(await allHandles(), 'datasync').mockRejectedValueOnce(diskFailed());
    const those = await Promise.allSettled([write('a'), write('b'), database.statement((db) => readKv(db, 'a'))]);
    expect(those.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const says = /^The disk didn't save what was written to .*a\.db/;
    await expect(write('c')).rejects.toThrow(says);
    await expect(database.transactionWithoutFsync((tx) => readKv(tx, 'a'))).rejects.toThrow(says);
    expect(() => database.stillOurs()).toThrow(says);
    expect(lost.map(({ message }) => says.test(message))).toEqual([true]);
    await database.close();
  });

  it.each(['a.db', 'a.db-wal', 'a.db.lock', 'link.db'])(
    'promise 1: reports when %s is not what was opened',
    async (name) => {
      await (await openDatabase(`sqlite:${folder}/a.db`)).close();
      symlinkSync(join(folder, 'a.db'), join(folder, 'link.db'));
      const lost: Error[] = [];
      const database = await openDatabase(`sqlite:${folder}/link.db`, { onFatal: (error) => lost.push(error) });
      expect(() => database.stillOurs()).not.toThrow();
      const reader = await openToRead(`sqlite:${folder}/link.db`);
      expect(await readKv(reader, 'pause')).toBeUndefined();
      await reader.destroy();
      expect(() => database.stillOurs()).not.toThrow();
      rmSync(join(folder, name));
      if (name === 'link.db') symlinkSync(join(folder, 'other.db'), join(folder, 'link.db'));
      expect(() => database.stillOurs()).toThrow(`${name} was removed or replaced while it was open`);
      await expect(database.transaction((tx) => readKv(tx, 'pause'))).rejects.toThrow('was removed or replaced');
      expect(lost).toHaveLength(1);
      await database.close();
    },
  );

  it('is refused to a second bot, under any name, until the first one closes it', async () => {
    const first = await openDatabase(`sqlite:${folder}/a.db`);
    symlinkSync(join(folder, 'a.db'), join(folder, 'b.db'));
    await expect(openDatabase(`sqlite:${folder}/a.db`)).rejects.toThrow(/^Another Sitehand has .*a\.db open/);
    await expect(openDatabase(`sqlite:${folder}/b.db`)).rejects.toThrow(/^Another Sitehand has .*a\.db open/);
    await first.close();
    await (await openDatabase(`sqlite:${folder}/b.db`)).close();
  });

  it('says that the disk is full, keeps nothing that did not fit, and works again when there is room', async () => {
    const database = await openDatabase(`sqlite:${folder}/a.db`);
    const write = (key: string, value: string) => database.transaction((tx) => writeKv(tx, { key, value, at: 1 }));
    const limit = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(database.db);
    await limit(1);
    await expect(write('large', 'x'.repeat(100_000))).rejects.toThrow('database or disk is full');
    expect(await readKv(database.db, 'large')).toBeUndefined();
    await limit(1_000_000);
    await write('large', 'x'.repeat(100_000));
    expect(await readKv(database.db, 'large')).toBeDefined();
    await database.close();
  });

  it('is unlocked, with all commits, when its process is killed', async () => {
    const url = `sqlite:${folder}/a.db`;
    const module = new URL('../../src/storage/', import.meta.url);
    const program = `
      import { openDatabase } from '${module.href}database.ts';
      import { writeKv } from '${module.href}kv.ts';
      const database = await openDatabase('${url}');
      await database.transaction((tx) => writeKv(tx, { key: 'kept', value: 'yes', at: 1 }));
      await database.transaction(async (tx) => {
        await writeKv(tx, { key: 'lost', value: 'yes', at: 1 });
        process.stdout.write('open');
        await new Promise(() => setInterval(() => {}, 1_000));
      });`;
    const bot = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(bot.stdout, 'data');
    await expect(openDatabase(url)).rejects.toThrow(/^Another Sitehand/);
    bot.kill('SIGKILL');
    await once(bot, 'exit');
    const successor = await openDatabase(url);
    expect(await readKv(successor.db, 'kept')).toBeDefined();
    expect(await readKv(successor.db, 'lost')).toBeUndefined();
    await successor.close();
  });

  it.each(['', 'sqlite:', 'mysql://localhost/x', '/var/lib/sitehand.db'])('is not guessed from %j', async (url) => {
    await expect(openDatabase(url)).rejects.toThrow(/^DATABASE_URL must be/);
  });
});
