import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { backup } from '../../src/program/backup.ts';
import { Refusal } from '../../src/base/errors.ts';
import { failureMessage } from '../../src/program/output.ts';
import { restore } from '../../src/program/restore.ts';
import { appendAudit } from '../../src/storage/audit.ts';
import { addDigest } from '../../src/storage/backup.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { readKv, writeKv } from '../../src/storage/kv.ts';
import { enqueueMessage } from '../../src/storage/messages.ts';
import { migrations } from '../../src/storage/migrations/migrate.ts';
import { restoredTo } from '../../src/storage/timeline.ts';
import { openIdleSqlite } from '../../src/storage/sqlite.ts';
import { post, save } from '../storage/samples.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitehand-restore-'));
afterAll(() => rmSync(folder, { recursive: true }));
let names = 0;
const fresh = (): string => join(folder, `${(names += 1)}.db`);

const [key, other] = ['5f'.repeat(32), 'a0'.repeat(32)];

async function run(program: typeof backup, words: readonly string[], url: string, more: object = { AUDIT_KEY: key }) {
  const [out, said]: string[][] = [[], []];
  const streams = { write: (text: string) => out?.push(text), complain: (text: string) => said?.push(text) };
  const code = await program(words, { DATABASE_URL: url, ...more }, streams);
  return { code, out: out?.join('') ?? '', said: said?.join('') ?? '' };
}

/** A database with one waiting change, whose audit line is keyed, and its URL. */
async function filled(): Promise<string> {
  const url = `sqlite:${fresh()}`;
  const database = await openDatabase(url);
  const { number } = await save(database);
  await database.transaction(async (tx) => {
    const at = Date.now();
    const line = { at, change: number, event: 'asked', actor: 'U1', details: '{}' };
    await appendAudit(tx, line, Buffer.from(key));
    await writeKv(tx, { key: 'last_seen', value: '0', at });
  });
  await database.close();
  return url;
}

