import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { audit } from '../../src/program/audit.ts';
import { createChangeStore } from '../../src/change/change-store.ts';
import { publishAuditHead } from '../../src/audit/audit-anchor.ts';
import { sealAudit } from '../../src/audit/audit-keys.ts';
import { appendAudit, hashLine, keyId, emptyHead } from '../../src/storage/audit.ts';
import { openDatabase } from '../../src/storage/database.ts';

/** What somebody with write access to the database can do to the trail, and whether the program notices. */

const [key, former, foreign] = ['5f'.repeat(32), 'a0'.repeat(32), 'ee'.repeat(32)];
const idOf = (one: string): string => keyId(Buffer.from(one));
const dayMs = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'sitehand-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));
let trails = 0;

type Keys = readonly (string | undefined)[];

/**
 * The keys that the bot starts with in turn. It writes four lines with each, this many ms apart. At the end a replica
 * that still runs with the key `still` writes four more.
 */
async function trailOf(keys: Keys, apart: number, still?: string, named?: string): Promise<string> {
  const file = join(folder, `${(trails += 1)}.db`);
  const database = await openDatabase(`sqlite:${file}`);
  const bytes = (one: string | undefined): readonly Buffer[] => (one === undefined ? [] : [Buffer.from(one)]);
  for (const [turn, one] of keys.entries()) {
    const [auditKey] = bytes(one);
    const changeStore = createChangeStore({ auditKey, installation: '', onEvent: () => undefined });
    const auditKeys = [one, ...keys.slice(0, turn).toReversed()].flatMap(bytes);
    await sealAudit({ database, changeStore, auditKeys });
    const said = { change: null, event: 'pause', actor: 'U1', details: JSON.stringify({ target_key: named }) };
    for (let line = 1; line <= 4; line += 1)
      await database.transaction((tx) => appendAudit(tx, { at: Date.now() - (4 - line) * apart, ...said }, auditKey));
  }
  const said = { at: Date.now(), change: null, event: 'pause', actor: 'U1', details: '{}' };
  for (const auditKey of [still, still, still, still].flatMap(bytes))
    await database.transaction((tx) => appendAudit(tx, said, auditKey));
  await database.close();
  return file;
}

type Tampering = (database: DatabaseSync) => void;

/** With the database's password, and without the triggers that protect lines. */
function tamper(file: string, tamperings: readonly Tampering[]): void {
  const database = new DatabaseSync(file);
  database.exec('drop trigger audit_no_update; drop trigger audit_no_delete');
  for (const action of tamperings) action(database);
  database.close();
}

const run =
  (...statements: readonly string[]): Tampering =>
  (database) =>
    statements.forEach((statement) => database.exec(statement));

const row = z.object({
  seq: z.number(),
  at: z.number(),
  change: z.number().nullable(),
  event: z.string(),
  actor: z.string(),
  details: z.string(),
  hash: z.string(),
});

/** Attributes these lines to others and hashes them again. */
const rewrite =
  (by: string | undefined, from = 1, to = Infinity): Tampering =>
  (database) => {
    const lines = z.array(row).parse(database.prepare('select * from audit order by seq').all());
    let previous = lines.find(({ seq }) => seq === from - 1)?.hash ?? emptyHead.hash;
    const update = database.prepare("update audit set actor = 'U9', previous = ?, hash = ? where seq = ?");
    for (const line of lines.filter(({ seq }) => seq >= from && seq <= to)) {
      const hash = hashLine({ ...line, actor: 'U9', previous }, by === undefined ? undefined : Buffer.from(by));
      update.run(previous, hash, line.seq);
      previous = hash;
    }
  };

/** The head at that line was published then. */
const told =
  (seq: number, at = Date.now()): Tampering =>
  (database) => {
    const value = JSON.stringify({ seq, ...database.prepare('select hash from audit where seq = ?').get(seq) });
    database.prepare("update kv set value = ?, at = ? where key = 'published_head'").run(value, at);
  };

/** What a start of the bot does about the trail. */
async function start(file: string, [key]: Keys): Promise<void> {
  const database = await openDatabase(`sqlite:${file}`);
  const auditKeys = key === undefined ? [] : [Buffer.from(key)];
  const changeStore = createChangeStore({ auditKey: auditKeys[0], installation: '', onEvent: () => undefined });
  await sealAudit({ database, changeStore, auditKeys });
  await publishAuditHead({ database, changeStore, auditKeys });
  await database.close();
}

