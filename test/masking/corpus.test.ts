import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/base/log.ts';
import { masker } from '../../src/commands/logs/masking.ts';
import { mask } from '../../src/masking/mask.ts';
import { scrub } from '../../src/base/secret.ts';
import { harmlessLines } from './harmless.ts';

/**
 * Lines as sites log them, in files to which anybody can add. The format is explained at the top of `corpus/php.txt`.
 */

const folder = path.join(import.meta.dirname, 'corpus');
const texts = globSync('*.txt', { cwd: folder }).sort();
const linesOf = (file: string): readonly string[] =>
  readFileSync(path.join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '));

/** Entries, each of one or more lines. */
function entriesOf(file: string): readonly string[] {
  const entries: string[] = [];
  for (const line of linesOf(file))
    if (line.startsWith('| ')) entries.push(`${entries.pop() ?? ''}\n${line.slice(2)}`);
    else entries.push(line);
  return entries;
}

const isHarmless = (file: string): boolean => file.startsWith('harmless');
const marked = texts
  .filter((file) => !isHarmless(file))
  .flatMap((file) => entriesOf(file).map((entry) => ({ file, entry })));
const secretsIn = (entry: string): readonly string[] =>
  [...entry.matchAll(/⟦([^⟧]*)⟧/g)].map(([, found = '']) => found);
const plain = (entry: string): string => entry.replaceAll(/[⟦⟧]/g, '');
const shown = (text: string): string => {
  const mask = masker(() => 'client-000000');
  return text
    .split('\n')
    .map((line) => mask(line))
    .join('\n');
};

/** The text without the marked credentials and without addresses, which are never shown. */
const expected = (entry: string): string =>
  entry
    .replaceAll(/⟦[^⟧]*⟧/g, '***')
    .replaceAll(/[\w.]+@[\w.]+/g, '***@***')
    .replaceAll(/\b(?:\d+\.\d+\.\d+\.\d+|2a02:[\da-f:]+)(?!\w)/g, 'client-000000');

test('at least 97 of 100 credentials are masked, and each exception is listed', () => {
  const all = marked.flatMap(({ file, entry }) => {
    const left = shown(plain(entry));
    return secretsIn(entry).map((secret) => ({ file, secret, left, isMissed: left.includes(secret) }));
  });
  const missed = all
    .filter(({ isMissed }) => isMissed)
    .map(({ file, secret, left }) => `${file}: ${secret} in ${left}`);
  expect(all.length).toBeGreaterThanOrEqual(650);
  expect(missed.length <= 0.03 * all.length ? [] : missed).toEqual([]);
});

test('at most one in 200 harmless lines is changed', () => {
  const lines = [...texts.filter(isHarmless).flatMap(linesOf), ...harmlessLines(2_000)];
  const touched = lines
    .filter((line) => shown(line) !== line && shown(line) !== expected(line))
    .map((line) => `${line}\n  ${shown(line)}`);
  expect(lines.length).toBeGreaterThanOrEqual(3_000);
  expect(touched.length <= 0.005 * lines.length ? [] : touched).toEqual([]);
});

/** Each entry that is not shown as it should be, with what is shown instead. */
const wrong = (file: string, shownAs: (entry: string) => string): readonly string[] =>
  entriesOf(file).flatMap((entry) => {
    const left = shownAs(entry);
    return left === expected(entry) ? [] : [`${entry}\n  ${left}`];
  });
const beginning = (begin: string): readonly string[] => texts.filter((file) => file.startsWith(begin));

test.each(beginning('again'))('masks what an earlier version missed, and only that: %s', (file) => {
  expect(wrong(file, (entry) => shown(plain(entry)))).toEqual([]);
});

test.each(beginning('harmless-again'))('leaves alone what an earlier version masked wrongly: %s', (file) => {
  expect(wrong(file, shown)).toEqual([]);
});

/** Some callers mask a whole text, with line ends in the middle. */
test.each(['whole.txt', 'harmless-whole.txt'])('masks the same as a text and line by line: %s', (file) => {
  const different = entriesOf(file).flatMap((entry) => {
    const without = entry.replaceAll(/⟦[^⟧]*⟧/g, '***');
    const lefts = [scrub(plain(entry)), shown(plain(entry))];
    return lefts.every((left) => left === without) ? [] : [`${entry}\n  ${lefts.join('\n  ')}`];
  });
  expect(different).toEqual([]);
});

// V8 stops optimising expressions in a process with much code, which must not change what they find.
test('masks the same where V8 does not optimise expressions', async () => {
  const texts = marked.map(({ entry }) => plain(entry));
  const script = `import { mask } from './src/masking/mask.ts';
    import { text } from 'node:stream/consumers';
    process.stdout.write(JSON.stringify(JSON.parse(await text(process.stdin)).map(mask)));`;
  const child = spawn(process.execPath, ['--no-regexp-optimization', '--input-type=module', '--eval', script], {
    cwd: path.join(import.meta.dirname, '../..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(texts));
  expect(JSON.parse(await text(child.stdout))).toEqual(texts.map(mask));
});

test('masking twice changes nothing', () => {
  for (const { entry } of marked) {
    const once = shown(plain(entry));
    expect(shown(once)).toBe(once);
  }
});

test('a log line stays JSON for any text; an unterminated private key hides everything after it', () => {
  for (const { entry } of marked.filter((one) => !/BEGIN|PuTTY/.test(one.entry))) {
    const lines: string[] = [];
    const log = createLog('trace', { write: (line) => lines.push(line) });
    log.error({ err: new Error(plain(entry)), said: { text: plain(entry), kept: 'this' } }, plain(entry).slice(0, 60));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ said: { kept: 'this' } });
  }
});

test('also in a text that is cut off at any character', () => {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line) => lines.push(line) });
  for (const { entry } of marked.filter((one) => !/BEGIN|PuTTY/.test(one.entry) && plain(one.entry).length < 160))
    for (let end = 1; end < plain(entry).length; end += 1) log.warn({ said: plain(entry).slice(0, end) }, 'kept');
  expect(lines.length).toBeGreaterThan(10_000);
  const ends = z.object({ level: z.literal(40), msg: z.literal('kept') });
  expect(lines.filter((line) => !ends.safeParse(JSON.parse(line)).success)).toEqual([]);
});