/** Changes the file as its owner can. */
function tamper(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

/** Without the trigger that protects the lines. */
const alteration = "drop trigger audit_no_update; update audit set actor = 'U9'";

/** What the audit line of a restore says. */
const details = z.strictObject({
  by: z.string(),
  from: z.number(),
  former: z.string(),
  head: z.object({ seq: z.number(), hash: z.string() }),
});

let source: string;
let good: string;
/** A backup of a database in whose trail somebody had changed a line. */
let altered: string;
beforeAll(async () => {
  source = await filled();
  good = fresh();
  await run(backup, [good], source);
  const copy = fresh();
  copyFileSync(good, copy);
  tamper(copy, alteration);
  altered = fresh();
  await run(backup, [altered], `sqlite:${copy}`);
});

describe('backup', () => {
  const refusals: Readonly<
    Record<string, () => readonly [words: readonly string[], says: RegExp | string, url?: string]>
  > = {
    'no file': () => [[], 'Use backup FILE. Nothing was written.\n'],
    'two files': () => [['a', 'b'], 'Use backup FILE. Nothing was written.\n'],
    'an option': () => [['--force'], 'Use backup FILE. Nothing was written.\n'],
    'a file that is there': () => [
      [good],
      `${good} is there already, and I never overwrite a file. Nothing was written.\n`,
    ],
    'a folder': () => [[folder], `${folder} is there already, and I never overwrite a file. Nothing was written.\n`],
    'a name whose backup was interrupted': () => {
      const file = fresh();
      writeFileSync(`${file}.part`, '');
      return [
        [file],
        /^\S+\.part is there: another backup .* Nothing was written\. If none is running, remove that file\.\n$/,
      ];
    },
    'a folder that is not there': () => [
      [join(folder, 'none', 'a')],
      `There is no folder ${join(folder, 'none')}. Nothing was written. Make it first, or give another FILE.\n`,
    ],
    'a place where nobody may write': () => [
      ['/sys/a'],
      "I'm not allowed to write in /sys. Nothing was written. Give another FILE.\n",
    ],
    'a database that is not there': () => [[fresh()], /^I can't find the database file .*\n$/, `sqlite:${fresh()}`],
    'a database without tables': () => {
      const file = fresh();
      writeFileSync(file, '');
      return [
        [fresh()],
        'The database has no tables yet, so there is nothing to back up. Nothing was written.\n',
        `sqlite:${file}`,
      ];
    },
    'a database of a newer version': () => {
      const file = fresh();
      copyFileSync(good, file);
      tamper(file, 'update migrations set step = 99 where step = 1');
      return [
        [fresh()],
        /^A newer Sitehand wrote this database \(step 99; .*\)\. Nothing was written\. Use the newer version\.\n$/,
        `sqlite:${file}`,
      ];
    },
  };

  test.each(Object.entries(refusals))('%s: one sentence, and no file', async (_, refusal) => {
    const [words, says, url = source] = refusal();
    const before = readdirSync(folder);
    const { code, out, said } = await run(backup, words, url);
    expect([code, out]).toEqual([2, '']);
    expect(said).toMatch(says);
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(good)).toBe(true);
  });

  test.each<[string, number, RegExp, string | undefined, object]>([
    ['was altered', 1, /The audit trail was altered: line 1 is wrong/, alteration, { AUDIT_KEY: key }],
    ['has another key', 3, /The audit trail is not provable: line 1 is keyed with/, undefined, { AUDIT_KEY: other }],
  ])('a trail that %s: is written, and says so', async (_, code, says, statement, keys) => {
    const copy = fresh();
    copyFileSync(good, copy);
    if (statement !== undefined) tamper(copy, statement);
    const file = fresh();
    const found = await run(backup, [file], `sqlite:${copy}`, keys);
    expect(found).toMatchObject({ code, said: '' });
    expect(found.out).toMatch(says);
    expect(existsSync(file)).toBe(true);
  });

  test('an intact database: the file is for this user alone, and the output says when it was made', async () => {
    const file = fresh();
    const found = await run(backup, [file], source);
    expect(found).toMatchObject({ code: 0, said: '' });
    expect(found.out).toMatch(
      /^Backed up to \S+: 1 change, as of 2\d{3}-[\d: -]+ UTC, 0\.\d MB\.\nThe one line of the audit trail is/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  test('it leaves out what somebody added to the tables, and restores removed indexes', async () => {
    const [copy, file] = [fresh(), fresh()];
    copyFileSync(good, copy);
    tamper(
      copy,
      `create index hers on changes (reason); create table mine (one text); create view ours as select 1;
       create trigger theirs after insert on kv begin select 1; end; drop index changes_due; analyze`,
    );
    expect(await run(backup, [file], `sqlite:${copy}`)).toMatchObject({ code: 0, said: '' });
    expect((await run(restore, [file], `sqlite:${fresh()}`)).code).toBe(0);
    tamper(copy, 'alter table changes add column mine text');
    expect(await run(backup, [fresh()], `sqlite:${copy}`)).toEqual({
      code: 2,
      out: '',
      said: 'The backup failed: the tables of the database are not as Sitehand made them. Nothing was written.\n',
    });
  });

  test('a full disk and files that may not be written are named as such', () => {
    const full = (fields: object): string =>
      failureMessage(Object.assign(new Error('odd words'), fields), 'The backup failed', '');
    for (const fields of [{ errcode: 13 }, { code: 'ENOSPC' }, { code: '53100' }])
      expect(full(fields)).toBe('The backup failed: there is no space left on the disk. ');
    expect(full({ errcode: 1032 })).toBe(
      'The backup failed: SQLite keeps files beside a database, and this user may not write them.  Run this as the user who runs the bot, or copy the file to a folder of your own.',
    );
    expect(full({ errcode: 10 })).toBe('The backup failed: odd words. ');
  });

  test('if closing fails after it, the first failure is told', () => {
    const both = new SuppressedError(new Error('cannot close'), new Refusal('The disk is gone.', { hint: 'Look.' }));
    expect(failureMessage(both, 'The backup failed', '')).toBe('The disk is gone. Look.');
  });
});

describe('restore', () => {
  /** A changed copy of the backup. */
  const changed = (change: (file: string) => void): string => {
    const file = fresh();
    copyFileSync(good, file);
    change(file);
    return file;
  };
  const isChanged =
    /^\S+ is not as it was written: its content does not fit its digest\. Nothing was restored\. Take another backup\.\n$/;
  const sourceFile = (): string => source.slice('sqlite:'.length);
  const isNone =
    /^\S+ is not a backup of Sitehand\. Nothing was restored\. npm run -s sitehand -- backup FILE makes one\.\n$/;
  const isDamaged = /^\S+ is damaged, or only part of a backup\. Nothing was restored\. Take another backup\.\n$/;

  const refusals: Readonly<
    Record<string, readonly [file: () => readonly string[], says: RegExp | string, code?: number, keys?: object]>
  > = {
    'no file': [() => [], 'Use restore FILE. Nothing was restored.\n'],
    'a file that is not there': [
      () => [join(folder, 'none')],
      `I can't find ${join(folder, 'none')}. Nothing was restored.\n`,
    ],
    'a folder': [() => [folder], `${folder} is a folder. Nothing was restored. Name the file of a backup.\n`],
    'an empty file': [() => [changed((file) => truncateSync(file))], isNone],
    'a text': [() => [changed((file) => writeFileSync(file, 'text '.repeat(999)))], isNone],
    'the database of another program': [() => [changed((file) => tamper(file, 'drop table migrations'))], isNone],
    'half a file': [() => [changed((file) => truncateSync(file, readFileSync(file).length / 2))], isDamaged],
    'all but the last page': [
      () => [changed((file) => truncateSync(file, readFileSync(file).length - 4096))],
      isDamaged,
    ],
    'pages of zeros': [
      () => [changed((file) => writeFileSync(file, readFileSync(file).fill(0, 4096, 90_000)))],
      isDamaged,
    ],
    'an index that contradicts its table': [
      () => [
        changed((file) => {
          const bytes = readFileSync(file);
          bytes.write('environment:e9', bytes.lastIndexOf('environment:e1'));
          writeFileSync(file, bytes);
        }),
      ],
      isDamaged,
    ],
    'a backup of a newer version': [
      () => [changed((file) => tamper(file, 'update migrations set step = 99 where step = 1'))],
      /^A newer Sitehand made \S+ \(step 99; .*\)\. Nothing was restored\. Use the newer version\.\n$/,
    ],
    'a database in use': [
      () => [changed((file) => writeFileSync(`${file}-wal`, 'pages'))],
      /^\S+ is a database in use, or one that was not closed\. Nothing was restored\. Set DATABASE_URL to it, run npm run -s sitehand -- backup FILE/,
    ],
    'an altered trail': [
      () => [altered],
      /audit trail was altered: line 1 is wrong[^]*\nNothing was restored\. Take an earlier backup, and keep \S+ as evidence\.\n$/,
      1,
    ],
    'a backup in which somebody changed a value': [
      () => [changed((file) => tamper(file, `update changes set reason = 'because'`))],
      isChanged,
    ],
    'a backup that lacks a row': [() => [changed((file) => tamper(file, 'delete from kv'))], isChanged],
    'a backup whose numbers would be given again': [
      () => [changed((file) => tamper(file, 'update sqlite_sequence set seq = 0'))],
      isChanged,
    ],
    'a backup with a flipped bit': [
      () => [
        changed((file) => {
          const bytes = readFileSync(file);
          const at = bytes.lastIndexOf('["cache"');
          bytes.writeUInt8(bytes.readUInt8(at + 1) ^ 1, at + 1);
          writeFileSync(file, bytes);
        }),
      ],
      isChanged,
    ],
    'a database that was only copied': [() => [sourceFile()], isNone],
    ...Object.fromEntries(
      [
        'create trigger later after insert on kv begin delete from changes; end',
        'create view more as select * from kv',
        'create table more (one text)',
        'drop table votes; create view votes as select 1 as change, 2 as person, 3 as at',
        'drop index changes_due',
        'drop trigger audit_no_delete',
        'alter table kv add column more text',
      ].map((forged) => [
        `a forged backup: ${forged}`,
        [() => [changed((file) => tamper(file, forged))], isNone] as const,
      ]),
    ),
    ...Object.fromEntries(
      [
        `pragma foreign_keys = off; insert into votes values (99, 'U1', 1)`,
        'update changes set due_at = 9223372036854775807',
      ].map((forged) => [
        `values that the tables do not take: ${forged}`,
        [() => [changed((file) => tamper(file, forged))], isDamaged] as const,
      ]),
    ),
    'no key, and a trail with one': [
      () => [good],
      /^The restore failed: The audit trail was made with a key \(\S+\), and AUDIT_KEY is not set\. Nothing was written\. Set that key\./,
      2,
      {},
    ],
  };

  test.each(Object.entries(refusals))(
    '%s: one sentence, and nothing restored',
    async (_, [file, says, code = 2, keys]) => {
      const target = fresh();
      const found = await run(restore, file(), `sqlite:${target}`, keys);
      expect([found.code, found.out]).toEqual([code, '']);
      expect(found.said).toMatch(says);
      // Without the key it is found out late, and rolled back: a second try with the key is possible.
      expect(existsSync(target)).toBe(keys !== undefined);
      if (keys !== undefined) expect((await run(restore, [good], `sqlite:${target}`)).code).toBe(0);
    },
  );

  test('a value that the tables do not take, in a backup whose digest fits: nothing is restored', async () => {
    const target = `sqlite:${fresh()}`;
    const forged = changed((file) =>
      tamper(file, 'pragma ignore_check_constraints = on; update changes set cools_down = 7'),
    );
    const file = openIdleSqlite(forged);
    await addDigest(file, migrations.length);
    await file.destroy();
    expect(await run(restore, [forged], target)).toEqual({
      code: 2,
      out: '',
      said: 'The restore failed: CHECK constraint failed: cools_down in (0, 1). Nothing was restored.\n',
    });
    expect((await run(restore, [good], target)).code).toBe(0);
  });

  test('a database in memory is refused', async () => {
    const found = await run(restore, [good], 'sqlite::memory:');
    expect(found).toMatchObject({ code: 2, out: '' });
    expect(found.said).toMatch(/^DATABASE_URL names a database in memory, which would be gone at once\. Nothing was /);
  });

  test('a database that was used: it is not even opened for writing', async () => {
    const used = fresh();
    copyFileSync(good, used);
    const found = await run(restore, [good], `sqlite:${used}`);
    expect(found).toMatchObject({ code: 2, out: '' });
    expect(found.said).toBe(
      'The database of DATABASE_URL is not empty. Nothing was restored. Stop Sitehand, then give DATABASE_URL a file that is not there yet, or an empty PostgreSQL database.\n',
    );
    expect(readFileSync(used).equals(readFileSync(good))).toBe(true);
  });

  test('a database that a bot has open', async () => {
    const url = `sqlite:${fresh()}`;
    const bot = await openDatabase(url);
    expect((await run(restore, [good], url)).said).toMatch(/^The restore failed: Another Sitehand has \S+ open/);
    await bot.close();
  });

  test('knows that time has passed: pause, trail, former ids; deliveries under way are closed silently', async () => {
    const url = await filled();
    const at = Date.now();
    const first = await openDatabase(url);
    const { installation: former } = first;
    const press = { kind: 'decision', verdict: 'cancel', installation: former, number: 1, version: 1 };
    const body = JSON.stringify({
      text: [{ text: `"installation":"${former}"` }],
      buttons: [{ label: 'Cancel', press }],
    });
    await first.transaction(async (tx) => {
      const delivery = {
        key: 'd',
        kind: 'command',
        person: 'U1',
        channel: 'C1',
        content: 'cache clear',
        owner: 'o',
      } as const;
      await tx
        .insertInto('inbox')
        .values({ ...delivery, lease_until: 1, received_at: 1, closed_at: null })
        .execute();
      await post(tx, { key: '1:card', kind: 'card', change: 1, at }, { channel: 'C1', ts: '1.1' });
      await enqueueMessage(tx, { key: '1:2', kind: 'reply', change: 1, body, at, decides: true, follows: true });
    });
    await first.close();
    const [file, again, target, last] = [fresh(), fresh(), `sqlite:${fresh()}`, `sqlite:${fresh()}`];
    expect((await run(backup, [file], url)).code).toBe(0);
    expect(await run(restore, [file], target)).toMatchObject({ code: 0, said: '' });

    const restored = await openDatabase(target);
    const { db, installation } = restored;
    expect(installation).not.toBe(former);
    const open = await db.selectFrom('inbox').selectAll().where('closed_at', 'is', null).execute();
    expect(open).toEqual([]);
    const messages = await db.selectFrom('messages').selectAll().where('change', '=', 1).orderBy('key').execute();
    // What it says is drawn when it is posted, with buttons of this database.
    expect(messages.map((one) => [one.key, one.version, one.due_at === null, one.body])).toEqual([
      ['1:2', 2, false, body],
      ['1:card', 2, false, null],
    ]);
    const lines = await db.selectFrom('audit').select(['event', 'actor', 'details']).orderBy('seq').execute();
    expect(lines.map(({ event }) => event)).toEqual(['asked', 'restored', 'pause']);
    const { from, head, ...said } = details.parse(JSON.parse(lines[1]?.details ?? ''));
    expect([said, head.seq]).toEqual([{ by: `${userInfo().username}@${hostname()}`, former }, 1]);
    expect(Math.abs(from - at)).toBeLessThan(60_000);
    const setBack: unknown = JSON.parse((await readKv(db, 'set_back'))?.value ?? '');
    expect(setBack).toMatchObject({ kind: 'restored', from });
    expect(await readKv(db, 'pause')).toBeDefined();
    expect(await readKv(db, 'last_seen')).toBeUndefined();
    await restored.close();

    // Restored once more, it still knows the first one.
    expect((await run(backup, [again], target)).code).toBe(0);
    expect((await run(restore, [again], last)).code).toBe(0);
    const second = await openDatabase(last);
    expect(await restoredTo(second.db, former)).toBe(from);
    expect(await restoredTo(second.db, installation)).toBeGreaterThanOrEqual(from);
    expect(await restoredTo(second.db, second.installation)).toBeUndefined();
    await second.close();
  });

  test('a key that was changed since the backup seals what was written before', async () => {
    const target = `sqlite:${fresh()}`;
    const keys = { AUDIT_KEY: other, AUDIT_KEYS_FORMER: key };
    expect((await run(restore, [good], target, keys)).code).toBe(3);
    expect((await run(backup, [fresh()], target, keys)).code).toBe(0);
  });
});
