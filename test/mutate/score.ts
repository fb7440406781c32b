import type { Survivor } from './survivors.ts';

/** A mutant as StrykerJS reports it, as far as we read it. Lines and columns count from 1. */
export type Result = {
  readonly fileName: string;
  readonly status: string;
  readonly replacement: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
};

/** A mutant that no test killed, as the list of survivors names it. */
type LiveMutant = Pick<Survivor, 'line' | 'mutant'> & { readonly file: string; readonly at: number };

/** `equivalent`: the survivors that the list calls equivalent. */
export type Score = {
  readonly file: string;
  readonly killed: number;
  readonly survived: number;
  readonly equivalent: number;
};

/** The minimum for all mutants, in percent. */
export const minTotalPercent = 95;
/** The minimum per file, without equivalent mutants, which no test can kill. */
export const minFilePercent = 90;

/** A mutant that never ends counts as killed, like one on which a test fails. */
const isDead = ({ status }: Result): boolean => status === 'Killed' || status === 'Timeout';
/** A mutant that cannot be loaded says nothing about the tests and is not counted. */
const isAlive = ({ status }: Result): boolean => status === 'Survived' || status === 'NoCoverage';

export function scoresOf(
  files: readonly string[],
  results: readonly Result[],
  alive: readonly LiveMutant[],
  named: Named,
): readonly Score[] {
  const { pairs } = paired(alive, named);
  return files.map((file) => {
    const survived = alive.filter((one) => one.file === file).length;
    const equivalent = pairs.filter(([one, { why }]) => one.file === file && why === 'equivalent').length;
    const killed = results.filter((one) => one.fileName.endsWith(file) && isDead(one)).length;
    return { file, killed, survived, equivalent };
  });
}

export const totalOf = (scores: readonly Score[]): Score => ({
  file: 'total',
  killed: scores.reduce((sum, { killed }) => sum + killed, 0),
  survived: scores.reduce((sum, { survived }) => sum + survived, 0),
  equivalent: scores.reduce((sum, { equivalent }) => sum + equivalent, 0),
});

/** The share of dead mutants, among all and among those that are not equivalent. */
export const killedPercent = ({ killed, survived }: Score): number => share(killed, survived);
export const killedPercentWithoutEquivalent = ({ killed, survived, equivalent }: Score): number =>
  share(killed, survived - equivalent);

/** If no mutant was run, nothing is proven. */
const share = (killed: number, survived: number): number =>
  killed + survived === 0 ? 0 : (100 * killed) / (killed + survived);

/** The maximum percentage that says nothing about the tests. Beyond it, the tests themselves would be broken. */
export const maxPercentNotRun = 5;

/** The percentage that could not be loaded or run. */
export const percentNotRun = (results: readonly Result[]): number =>
  (100 * results.filter((one) => !isDead(one) && !isAlive(one)).length) / Math.max(1, results.length);

/** The mutants of one file that no test killed. `source` is the file's text. */
export function liveMutantsIn(file: string, source: string, results: readonly Result[]): readonly LiveMutant[] {
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

type Named = Readonly<Record<string, readonly Survivor[]>>;

type Pairs = {
  readonly pairs: readonly (readonly [LiveMutant, Survivor])[];
  readonly unnamed: readonly LiveMutant[];
  readonly gone: readonly (Pick<Survivor, 'line' | 'mutant'> & { readonly file: string })[];
};

/** Numbers survivors that look the same, so that naming one does not let the other pass. */
function paired(alive: readonly LiveMutant[], named: Named): Pairs {
  const left = new Map(Object.entries(named).map(([file, those]) => [file, [...those]]));
  const pairs: [LiveMutant, Survivor][] = [];
  const without: LiveMutant[] = [];
  for (const one of alive) {
    const names = left.get(one.file) ?? [];
    const at = names.findIndex((other) => isSame(one, other));
    const [name] = at < 0 ? [] : names.splice(at, 1);
    if (name) pairs.push([one, name]);
    else without.push(one);
  }
  const gone = [...left].flatMap(([file, those]) => those.map(({ line, mutant }) => ({ file, line, mutant })));
  return { pairs, unnamed: without, gone };
}

/** The survivors that the list does not name. */
export const unnamed = (alive: readonly LiveMutant[], named: Named): Pairs['unnamed'] => paired(alive, named).unnamed;

/** The entries of the list whose mutants are dead or gone. */
export const staleNames = (alive: readonly LiveMutant[], named: Named): Pairs['gone'] => paired(alive, named).gone;
