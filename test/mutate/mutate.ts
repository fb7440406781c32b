import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { mutated, tests } from './plan.ts';
import {
  liveMutantsIn,
  staleNames,
  minFilePercent,
  minTotalPercent,
  maxPercentNotRun,
  killedPercent,
  killedPercentWithoutEquivalent,
  scoresOf,
  totalOf,
  percentNotRun,
  unnamed,
  type Score,
} from './score.ts';
import { survivors } from './survivors.ts';

/**
 * `npm run mutate`: changes the deciding code (`plan.ts`) in every small way that StrykerJS knows, one at a time, and
 * runs the tests beside it. Ends with 1 if too many mutants survive, or one that `survivors.ts` does not name.
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const asked = process.argv.slice(2);
const others = asked.filter((file) => !mutated.includes(file));
if (others.length > 0) {
  process.stderr.write(`Not among what is mutated: ${others.join(', ')}. Nothing was run.\n`);
  process.exit(1);
}
const files = asked.length > 0 ? asked : mutated;

/** Strings are mutated too: most are states and kinds, and tables of tests check the sentences. */
async function run(folder: string) {
  // Fixed, because other examples of a property would leave other survivors.
  process.env['SEED'] = '1';
  // Tables kill most mutants. More examples only make survivors slower.
  process.env['RUNS'] = '10';
  const stryker = new Stryker({
    // The verbosity; the type of these settings can only be named in JSON.
    configFile: 'test/mutate/stryker.json',
    mutate: [...files],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 2,
    tempDirName: folder,
    ignorePatterns: ['test/stories', 'test/browser', '.ci'],
    // Its preprocessor for tsconfig.json needs TypeScript's JavaScript API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    // Endless loops are mostly detected by their count. A slow run on a busy machine must not count as a killed mutant.
    timeoutMS: 10_000,
    reporters: ['progress-append-only'],
  });
  return stryker.runMutationTest();
}

const rate = (percent: number): string => `${percent.toFixed(1).padStart(6)} %`;

function table(scores: readonly Score[]): void {
  print(`\n${'file'.padEnd(30)} killed survived    score   equivalent   without`);
  for (const score of scores) {
    const [killed, survived, equivalent] = [score.killed, score.survived, score.equivalent].map(String);
    const cells = [score.file.padEnd(30), killed?.padStart(6), survived?.padStart(8), rate(killedPercent(score))];
    print(`${cells.join(' ')} ${equivalent?.padStart(12)}  ${rate(killedPercentWithoutEquivalent(score))}`);
  }
}

const began = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'sitehand-mutate-'));
try {
  const results = await run(folder);
  const alive = (
    await Promise.all(files.map(async (file) => liveMutantsIn(file, await readFile(file, 'utf8'), results)))
  ).flat();
  const named = Object.fromEntries(Object.entries(survivors).filter(([file]) => files.includes(file)));
  const strangers = unnamed(alive, named);
  const dead = staleNames(alive, named);
  for (const { file, at, line, mutant } of strangers) print(`SURVIVED ${file}:${at}\n  ${line}\n  ${mutant}`);
  for (const { file, line, mutant } of dead) print(`NAMED, AND DEAD BY NOW ${file}\n  ${line}\n  ${mutant}`);
  const scores = scoresOf(files, results, alive, named);
  const total = totalOf(scores);
  table([...scores, total]);
  const low = scores.filter((score) => killedPercentWithoutEquivalent(score) < minFilePercent);
  if (killedPercent(total) < minTotalPercent) print(`The total is below ${minTotalPercent} %.`);
  for (const { file } of low) print(`${file} is below ${minFilePercent} %, without those that nobody can tell apart.`);
  const isMostlyNotRun = percentNotRun(results) > maxPercentNotRun;
  if (isMostlyNotRun) print(`${rate(percentNotRun(results)).trim()} of the mutants could not be run.`);
  print(`${strangers.length} survivors are not named, ${dead.length} are named that are dead.`);
  print(`${tests.length} test files, ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const isLow = killedPercent(total) < minTotalPercent || low.length > 0;
  if (isLow || isMostlyNotRun || strangers.length + dead.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