async function verify(file: string, keys: Readonly<Record<string, string>>, word = 'verify') {
  const said: string[] = [];
  const write = async (text: string): Promise<void> => void said.push(text);
  const env = { DATABASE_URL: `sqlite:${file}`, ...keys };
  const code = await audit([word], env, { write, complain: (text) => void said.push(text) });
  return { code, said: said.join('') };
}

/** The same through the program itself. */
async function verifyByProgram(file: string, keys: Readonly<Record<string, string>>) {
  const env = { DATABASE_URL: `sqlite:${file}`, ...keys };
  const words = ['--import', './src/node-version.js', 'src/sitehand.ts', 'audit', 'verify'];
  const child = spawn(process.execPath, words, { env });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, said: out + said };
}

type Case = {
  readonly keys?: Keys;
  readonly still?: string;
  /** The target that lines name. */
  readonly named?: string;
  /** Milliseconds between lines. */
  readonly apart?: number;
  readonly tampering?: readonly Tampering[];
  readonly set?: Readonly<Record<string, string>>;
  readonly code: 0 | 1 | 3;
  readonly says: string;
};

const altered = (line: number, why: string) =>
  ({ code: 1, says: `⚠️ The audit trail was altered: line ${line} is wrong. ${why}.` }) as const;
const unproven = (what: string) =>
  ({
    code: 3,
    says: `⚠️ The audit trail is not provable: ${what}. I know of no wrong line.`,
  }) as const;
const whole = (lines: number) =>
  ({ code: 0, says: `All ${lines} lines of the audit trail are unaltered since` }) as const;
const noRecord =
  'The head announced last is no longer on record, where Sitehand always keeps it; lines at the end may be gone with it';
const forget = "delete from kv where key = 'published_head'";
const withFormer = { AUDIT_KEYS_FORMER: former };

