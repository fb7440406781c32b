import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../deploy/build.ts';

const folder = await mkdtemp(join(tmpdir(), 'sitehand-workflows-'));
const program = join(folder, 'mistakes.js');
afterAll(() => rm(folder, { recursive: true }));
// The parser's modules import JSON, as Node does not without being told.
beforeAll(() => bundle('test/deploy/workflow-mistakes.ts', program));

const mistakesIn = (input: string): unknown =>
  JSON.parse(spawnSync(process.execPath, [program], { input, encoding: 'utf8' }).stdout);

test.each(globSync('.github/workflows/*.yml'))('%s has no mistake that GitHub would find', (file) => {
  const text = readFileSync(file, 'utf8');
  expect(mistakesIn(text)).toEqual([]);
  expect(mistakesIn(text.replace('timeout-minutes:', 'timeout:'))).toEqual([expect.stringContaining("'timeout'")]);
});
