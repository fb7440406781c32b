import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendTo } from '../../../src/audit/out/appended-file.ts';
import { destinationOf, oneAtATime } from '../../../src/audit/out/destination.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitehand-audit-out-'));
});
afterAll(() => rm(folder, { recursive: true }));

const taken = { kind: 'taken' };

test('a new file is for its owner alone, and a moved one is replaced by a new one', async () => {
  const file = join(folder, 'new.jsonl');
  expect(await appendTo(file, '1\n')).toEqual(taken);
  expect(await appendTo(file, '2\n')).toEqual(taken);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rename(file, `${file}.1`);
  expect(await appendTo(file, '3\n')).toEqual(taken);
  expect([await readFile(`${file}.1`, 'utf8'), await readFile(file, 'utf8')]).toEqual(['1\n2\n', '3\n']);
});

test('an unfinished line is kept and ended, so that only that line is unreadable', async () => {
  const file = join(folder, 'half.jsonl');
  await appendFile(file, '{"seq":1}\n{"seq":2,"de');
  expect(await appendTo(file, '{"seq":2}\n')).toEqual(taken);
  expect(await appendTo(file, '{"seq":3}\n')).toEqual(taken);
  expect(await readFile(file, 'utf8')).toBe('{"seq":1}\n{"seq":2,"de\n{"seq":2}\n{"seq":3}\n');
});

test('each line is one JSON object that says what it is', async () => {
  const path = join(folder, 'lines.jsonl');
  const line = { seq: 1, at: 5, event: 'pause', change: null, actor: 'U1', details: '{"a":"\\n"}' };
  const chained = { ...line, previous: '0', hash: '1' };
  const { name, deliver } = destinationOf({ kind: 'file', path });
  const lines = [chained, { ...chained, seq: 2 }];
  expect(name).toBe(path);
  expect(await deliver({ installation: 'i', lines }, new AbortController().signal)).toEqual(taken);
  const written = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(written.map((text): unknown => JSON.parse(text))).toEqual(
    lines.map((one) => ({ audit: 1, installation: 'i', ...one })),
  );
});

test('a batch counts as sent once standard output has printed it', () => {
  const source = `import { destinationOf } from ${JSON.stringify(join(process.cwd(), 'src/audit/out/destination.ts'))};
    const { deliver } = destinationOf({ kind: 'stdout' });
    process.stderr.write((await deliver({ installation: 'i', lines: [{ seq: 1 }] })).kind);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['{"audit":1,"installation":"i","seq":1}\n', 'taken']);
});

test('a destination that cannot be written to is reported with the reason', async () => {
  const failed = (why: string) => ({ kind: 'failed', why, lasting: false });
  expect(await appendTo(join(folder, 'no', 'such'), '1\n')).toEqual(failed("it can't be written (ENOENT)"));
  expect(await appendTo(folder, '1\n')).toEqual(failed('it is not a regular file'));
  expect(await appendTo('/dev/null', '1\n')).toEqual(failed('it is not a regular file'));
});

test('a write that does not end counts as failed, and nothing more is written until it has ended', async () => {
  const ended = Promise.withResolvers<{ readonly kind: 'taken' }>();
  const writes: string[] = [];
  const deliver = oneAtATime((text) => (writes.push(text), ended.promise), 50);
  const line = { seq: 1, at: 5, event: 'pause', change: null, actor: 'U1', details: '{}', previous: '0', hash: '1' };
  const batch = { installation: 'i', lines: [line] };
  const late = { kind: 'failed', why: 'a write to it has not ended within 0.05 s', lasting: false };
  expect([await deliver(batch), await deliver(batch)]).toEqual([late, late]);
  expect(writes).toHaveLength(1);
  ended.resolve({ kind: 'taken' });
  await ended.promise;
  expect(await deliver(batch)).toEqual(taken);
  expect(writes).toHaveLength(2);
});

test.skipIf(process.getuid?.() !== 0)('if the folder cannot be flushed, nothing of the batch is kept', async () => {
  const drop = await mkdtemp(join(folder, 'drop-'));
  await chmod(folder, 0o711);
  await chmod(drop, 0o733);
  const file = join(drop, 'trail.jsonl');
  // As a user who may write there, but not read the folder.
  const source = `const { appendTo } = await import(${JSON.stringify(join(process.cwd(), 'src/audit/out/appended-file.ts'))});
    process.setuid(65534);
    for (const text of ['1\\n', '1\\n']) console.log((await appendTo(${JSON.stringify(file)}, text)).why);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' });
  expect(said).toBe("it can't be written (EACCES)\n".repeat(2));
  expect(await readFile(file, 'utf8')).toBe('');
});

test.skipIf(process.platform !== 'linux')(
  'on a full disk nothing of the batch is kept, and writing resumes when there is room',
  async () => {
    const file = join(folder, 'full.jsonl');
    await appendFile(file, '{"seq":1}\n');
    const source = `import { appendTo } from ${JSON.stringify(join(process.cwd(), 'src/audit/out/appended-file.ts'))};
    console.log(JSON.stringify(await appendTo(${JSON.stringify(file)}, '{"seq":2,"details":"{}"}\\n')));`;
    const limited = `prlimit --fsize=16:unlimited "$0" --input-type=module --eval "$1"`;
    expect(
      JSON.parse(execFileSync('/bin/sh', ['-c', limited, process.execPath, source], { encoding: 'utf8' })),
    ).toEqual({
      kind: 'failed',
      why: "it can't be written (EFBIG)",
      lasting: false,
    });
    expect(await readFile(file, 'utf8')).toBe('{"seq":1}\n');
    expect(await appendTo(file, '{"seq":2}\n')).toEqual(taken);
  },
);
