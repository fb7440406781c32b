import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mutated, tests } from './plan.ts';
import {
  liveMutantsIn,
  staleNames,
  killedPercent,
  killedPercentWithoutEquivalent,
  scoresOf,
  totalOf,
  percentNotRun,
  unnamed,
  type Result,
} from './score.ts';
import { survivors } from './survivors.ts';

const root = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(resolve(root, file), 'utf8');

describe('the lists of `npm run mutate` are up to date', () => {
  test('the files and tests exist', () => {
    expect([...mutated, ...tests].filter((file) => textOf(file) === '')).toEqual([]);
  });

  test.each(Object.entries(survivors))('the lines of %s with an accepted survivor exist', (file, those) => {
    expect(mutated).toContain(file);
    const lines = new Set(
      textOf(file)
        .split('\n')
        .map((line) => line.trim()),
    );
    expect(those.filter(({ line }) => !lines.has(line))).toEqual([]);
  });
});

describe('the score', () => {
  const source = 'const a =\n  b && c;\nreturn {\n  d,\n};\n';
  const mutant = (status: string, from: [number, number], to: [number, number], replacement: string): Result => ({
    fileName: '/somewhere/src/a.ts',
    status,
    replacement,
    location: { start: { line: from[0], column: from[1] }, end: { line: to[0], column: to[1] } },
  });
  const results = [
    mutant('Killed', [2, 3], [2, 9], 'true'),
    mutant('Timeout', [2, 3], [2, 9], 'false'),
    mutant('Survived', [2, 3], [2, 9], 'b || c'),
    mutant('NoCoverage', [3, 8], [5, 2], '{}'),
    mutant('RuntimeError', [2, 3], [2, 9], 'b'),
  ];
  const [both, whole] = [
    { line: 'b && c;', mutant: 'b && c → b || c' },
    { line: 'return {', mutant: '{ d, } → {}' },
  ];
  const named = { 'src/a.ts': [{ ...both, why: 'equivalent', because: 'it is' } as const] };

  test('counts killed mutants, survivors, and mutants that no test reached', () => {
    const scores = scoresOf(['src/a.ts', 'src/b.ts'], results, liveMutantsIn('src/a.ts', source, results), named);
    expect(scores).toEqual([
      { file: 'src/a.ts', killed: 2, survived: 2, equivalent: 1 },
      { file: 'src/b.ts', killed: 0, survived: 0, equivalent: 0 },
    ]);
    expect(scores.map((score) => [killedPercent(score), Math.round(killedPercentWithoutEquivalent(score))])).toEqual([
      [50, 67],
      [0, 0],
    ]);
    expect(totalOf(scores)).toEqual({ file: 'total', killed: 2, survived: 2, equivalent: 1 });
    expect([percentNotRun(results), percentNotRun([])]).toEqual([20, 0]);
  });

  test('lists survivors that are not named, and names whose mutant was killed', () => {
    const alive = liveMutantsIn('src/a.ts', source, results);
    expect(alive).toEqual([
      { file: 'src/a.ts', at: 2, ...both },
      { file: 'src/a.ts', at: 3, ...whole },
    ]);
    expect(unnamed(alive, named)).toEqual([alive[1]]);
    expect(staleNames(alive, named)).toEqual([]);
    expect(staleNames([], named)).toEqual([{ file: 'src/a.ts', ...both }]);
  });

  test('one name accepts only one of two equal survivors', () => {
    const twice = 'b && c;\nb && c;\n';
    const same = [1, 2].map((line) => mutant('Survived', [line, 1], [line, 7], 'b || c'));
    const alive = liveMutantsIn('src/a.ts', twice, same);
    expect(unnamed(alive, named)).toEqual([{ file: 'src/a.ts', at: 2, ...both }]);
    expect(scoresOf(['src/a.ts'], same, alive, named)).toEqual([
      { file: 'src/a.ts', killed: 0, survived: 2, equivalent: 1 },
    ]);
    const [name] = named['src/a.ts'];
    const two = { 'src/a.ts': name ? [name, name] : [] };
    expect(unnamed(alive, two)).toEqual([]);
    expect(staleNames(alive.slice(1), two)).toEqual([{ file: 'src/a.ts', ...both }]);
  });
});
