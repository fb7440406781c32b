import type { Survivor } from './survivors.ts';

/** What StrykerJS tells of a mutant, as far as it is looked at. Lines and columns count from 1. */
export type Result = {
  readonly fileName: string;
  readonly status: string;
  readonly replacement: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
};

/** A mutant that no test killed: where it is, and what it looks like in the list of survivors. */
export type Alive = Pick<Survivor, 'line' | 'mutant'> & { readonly file: string; readonly at: number };

export type Score = { readonly file: string; readonly killed: number; readonly survived: number };

export const leastTotal = 95;
export const leastFile = 90;

/** A mutant that never ends is as dead as one that a test is red with. */
const isDead = ({ status }: Result): boolean => status === 'Killed' || status === 'Timeout';
/** One that cannot even be loaded says nothing of the tests, and is not counted. */
const isAlive = ({ status }: Result): boolean => status === 'Survived' || status === 'NoCoverage';

export function scoresOf(files: readonly string[], results: readonly Result[]): readonly Score[] {
  return files.map((file) => {
    const own = results.filter(({ fileName }) => fileName.endsWith(file));
    return { file, killed: own.filter(isDead).length, survived: own.filter(isAlive).length };
  });
}

export const totalOf = (scores: readonly Score[]): Score => ({
  file: 'total',
  killed: scores.reduce((sum, { killed }) => sum + killed, 0),
  survived: scores.reduce((sum, { survived }) => sum + survived, 0),
});

export const percent = ({ killed, survived }: Score): number =>
  killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);

/** The mutants of one file that no test killed. `source`: the file's text. */
export function aliveIn(file: string, source: string, results: readonly Result[]): readonly Alive[] {
  const lines = source.split('\n');
  return results
    .filter((one) => one.fileName.endsWith(file) && isAlive(one))
    .map(({ location: { start, end }, replacement }) => {
      const whole = lines.slice(start.line - 1, end.line);
      const last = whole.length - 1;
      const from = whole
        .map((text, at) => text.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
        .join(' ');
      const line = (lines[start.line - 1] ?? '').trim();
      return { file, at: start.line, line, mutant: `${onOneLine(from)} → ${onOneLine(replacement)}` };
    });
}

const onOneLine = (text: string): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > 80 ? `${flat.slice(0, 60)} … ${flat.slice(-15)}` : flat;
};

const isSame = (one: Pick<Survivor, 'line' | 'mutant'>, other: Pick<Survivor, 'line' | 'mutant'>): boolean =>
  one.line === other.line && one.mutant === other.mutant;

/** Those that the list does not name. */
export const unnamed = (alive: readonly Alive[], named: Readonly<Record<string, readonly Survivor[]>>) =>
  alive.filter((one) => !named[one.file]?.some((other) => isSame(one, other)));

/** Those that the list names, and that are dead or gone by now. */
export const gone = (alive: readonly Alive[], named: Readonly<Record<string, readonly Survivor[]>>) =>
  Object.entries(named).flatMap(([file, those]) =>
    those
      .filter((one) => !alive.some((other) => other.file === file && isSame(one, other)))
      .map(({ line, mutant }) => ({ file, line, mutant })),
  );
