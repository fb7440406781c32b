import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { copyOfProject } from '../project-copy.ts';
import { mistakes, type Edit, type Mistake } from './mistakes.ts';

/**
 * `npm run net`: makes known mistakes, one at a time, in a copy of the project, and runs the tests that must catch
 * them. Ends with 1 if a mistake is not caught, or if the tests fail without one.
 */

const run = promisify(execFile);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** Makes the edit; resolves with a function that reverts it. */
async function make(copy: string, { file, from, to }: Edit): Promise<() => Promise<void>> {
  const path = join(copy, file);
  const right = await readFile(path, 'utf8');
  if (right.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
  await writeFile(
    path,
    right.replace(from, () => to),
  );
  return () => writeFile(path, right);
}

/** The failing tests; undefined if all pass. */
async function failing(copy: string, tests: readonly string[]): Promise<readonly string[] | undefined> {
  const file = join(copy, 'report.json');
  const vitest = ['--import', './src/node-version.js', 'node_modules/vitest/vitest.mjs', 'run', ...tests];
  const options = ['--reporter=json', `--outputFile=${file}`, '--bail=3'];
  try {
    await run(process.execPath, [...vitest, ...options], { cwd: copy, maxBuffer: 64e6 });
    return undefined;
  } catch {
    return failedIn(await readFile(file, 'utf8'));
  } finally {
    await rm(file, { force: true });
  }
}

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

const failedIn = (text: string): readonly string[] =>
  report.parse(JSON.parse(text)).testResults.flatMap(({ name, assertionResults }) => {
    const red = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    return red.length > 0 ? red : assertionResults.length === 0 ? [`${name} could not be run`] : [];
  });

async function caught(copy: string, { edits, tests }: Mistake): Promise<readonly string[] | undefined> {
  const takeBack: (() => Promise<void>)[] = [];
  try {
    for (const edit of edits) takeBack.unshift(await make(copy, edit));
    return await failing(copy, tests);
  } finally {
    for (const back of takeBack) await back();
  }
}

const copy = await copyOfProject();
try {
  const all = [...new Set(mistakes.flatMap(({ tests }) => tests))];
  const sound = await failing(copy, all);
  if (sound) throw new Error(`Without any mistake these are red:\n  ${sound.join('\n  ')}`);
  print(`Without a mistake: green (${all.length} files).`);
  let through = 0;
  for (const mistake of mistakes) {
    const red = await caught(copy, mistake);
    through += red ? 0 : 1;
    print(`${red ? 'caught ' : 'THROUGH'}  ${mistake.name}${red ? `\n           by “${red[0]}”` : ''}`);
  }
  print(`${mistakes.length - through} of ${mistakes.length} mistakes are caught.`);
  if (through > 0) process.exitCode = 1;
} finally {
  await rm(copy, { recursive: true, force: true });
}
