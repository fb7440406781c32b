import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from '../../src/program/audit.ts';
import { backup } from '../../src/program/backup.ts';
import { policy } from '../../src/program/policy.ts';
import { restore } from '../../src/program/restore.ts';
import { stateOf } from '../../src/program/setup/files.ts';
import { setup } from '../../src/program/setup/setup.ts';
import { openDatabase } from '../../src/storage/database.ts';

/** A pipe where a file is expected. Opening it would wait for its other end. */

const folder = mkdtempSync(join(tmpdir(), 'sitehand-pipes-'));
const pipe = join(folder, 'pipe');
let other: number;
beforeAll(() => {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
  // Held open, so that a program that does open the pipe fails here instead of hanging.
  other = openSync(pipe, 'r+');
});
afterAll(() => {
  closeSync(other);
  rmSync(folder, { recursive: true });
});

/** Runs it with streams, and resolves with the exit code and all output. */
async function heard(
  run: (out: { write: (text: string) => Promise<void>; complain: (text: string) => void }) => Promise<number>,
) {
  const said: string[] = [];
  const complain = (text: string): void => void said.push(text);
  const code = await run({ write: async (text) => complain(text), complain });
  return [code, said.join('')] as const;
}

const asDatabase = { DATABASE_URL: `sqlite:${pipe}` };
const example = { POLICY_FILE: 'policy.example.yml' };
const noDatabase = `${pipe} is a pipe, not the file of a database.`;

test.each<[string, Parameters<typeof heard>[0], number, string]>([
  [
    'policy check FILE',
    (out) => policy(['check', pipe], {}, out),
    1,
    `${pipe}:1:1: the file cannot be read: it is a pipe\n`,
  ],
  [
    'policy test FILE',
    (out) => policy(['test', pipe], example, out),
    2,
    `${pipe}:1:1: the file cannot be read: it is a pipe\n`,
  ],
  [
    'policy test with an endless FILE',
    (out) => policy(['test', '/dev/zero'], example, out),
    2,
    '/dev/zero:1:1: the file cannot be read: it is a device or a socket\n',
  ],
  [
    'audit verify',
    (out) => audit(['verify'], asDatabase, out),
    2,
    `The trail could not be read: ${noDatabase} Nothing was changed.\n`,
  ],
  [
    'backup',
    (out) => backup([join(folder, 'a.backup')], asDatabase, out),
    2,
    `The backup failed: ${noDatabase} Nothing was written.\n`,
  ],
  [
    'restore FILE',
    (out) => restore([pipe], { DATABASE_URL: `sqlite:${folder}/new.db` }, out),
    2,
    `${pipe} is a pipe. Nothing was restored. Name the file of a backup.\n`,
  ],
  [
    'setup --settings FILE',
    ({ complain }) => setup(['--settings', pipe], { environment: {}, folder, prompts: undefined, write: complain }),
    2,
    `The settings cannot be read: ${pipe} is a pipe; pass them on standard input, with --settings -. Nothing was written.\n`,
  ],
])('%s: one sentence, and nothing is done', async (_, run, code, says) => {
  expect(await heard(run)).toEqual([code, says]);
  expect(readdirSync(folder)).toEqual(['pipe']);
});

test('a start and a setup do not wait for a pipe in place of a file either', async () => {
  await expect(openDatabase(asDatabase.DATABASE_URL)).rejects.toThrow(/cannot be opened as a database: it is a pipe\./);
  expect(() => stateOf({ path: pipe, text: '', mode: 0o600 })).toThrow('it is a pipe');
});