const cases: Readonly<Record<string, Case>> = {
  nothing: whole(4),
  'a line was cut out of the middle': {
    tampering: [run('delete from audit where seq = 2')],
    ...altered(3, 'Line 2 is missing'),
  },
  'a line was altered': {
    tampering: [run("update audit set actor = 'U9' where seq = 2")],
    ...altered(2, 'It was altered'),
  },
  ...Object.fromEntries(
    [0, -5].map((seq): [string, Case] => [
      `a line was put before the first one: ${seq}`,
      {
        tampering: [
          run(
            `insert into audit select ${seq}, at, change, event, 'U9', details, 'y', 'x', target from audit where seq = 1`,
          ),
        ],
        ...altered(seq, 'It comes before line 1, where no line belongs'),
      },
    ]),
  ),
  ...Object.fromEntries(
    ['at', 'change', '-at'].map((name): [string, Case] => [
      `a line has a number that nothing can read: ${name}`,
      {
        tampering: [
          run(
            `update audit set ${name.replace('-', '')} = ${name === '-at' ? '-' : ''}9223372036854775807 where seq = 1`,
          ),
        ],
        ...altered(1, 'It has a number that no line is written with'),
      },
    ]),
  ),
  ...Object.fromEntries(
    [-(2n ** 63n), 2n ** 63n - 1n].map((seq): [string, Case] => [
      `a line was put where nothing can read it: ${seq}`,
      {
        tampering: [
          run(
            `insert into audit select ${seq}, at, change, event, 'U9', details, 'y', 'x', target from audit where seq = 1`,
          ),
        ],
        ...altered(
          seq < 0 ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER,
          seq < 0 ? 'It comes before line 1, where no line belongs' : 'It has a number that no line is written with',
        ),
      },
    ]),
  ),
  ...Object.fromEntries(
    ['null', 'nothing', '{"seq":-3,"hash":"x"}'].map((value): [string, Case] => [
      `the head that was told was overwritten: ${value}`,
      {
        apart: dayMs,
        tampering: [run(`update kv set value = '${value}' where key = 'published_head'`)],
        ...altered(5, noRecord),
      },
    ]),
  ),
  'a line about an environment was hidden from the page about it': {
    named: 'environment:e1',
    tampering: [run('update audit set target = null where seq = 2')],
    ...altered(2, 'It is listed under another target than the one it names'),
  },
  'lines about an environment are filed under it': { named: 'environment:e1', ...whole(4) },
  'two lines changed places': {
    tampering: [2, 3, 9].map((seq, at) => run(`update audit set seq = ${[9, 2, 3][at]} where seq = ${seq}`)),
    ...altered(2, 'It does not follow from the line before'),
  },
  'all lines were written anew without the key': {
    tampering: [rewrite(undefined)],
    ...unproven('lines 1–4 are not keyed, although a key is set'),
  },
  'all lines were written anew without the key, and the bot went on': {
    keys: [undefined, key],
    tampering: [rewrite(key, 5), run("update audit set event = 'pause' where seq = 5"), rewrite(key, 5)],
    ...altered(1, `It was not written with key ${idOf(key)}, as line 5 was, and no line says that the key was changed`),
  },
  'later lines were written anew without the key': {
    tampering: [rewrite(undefined, 3)],
    ...altered(3, 'It was written without the key'),
  },
  'an unkeyed chain claims to be older than the key': {
    keys: [undefined],
    ...unproven('lines 1–4 are not keyed, although a key is set'),
  },
  'the first key was set, and the bot sealed what stood there': {
    keys: [undefined, key],
    ...unproven(`lines 1–4 are older than the key ${idOf(key)}, and nobody has confirmed them`),
  },
  'sealed lines were written anew': {
    keys: [undefined, key],
    tampering: [rewrite(undefined, 2, 4)],
    ...altered(5, 'It does not follow from the line before'),
  },
  'all lines were keyed anew with another key': {
    tampering: [rewrite(foreign)],
    ...unproven(`lines 1–4 are keyed with ${idOf(foreign)}, which I don't have`),
  },
  'the last lines were removed, and no head was told': {
    tampering: [run('delete from audit where seq > 2')],
    ...whole(2),
  },
  'the last lines were removed, and a head of them was told': {
    tampering: [told(3), run('delete from audit where seq > 2')],
    ...altered(3, 'The trail had a line 3, and now it ends before this one'),
  },
  'the last lines were removed, and the head that was told with them': {
    apart: dayMs,
    tampering: [run('delete from audit where seq > 3', forget)],
    ...altered(4, noRecord),
  },
  'all but the first lines were removed, and the head that was told with them': {
    apart: dayMs,
    tampering: [run('delete from audit where seq > 1', forget)],
    ...altered(2, noRecord),
  },
  'the head that was told says that it is told in a time to come': {
    apart: dayMs,
    tampering: [told(2, 8e15)],
    ...whole(4),
  },
  'the head that was told in a time to come is not in it': {
    apart: dayMs,
    tampering: [told(4, 8e15), run('delete from audit where seq > 2')],
    ...altered(3, 'The trail had a line 4, and now it ends before this one'),
  },
  'a head was told': { apart: dayMs, tampering: [told(2)], ...whole(4) },
  'all lines were removed, and the head that was told with them': {
    tampering: [run('delete from audit', forget, `update installation set created_at = ${Date.now() - 2 * dayMs}`)],
    ...unproven('it is empty, although this database is more than two hours old'),
  },
  'all lines were removed on the first day, before a head was told': {
    tampering: [run('delete from audit')],
    code: 0,
    says: 'The audit trail is still empty.',
  },
  'the key was changed as it has to be': { keys: [former, key], set: withFormer, ...whole(9) },
  'the key was changed, and the former one is missing': {
    keys: [former, key],
    ...unproven(`lines 1–4 are keyed with ${idOf(former)}, which I don't have`),
  },
  'lines were written with the former key after it was replaced': {
    keys: [former, key],
    still: former,
    set: withFormer,
    ...unproven(`lines 10–13 are keyed with ${idOf(former)} after that key was replaced`),
  },
  'the line that changes the key was cut off, with all after it': {
    keys: [former, key],
    set: withFormer,
    tampering: [run('delete from audit where seq > 4')],
    ...unproven(`lines 1–4 are keyed with the former key ${idOf(former)}, and no line with the new key follows`),
  },
};

describe('the trail, verified after', () => {
  test.concurrent.each(Object.entries(cases))(
    '%s',
    async (_, { keys = [key], still, named, apart = 1, tampering = [], set = {}, code, says }) => {
      const file = await trailOf(keys, apart, still, named);
      if (tampering.length > 0) tamper(file, tampering);
      const found = await verify(file, { AUDIT_KEY: key, ...set });
      expect(found.said.slice(0, says.length)).toBe(says);
      expect(found.code).toBe(code);
    },
  );

  test('an invalid key has another exit code than an altered line', async () => {
    const { code, said } = await verify(join(folder, 'none.db'), { AUDIT_KEY: 'short' });
    expect(said).toContain('AUDIT_KEY must be at least 32 characters');
    expect(code).toBe(2);
  });

  test('no file: which one was looked for, and what to set', async () => {
    const file = join(folder, 'not-there.db');
    const { code, said } = await verify(file, {});
    expect(said).toBe(
      `I can't find the database file ${file}. Nothing was read, and nothing was changed. Set DATABASE_URL to the value the bot uses, like sqlite:/srv/sitehand/data/sitehand.db, or run this in its folder.\n`,
    );
    expect(code).toBe(2);
    expect(existsSync(file)).toBe(false);
  });

  test.each(['nothing', 'a line was altered', 'an unkeyed chain claims to be older than the key'])(
    'the program ends as it says: %s',
    async (name) => {
      const { keys = [key], apart = 1, tampering = [], set = {} } = cases[name] ?? { code: 0, says: '' };
      const file = await trailOf(keys, apart);
      tamper(file, tampering);
      const env = { AUDIT_KEY: key, ...set };
      expect(await verifyByProgram(file, env)).toEqual(await verify(file, env));
    },
  );

  test('what cannot be proven, with what it means and what to do', async () => {
    const unkeyed = await verify(await trailOf([undefined], 1), { AUDIT_KEY: key });
    expect(unkeyed.said).toContain('its next start seals them. If it has, somebody rewrote them without the key.\n');
    expect(unkeyed.said).toContain('compare its newest line with the heads in the ops channel and in the log');
    const lost = await verify(await trailOf([former, key], 1), { AUDIT_KEY: key });
    expect(lost.said).toContain(
      'If the key is yours, add it to AUDIT_KEYS_FORMER; if you have lost it, run sitehand audit',
    );
    expect(lost.said).not.toContain('This stays so');
    const sealed = await verify(await trailOf([undefined, key], 1), { AUDIT_KEY: key });
    expect(sealed.said).toContain('If there was a key before, somebody rewrote them without it.');
    expect(sealed.said).toContain('until somebody who knows why runs sitehand audit confirm on the machine.');
  });

  test.concurrent.each<[string, Keys, readonly Tampering[], 1 | 3, string]>([
    [
      'all lines were written anew without the key, and the head that was told was replaced',
      [key],
      [rewrite(undefined), run(`update kv set value = '${JSON.stringify(emptyHead)}' where key = 'published_head'`)],
      3,
      `lines 1–4 are older than the key ${idOf(key)}, and nobody has confirmed them`,
    ],
    [
      'its end was removed with the head that was told',
      [key],
      [run('delete from audit where seq > 2', forget)],
      1,
      noRecord,
    ],
    ['its end was removed', [key], [run('delete from audit where seq > 2')], 1, 'The trail had a line 4, and now'],
    ['a line was altered', [key], [run("update audit set actor = 'U9' where seq = 2")], 1, 'line 2 is wrong.'],
    ['it was written anew, and it has no key', [undefined], [rewrite(undefined)], 1, 'line 4 is wrong.'],
  ])('stays not proven after restarts, until somebody on the machine confirms it: %s', async (...row) => {
    const [, keys, tampering, code, says] = row;
    const file = await trailOf(keys, 1);
    await start(file, keys);
    tamper(file, tampering);
    await start(file, keys);
    await start(file, keys);
    const set = keys[0] === undefined ? {} : { AUDIT_KEY: keys[0] };
    const found = await verify(file, set);
    expect(found.said).toContain(says);
    expect(found.code).toBe(code);
    const confirmed = await verify(file, set, 'confirm');
    expect(confirmed.said).toContain('You have confirmed it as it stands.');
    expect(confirmed.code).toBe(0);
    await start(file, keys);
    const after = await verify(file, set);
    expect(after.said).toMatch(
      /^The audit trail is unaltered from line \d on\. \S+@\S+ confirmed the lines before on /,
    );
    expect(after.said).toContain(says);
    expect(after.code).toBe(0);
    expect((await verify(file, set, 'confirm')).said).toContain('There is nothing to confirm.');
  });
});
